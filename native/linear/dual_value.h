// The dual value of multipliers, scaled first where a free bias asks that signed ones sum to zero.
#pragma once

#include <algorithm>
#include <vector>

#include "qp.h"
#include "row_sums.h"

namespace maxmargin::linear {

// Sums over the multipliers of one sign: of a z with z = (x, 1), of a linear, and of ridge a^2 / 2.
struct SideSum {
  std::vector<double> combination;
  double linear = 0, ridge = 0;

  SideSum& operator+=(const SideSum& other) {
    add_to(combination, other.combination);
    return linear += other.linear, ridge += other.ridge, *this;
  }
};

// Of the constraints with a positive sign, and of those with a negative one.
struct DualSums {
  SideSum up, down;

  static DualSums of(int64_t size) {
    const SideSum zero{std::vector<double>(size)};
    return {zero, zero};
  }

  SideSum& side(double sign) { return sign > 0 ? up : down; }

  DualSums& operator+=(const DualSums& other) { return up += other.up, down += other.down, *this; }

  // sum of sign a z
  std::vector<double> combination() const {
    std::vector<double> difference = up.combination;
    for (size_t c = 0; c < difference.size(); ++c) difference[c] -= down.combination[c];
    return difference;
  }

  double dual(const BoxQP& qp) const {
    double shrink_up = 1, shrink_down = 1;
    const double total_up = up.combination.back(), total_down = down.combination.back();
    if (qp.has_free_bias() && total_up != total_down) {
      shrink_up = std::min(1.0, total_down / total_up);
      shrink_down = std::min(1.0, total_up / total_down);
    }
    double square = 0;
    for (size_t c = 0; c + 1 < up.combination.size(); ++c) {
      const double w = shrink_up * up.combination[c] - shrink_down * down.combination[c];
      square += w * w;
    }
    if (qp.has_bias() && !qp.has_free_bias()) {
      square += (total_up - total_down) * (total_up - total_down) / qp.bias_weight;
    }
    const double linear = shrink_up * up.linear - shrink_down * down.linear;
    const double ridge = shrink_up * shrink_up * up.ridge + shrink_down * shrink_down * down.ridge;
    return -0.5 * square - linear - ridge;
  }
};

}  // namespace maxmargin::linear
