// Newton steps on the free variables of a small problem.
//
// Steps on pairs crawl where the matrix is badly conditioned: large C, features of very different
// sizes. With the bounded variables held where they are, the free ones solve a linear system; the
// step goes as far towards its solution as the box allows, and what it meets there is held too.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "../linalg/cholesky.h"
#include "scores.h"

namespace maxmargin::decomposition {

class Newton {
 public:
  // A system of more variables takes longer than the steps it replaces.
  static constexpr int64_t most_variables = 1024;

  // `matrix` is that of the variables, row by row; `relative_ridge` times its mean diagonal is
  // added to the diagonal, which must outweigh the rounding of the matrix. A variable without
  // curvature and without bounds takes up what its group's others leave.
  Newton(std::vector<double> matrix, Scores variables, int32_t n_groups, double relative_ridge);

  // Steps until one is not cut short by a bound; returns whether any variable moved.
  bool run();

  const std::vector<double>& values() const { return variables_.value; }

 private:
  std::vector<int64_t> free_variables() const;
  std::optional<std::vector<double>> direction(const std::vector<int64_t>& free);
  bool is_slack(int64_t v) const;
  // Moves along the direction up to the first bound; returns the share of it that was possible.
  double move(const std::vector<int64_t>& free, const std::vector<double>& direction);
  const double* row(int64_t v) const { return matrix_.data() + v * variables_.size(); }

  std::vector<double> matrix_;
  Scores variables_;
  int32_t n_groups_;
  double ridge_;
  linalg::Cholesky cholesky_;  // of the free variables' matrix
};

}  // namespace maxmargin::decomposition
