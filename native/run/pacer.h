// Asks from time to time whether a long computation is to end.
#pragma once

#include <chrono>

#include "../threads/pool.h"

namespace maxmargin::run {

class Pacer {
 public:
  explicit Pacer(const threads::ShouldStop& should_stop) : should_stop_(should_stop) {}

  // Throws Interrupted when asked to end; cheap enough to call every few microseconds.
  void checkpoint() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_asked_ < std::chrono::milliseconds(20)) return;
    last_asked_ = now;
    if (should_stop_ && should_stop_()) throw threads::Interrupted();
  }

 private:
  const threads::ShouldStop& should_stop_;
  std::chrono::steady_clock::time_point last_asked_ = std::chrono::steady_clock::now();
};

}  // namespace maxmargin::run

namespace maxmargin::threads {
using run::Pacer;
}  // namespace maxmargin::threads
