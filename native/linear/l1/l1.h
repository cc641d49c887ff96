// Coordinate descent for the l1 machine with squared hinge loss.
//
//   primal  min sum |w_j| + bias_penalty |b| + sum cost_i slack_i^2,
//           slack_i = max(0, 1 - sign_i (w'x_i + b))
//   dual    max sum a_i - a_i^2 / (4 cost_i),   a >= 0,
//           |sum sign_i a_i x_ij| <= 1 for every j,   |sum sign_i a_i| <= bias_penalty
//
// One weight at a time goes near its optimum by Newton's method on the line (Chang, Hsieh, Lin 2008;
// Yuan, Chang, Hsieh, Lin 2010), within a working set: the weights that are not zero and the features
// that violate the dual's constraints most. Within the set, features at zero that want to stay there
// are shrunk. Where a step of a second-order model pays for itself, it is taken in between. The pass
// that looks for violated constraints also makes a dual point, 2 cost_i slack_i scaled down to
// feasibility, and with it the gap.
#pragma once

#include <cstdint>
#include <vector>

#include "../../threads/pool.h"
#include "../solution.h"

namespace maxmargin::linear {

struct L1Problem {
  std::vector<double> sign, cost;
  double bias_penalty = 0;  // zero leaves the bias free, infinity means none

  int64_t n_points() const { return static_cast<int64_t>(sign.size()); }
  bool has_bias() const { return std::isfinite(bias_penalty); }
  bool has_free_bias() const { return bias_penalty == 0; }
};

// `columns` holds a feature per row, with contiguous entries. Returns the weights with the smallest gap
// and the multipliers made from them.
template <class T>
Solution solve_l1(const Matrix<T>& columns, const L1Problem& problem, const WarmStart& start,
                  const run::Stop& stop, uint64_t seed, const threads::ShouldStop& should_stop,
                  const run::Report& report);

}  // namespace maxmargin::linear
