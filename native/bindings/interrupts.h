// Ctrl-C as the core's loops see it: Python's handlers, and the interrupt that one of them has
// noted (maxmargin/interrupts.py).
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>

namespace maxmargin::bindings {

// The Python thread whose work an interrupt is to end; zero if there is none.
inline std::atomic<unsigned long> interrupted_thread{0};

inline void note_interrupt(bool is_pending) {
  interrupted_thread = is_pending ? PyThread_get_thread_ident() : 0;
}

inline bool interrupt_is_noted() { return interrupted_thread == PyThread_get_thread_ident(); }

// Whether a handler has raised an error.
inline bool signal_is_pending() {
  nanobind::gil_scoped_acquire interpreter;
  return PyErr_CheckSignals() != 0;
}

}  // namespace maxmargin::bindings
