// What ends a run early: a time limit, an interrupt, a watcher that asks for it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>

#include "arrays.h"

namespace maxmargin::bindings {

// What a watcher sees of a program; the violation is in the solver's own measure.
struct Seen {
  int64_t steps = 0;
  double violation = 0, primal = 0, dual = 0;
};

// Any thread may ask whether to stop; only the one that started the run asks Python.
class Listener {
 public:
  using Clock = std::chrono::steady_clock;

  static double since(Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  }

  Listener(nb::object watch, double seconds)
      : watch_(std::move(watch)), started_(Clock::now()), seconds_(seconds) {}

  bool should_stop() {
    if (stopped_) return true;
    if (seconds_ >= 0 && since(started_) >= seconds_) return stop("seconds");
    if (std::this_thread::get_id() != caller_) return false;
    nb::gil_scoped_acquire interpreter;
    try {
      return ask_python();
    } catch (nb::python_error& thrown) {
      // Kept until no thread works on the run any more.
      error_ = std::current_exception();
      return stop("error");
    }
  }

  void report(int64_t program, const Seen& seen) {
    std::lock_guard lock(mutex_);
    program_ = program;
    seen_ = seen;
    has_reported_ = true;
  }

  // The same for solvers that report rarely: the watcher sees it at once, if its thread reports.
  void report_at_once(int64_t program, const Seen& seen) {
    report(program, seen);
    if (watch_.is_none() || stopped_ || std::this_thread::get_id() != caller_) return;
    nb::gil_scoped_acquire interpreter;
    try {
      show();
    } catch (nb::python_error& thrown) {
      error_ = std::current_exception();
      stop("error");
    }
  }

  // Of the time limit, for one of so many programs that are left; negative without a limit.
  double share(int64_t n_left) const {
    const auto programs = static_cast<double>(std::max<int64_t>(n_left, 1));
    return seconds_ < 0 ? -1.0 : std::max(seconds_ - since(started_), 0.0) / programs;
  }

  void program_done() { ++n_done_; }
  bool has_stopped() const { return stopped_; }
  const std::string& reason() const { return reason_; }

  void rethrow_error() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  bool ask_python() {
    if (PyErr_CheckSignals() != 0) {
      if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw nb::python_error();
      PyErr_Clear();
      return stop("interrupt");
    }
    if (watch_.is_none() || !has_reported_ || since(last_shown_) < 0.05) return false;
    return show();
  }

  bool stop(const char* reason) {
    std::lock_guard lock(mutex_);
    if (!stopped_) reason_ = reason;
    stopped_ = true;
    return true;
  }

  bool show() {
    last_shown_ = Clock::now();
    Seen latest;
    int64_t program;
    {
      std::lock_guard lock(mutex_);
      latest = seen_;
      program = program_;
    }
    const nb::object answer = watch_(program, n_done_.load(), latest.steps, latest.violation,
                                     latest.primal, latest.dual);
    return nb::cast<bool>(answer) && stop("watch");
  }

  nb::object watch_;
  Clock::time_point started_, last_shown_{};
  double seconds_;  // negative: no limit
  const std::thread::id caller_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::atomic<bool> stopped_{false}, has_reported_{false};
  std::atomic<int64_t> n_done_{0};
  std::string reason_;
  std::exception_ptr error_;
  int64_t program_ = 0;
  Seen seen_;
};

}  // namespace maxmargin::bindings
