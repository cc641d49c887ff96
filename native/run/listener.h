// Who follows a run over some problems and may end it: a time limit, an interrupt, a callback.
#pragma once

#include <cstdint>

#include "progress.h"

namespace maxmargin::run {

// Any thread may call it.
class Listener {
 public:
  virtual ~Listener() = default;

  // Asked every few milliseconds of work.
  virtual bool should_stop() = 0;
  // What the last answer was; costs nothing.
  virtual bool has_stopped() const = 0;

  // What is left of the time limit; negative without one.
  virtual double seconds_left() const = 0;

  // The latest progress is shown when the listener is next asked, which suits solvers that report
  // often; or at once, for solvers that report rarely.
  virtual void report(int64_t problem, const Progress& now) = 0;
  virtual void report_at_once(int64_t problem, const Progress& now) = 0;
  virtual void problem_done() = 0;
};

}  // namespace maxmargin::run
