// The Cholesky factor of a small dense matrix, and systems solved with it.
#pragma once

#include <cstdint>
#include <vector>

namespace maxmargin::linalg {

class Cholesky {
 public:
  // Takes the lower triangle of a symmetric n x n matrix, row by row, with `ridge` and, unless it is
  // empty, `diagonal` added to its diagonal; false if that is not positive definite.
  bool factorise(const double* matrix, int64_t n, double ridge = 0,
                 const std::vector<double>& diagonal = {});

  // With the first of `ridge`, 100 ridge, 100^2 ridge, ... that makes the matrix positive definite in
  // spite of rounding; false after `most` of them.
  bool factorise_with_growing_ridge(const double* matrix, int64_t n, double ridge, int most,
                                    const std::vector<double>& diagonal = {});

  // x <- (matrix + ridge)^-1 x
  void solve(std::vector<double>& x) const;

 private:
  const double* row(int64_t i) const { return factor_.data() + i * n_; }

  int64_t n_ = 0;
  std::vector<double> factor_;  // lower triangle, row by row
};

}  // namespace maxmargin::linalg
