// One thread's turn at some QPs: what ends it, and the share of the time that it has.
#pragma once

#include <atomic>
#include <chrono>

#include "../kernels/block.h"
#include "../run/listener.h"

namespace maxmargin::decomposition {

class Turn {
 public:
  Turn(run::Listener& listener, int n_threads)
      : execution{n_threads, [this] { return should_stop(); }}, listener_(listener) {}
  Turn(const Turn&) = delete;

  // Gives the next QP so many seconds; negative for no limit.
  void begin(double seconds) {
    seconds_ = seconds;
    began_ = Clock::now();
    is_late_ = false;
  }

  bool is_late() const { return is_late_; }
  run::Listener& listener() { return listener_; }

  const kernels::Execution execution;

 private:
  using Clock = std::chrono::steady_clock;

  bool should_stop() {
    if (seconds_ >= 0 && std::chrono::duration<double>(Clock::now() - began_).count() >= seconds_) {
      is_late_ = true;
    }
    return is_late_ || listener_.should_stop();
  }

  run::Listener& listener_;
  double seconds_ = -1;
  Clock::time_point began_ = Clock::now();
  std::atomic<bool> is_late_ = false;
};

}  // namespace maxmargin::decomposition
