// The quadratic program of a linear machine, as all its solvers see it.
//
//   primal  min 1/2 |w|^2 + 1/2 bias_weight b^2 + sum penalty_i(slack_i)
//           margin_i + slack_i >= 0,  margin_i = sign_i (w'x + b + linear_i),  slack >= 0
//   dual    min 1/2 |sum sign_i a_i x|^2 + (sum sign_i a_i)^2 / (2 bias_weight)
//               + 1/2 ridge a'a + linear'(sign a),   0 <= a_i <= cost_i
//
// A point has one constraint (two classes) or two (regression): constraint k of point r is variable
// k * n_points + r. With a ridge of zero the penalty is cost_i slack_i; with a positive one it is
// slack_i^2 / (2 ridge_i), and the cost is infinite. A bias_weight of zero leaves the bias free: then
// the signed variables sum to zero. An infinite one means no bias.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace maxmargin::linear {

// The arrays are the caller's.
struct BoxQP {
  int64_t n_points = 0;
  int32_t sides = 1;  // constraints per point
  double bias_weight = 0;
  std::span<const double> sign, linear, cost, ridge;

  int64_t size() const { return static_cast<int64_t>(sign.size()); }
  bool is_squared() const { return !ridge.empty() && ridge[0] > 0; }
  bool has_bias() const { return std::isfinite(bias_weight); }
  bool has_free_bias() const { return bias_weight == 0; }

  double penalty(int64_t i, double margin) const {
    const double slack = std::max(0.0, -margin);
    return ridge[i] > 0 ? slack * slack / (2 * ridge[i]) : slack > 0 ? cost[i] * slack : 0.0;
  }

  // The diagonal of R, the Hessian of the regularisation; a one for a bias that there is not.
  double curvature(bool is_bias) const { return is_bias && has_bias() ? bias_weight : 1.0; }

  // 1/2 |w|^2 + 1/2 bias_weight b^2
  double regularisation(std::span<const double> w, double b) const {
    double norm = 0;
    for (const double value : w) norm += value * value;
    return 0.5 * (has_bias() ? norm + bias_weight * b * b : norm);
  }

  // Objective values below this count as zero: what rounding leaves of the penalty of slacks as large
  // as the linear terms.
  double smallest_value() const {
    double total = 0;
    for (int64_t i = 0; i < size(); ++i) total += penalty(i, -std::abs(linear[i]));
    return 1e-15 * total;
  }
};

// The QP of some points of another, with arrays of its own.
struct SubsetQP {
  int64_t n_points;
  int32_t sides;
  double bias_weight;
  std::vector<double> sign, linear, cost, ridge;

  SubsetQP(const BoxQP& qp, std::span<const int64_t> points)
      : n_points(static_cast<int64_t>(points.size())), sides(qp.sides), bias_weight(qp.bias_weight) {
    for (int32_t side = 0; side < sides; ++side) {
      for (const int64_t point : points) {
        const int64_t i = side * qp.n_points + point;
        sign.push_back(qp.sign[i]);
        linear.push_back(qp.linear[i]);
        cost.push_back(qp.cost[i]);
        ridge.push_back(qp.ridge[i]);
      }
    }
  }

  BoxQP view() const { return {n_points, sides, bias_weight, sign, linear, cost, ridge}; }
};

// Reduces the multipliers of one sign until the signed ones sum to zero, as a free bias asks.
inline void balance(std::span<const double> sign, std::vector<double>& multipliers) {
  double up = 0, down = 0;
  for (size_t i = 0; i < sign.size(); ++i) (sign[i] > 0 ? up : down) += multipliers[i];
  if (up == down) return;
  const double share = std::min(up, down) / std::max(up, down);
  for (size_t i = 0; i < sign.size(); ++i) {
    if ((sign[i] > 0) == (up > down)) multipliers[i] *= share;
  }
}

}  // namespace maxmargin::linear
