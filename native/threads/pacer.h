// Asks from time to time whether a long computation is to end.
#pragma once

#include <chrono>

#include "pool.h"

namespace maxmargin::threads {

class Pacer {
 public:
  explicit Pacer(const ShouldStop& should_stop) : should_stop_(should_stop) {}

  // Throws Interrupted when asked to end; cheap enough to call every few microseconds.
  void checkpoint() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_asked_ < std::chrono::milliseconds(20)) return;
    last_asked_ = now;
    if (should_stop_ && should_stop_()) throw Interrupted();
  }

 private:
  const ShouldStop& should_stop_;
  std::chrono::steady_clock::time_point last_asked_ = std::chrono::steady_clock::now();
};

}  // namespace maxmargin::threads
