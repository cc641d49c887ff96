// The l1 machine along one weight: its slope, the nearest optimum, and how far it is from it.
#pragma once

#include <algorithm>
#include <cmath>

namespace maxmargin::linear {

// A point has slack |residual| where residual and signed cost have the same sign.
struct L1Point {
  double residual;     // sign - score
  double signed_cost;  // sign * cost

  double active_cost() const { return residual * signed_cost > 0 ? std::abs(signed_cost) : 0.0; }
};

// First and second derivative of the loss.
struct Slope {
  double first = 0, second = 0;
};

// The subgradient of loss + penalty |w| of least size; zero at an optimum.
inline double subgradient(double w, double slope, double penalty) {
  if (w != 0) return slope + std::copysign(penalty, w);
  return slope > penalty ? slope - penalty : slope < -penalty ? slope + penalty : 0.0;
}

// Where the second-order model of loss + penalty |w| is least.
inline double newton_point(double w, const Slope& slope, double penalty) {
  if (!(slope.second > 0)) return penalty > 0 ? 0.0 : w;
  const double centre = w - slope.first / slope.second, threshold = penalty / slope.second;
  if (std::abs(centre) <= threshold) return 0.0;
  return centre - std::copysign(threshold, centre);
}

// What a pass over the weights sees of the duality gap, each weight at the time of its visit. The
// first sum is the gap of feasible multipliers; scaling them down to feasibility adds the largest
// excess times the l1 norm.
struct GapEstimate {
  double slackness = 0, norm = 0, excess = 0;

  void see(double w, double slope, double penalty) {
    slackness += std::abs(penalty * std::abs(w) + slope * w);
    norm += penalty * std::abs(w);
    if (penalty > 0) excess = std::max(excess, std::abs(slope) / penalty - 1);
  }
  double gap() const { return slackness + excess * norm; }

  // The same where the multipliers' dual value, scaled by t, is known: t gain - t^2 loss.
  double gap(double gain, double loss) const {
    const double t = 1 / (1 + excess);
    return slackness + (1 - t) * (gain - (1 + t) * loss);
  }
};

}  // namespace maxmargin::linear
