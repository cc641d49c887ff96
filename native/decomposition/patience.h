// Notices when rounds no longer help.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace maxmargin::decomposition {

class Patience {
 public:
  // To be asked after each round.
  bool is_over(int64_t rounds, double violation, double dual) {
    if (rounds % patience != 0) return false;
    size_ = std::max(size_, std::abs(dual));
    const bool is_slow = dual - dual_ < least_rise * size_;
    const bool is_over = is_slow && violation > 0.5 * violation_;
    dual_ = dual;
    violation_ = violation;
    return is_over;
  }

 private:
  // Rounds after which the dual must have risen by this share or the violation halved.
  static constexpr int64_t patience = 32;
  static constexpr double least_rise = 1e-11;
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  double dual_ = -infinity, violation_ = infinity, size_ = 0;
};

}  // namespace maxmargin::decomposition
