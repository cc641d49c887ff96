// Constraints as coordinate descent visits them.
#pragma once

#include <algorithm>

namespace maxmargin::linear {

// All that a visit needs to know of a constraint, side by side.
struct alignas(64) Constraint {
  double sign, linear, cost, ridge, curvature, multiplier;
  double price, square_price;  // of a slack and of its square; a price without end is a large one

  double penalty(double margin) const {
    const double slack = std::max(0.0, -margin);
    return (price + square_price * slack) * slack;
  }

  // What a multiplier adds to the dual beside its part of the weights.
  double pull(double a) const { return (sign * linear + 0.5 * ridge * a) * a; }

  // Of an estimate, and at every visit: without a branch.
  double share_of_gap(double margin) const {
    return penalty(margin) + (margin + 0.5 * ridge * multiplier) * multiplier;
  }

  // A row of zeros has no curvature: its multiplier goes all the way.
  double optimum(double value, double slope) const {
    return curvature > 0 ? value - slope / curvature : slope < 0 ? cost : 0.0;
  }
};

// The two multipliers of a tube are one signed number, for one of them is zero: upwards its slope
// is that of one constraint, downwards that of the other.
struct Tube {
  Constraint &up, &down;
  double margin_up, margin_down;
  double value = up.multiplier - down.multiplier;
  double slope_up = margin_up + up.ridge * value, slope_down = margin_down - down.ridge * value;
};

}  // namespace maxmargin::linear
