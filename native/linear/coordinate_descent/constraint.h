// Constraints as coordinate descent visits them.
#pragma once

#include <algorithm>

namespace maxmargin::linear {

// All that a visit needs to know of a constraint, in one cache line.
struct alignas(64) Constraint {
  double sign, linear, cost, ridge;
  double curvature = 0, multiplier = 0;
  double penalty = 0, squared_penalty = 0;  // of a slack and of its square; large for infinite ones

  double loss(double margin) const {
    const double slack = std::max(0.0, -margin);
    return (penalty + squared_penalty * slack) * slack;
  }

  // What a multiplier adds to the dual beside its part of the weights.
  double dual_cost(double a) const { return (sign * linear + 0.5 * ridge * a) * a; }

  // Only an estimate, and needed at every visit: without a branch.
  double share_of_gap(double margin) const {
    return loss(margin) + (margin + 0.5 * ridge * multiplier) * multiplier;
  }

  // A row of zeros has no curvature: its multiplier goes to a bound.
  double optimum(double value, double slope) const {
    return curvature > 0 ? value - slope / curvature : slope < 0 ? cost : 0.0;
  }
};

// The two multipliers of a tube are one signed number, because one of them is zero: upwards its slope
// is that of one constraint, downwards that of the other.
struct Tube {
  Constraint &up, &down;
  double margin_up, margin_down;
  double value = up.multiplier - down.multiplier;
  double slope_up = margin_up + up.ridge * value, slope_down = margin_down - down.ridge * value;
};

}  // namespace maxmargin::linear
