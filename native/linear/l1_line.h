// The l1 machine along one weight: slope, the nearest optimum, and what is wrong with where it is.
#pragma once

#include <algorithm>
#include <cmath>

namespace maxmargin::linear {

// A point as the descent sees it: slack is |residual| where residual and price have the same sign.
struct L1Point {
  double residual;  // sign - score
  double price;     // sign * cost

  double active_cost() const { return residual * price > 0 ? std::abs(price) : 0.0; }
};

// First and second derivative of the loss.
struct Slope {
  double first = 0, second = 0;
};

// The derivative of loss + price |w| of least size; zero at an optimum.
inline double steepness(double w, double slope, double price) {
  if (w != 0) return slope + std::copysign(price, w);
  return slope > price ? slope - price : slope < -price ? slope + price : 0.0;
}

// Where the second-order model of loss + price |w| is least.
inline double newton_point(double w, const Slope& slope, double price) {
  if (!(slope.second > 0)) return price > 0 ? 0.0 : w;
  const double centre = w - slope.first / slope.second, dead = price / slope.second;
  if (std::abs(centre) <= dead) return 0.0;
  return centre - std::copysign(dead, centre);
}

// What a pass over the weights sees of the duality gap, each weight at the time of its visit. The
// first sum is the gap but for infeasibility; scaling the multipliers down to feasibility adds the
// largest excess times the length.
struct GapEstimate {
  double slackness = 0, length = 0, excess = 0;

  void see(double w, double slope, double price) {
    slackness += std::abs(price * std::abs(w) + slope * w);
    length += price * std::abs(w);
    if (price > 0) excess = std::max(excess, std::abs(slope) / price - 1);
  }
  double gap() const { return slackness + excess * length; }

  // The same where the multipliers' dual value, scaled by t, is known: t gain - t^2 loss.
  double gap(double gain, double loss) const {
    const double t = 1 / (1 + excess);
    return slackness + (1 - t) * (gain - (1 + t) * loss);
  }
};

}  // namespace maxmargin::linear
