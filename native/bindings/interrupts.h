// Whether Python has a signal to handle, as the core's loops ask.
#pragma once

#include <nanobind/nanobind.h>

namespace maxmargin::bindings {

inline bool signal_is_pending() {
  nanobind::gil_scoped_acquire interpreter;
  return PyErr_CheckSignals() != 0;
}

}  // namespace maxmargin::bindings
