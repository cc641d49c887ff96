// The listener that Python gives a run: its callback, its signals, and a time limit.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>

#include "../run/listener.h"
#include "arrays.h"
#include "interrupts.h"

namespace maxmargin::bindings {

// Only the thread that started the run asks Python.
class Listener final : public run::Listener {
  // Seconds between two calls of Python, which take some ten microseconds each.
  static constexpr double shown_every = 0.01;

 public:
  using Clock = std::chrono::steady_clock;

  static double since(Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  }

  Listener(nb::object watch, double seconds)
      : watch_(std::move(watch)), started_(Clock::now()), seconds_(seconds) {}

  bool should_stop() override {
    if (stopped_) return true;
    if (seconds_ >= 0 && since(started_) >= seconds_) return stop("time_limit");
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

  void report(int64_t problem, const run::Progress& now) override {
    std::lock_guard lock(mutex_);
    problem_ = problem;
    progress_ = now;
    has_reported_ = true;
  }

  // Other threads' reports wait until the caller's thread is asked.
  void report_at_once(int64_t problem, const run::Progress& now) override {
    report(problem, now);
    if (watch_.is_none() || stopped_ || std::this_thread::get_id() != caller_) return;
    nb::gil_scoped_acquire interpreter;
    try {
      show();
    } catch (nb::python_error& thrown) {
      error_ = std::current_exception();
      stop("error");
    }
  }

  double seconds_left() const override {
    return seconds_ < 0 ? -1.0 : std::max(seconds_ - since(started_), 0.0);
  }

  void problem_done() override { ++n_done_; }
  bool has_stopped() const override { return stopped_; }
  const std::string& reason() const { return reason_; }

  // A status as Python calls it; an interrupted run has the name of what ended it.
  const char* name_of(run::Status status) const {
    switch (status) {
      case run::Status::converged: return "converged";
      case run::Status::max_iter: return "max_iter";
      case run::Status::stalled: return "stalled";
      default: return reason_.c_str();
    }
  }

  void rethrow_error() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  bool ask_python() {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (interrupt_is_noted()) return stop("interrupt");
    if (watch_.is_none() || !has_reported_ || since(last_shown_) < shown_every) return false;
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
    run::Progress now;
    int64_t problem;
    {
      std::lock_guard lock(mutex_);
      now = progress_;
      problem = problem_;
    }
    const nb::object answer =
        watch_(problem, n_done_.load(), now.iterations, now.violation, now.primal, now.dual);
    return nb::cast<bool>(answer) && stop("callback");
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
  int64_t problem_ = 0;
  run::Progress progress_;
};

}  // namespace maxmargin::bindings
