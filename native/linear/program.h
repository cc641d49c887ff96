// A linear machine's primal and dual, as the solvers see them.
//
//   primal  min 1/2 |w|^2 + 1/2 bias_weight b^2 + sum penalty_i(slack_i)
//           margin_i + slack_i >= 0,  margin_i = sign_i (w'x + b + linear_i),  slack >= 0
//   dual    min 1/2 |sum sign_i a_i x|^2 + (sum sign_i a_i)^2 / (2 bias_weight)
//               + 1/2 ridge a'a + linear'(sign a),   0 <= a_i <= cost_i
//
// A point has one constraint (two classes) or two (regression): constraint k of point r is variable
// k * n_points + r. A ridge of zero prices slack at cost_i; a positive one at slack^2 / (2 ridge_i),
// with an infinite cost. bias_weight zero leaves the bias free: then the signed variables sum to
// zero. An infinite one means no bias.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace maxmargin::linear {

// The arrays are the caller's.
struct Program {
  int64_t n_points = 0;
  int32_t sides = 1;
  double bias_weight = 0;
  std::span<const double> sign, linear, cost, ridge;

  int64_t size() const { return static_cast<int64_t>(sign.size()); }
  bool is_squared() const { return !ridge.empty() && ridge[0] > 0; }
  bool has_bias() const { return std::isfinite(bias_weight); }

  // What a margin costs in the primal, and a multiplier in the dual.
  double penalty(int64_t i, double margin) const {
    const double slack = std::max(0.0, -margin);
    return ridge[i] > 0 ? slack * slack / (2 * ridge[i]) : slack > 0 ? cost[i] * slack : 0.0;
  }

  // An objective value that counts as zero, for optima that are: what rounding leaves of the price of
  // slacks as large as the linear terms.
  double smallest_value() const {
    double total = 0;
    for (int64_t i = 0; i < size(); ++i) total += penalty(i, -std::abs(linear[i]));
    return 1e-15 * total;
  }
};

// A program with arrays of its own.
struct OwnProgram {
  int64_t n_points = 0;
  int32_t sides = 1;
  double bias_weight = 0;
  std::vector<double> sign, linear, cost, ridge;

  int64_t size() const { return static_cast<int64_t>(sign.size()); }
  Program view() const { return {n_points, sides, bias_weight, sign, linear, cost, ridge}; }
};

struct Limits {
  double gap;  // relative
  int64_t most_iterations;
  int64_t most_visits = std::numeric_limits<int64_t>::max();  // of points by coordinate descent
  double promising = 0;  // the gap that lets it have twice as many
  double hopeless = std::numeric_limits<double>::infinity();  // and the one that leaves it a quarter
};

struct Progress {
  int64_t iterations = 0;
  double primal = std::numeric_limits<double>::infinity();
  double dual = -std::numeric_limits<double>::infinity();
  double smallest_value = 0;

  double relative_gap() const {
    const double size = std::max({std::abs(primal), std::abs(dual), smallest_value});
    return size > 0 && std::isfinite(size) ? (primal - dual) / size : primal - dual;
  }
};

using Report = std::function<void(const Progress&)>;

enum class Ending { converged, iterations, stalled, interrupted };

// Weights and bias, and the multipliers that prove them.
struct Machine {
  std::vector<double> weights;
  double bias = 0;
  std::vector<double> multipliers;
};

struct Outcome {
  Ending ending;
  Progress progress;
};

}  // namespace maxmargin::linear
