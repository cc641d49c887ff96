// Weighted sums of the outer products of rows, the bias's constant feature included.
#pragma once

#include <cstdint>
#include <vector>

#include "matrix.h"

namespace maxmargin::linear {

// Adds up sum_r weight_r z_r z_r', z_r = (x_r, 1), into the lower triangle of a square matrix.
template <class T>
class GramSum {
 public:
  explicit GramSum(int64_t n_features) : size_(n_features + 1), matrix_(size_ * size_) {}

  // Adds rows of a window; few enough to stay in the cache.
  static constexpr int64_t rows_at_once = Matrix<T>::rows_at_once;
  void add(const Matrix<T>& rows, const double* weights);

  int64_t size() const { return size_; }
  std::vector<double>& matrix() { return matrix_; }
  const std::vector<double>& matrix() const { return matrix_; }
  GramSum& operator+=(const GramSum& other);

 private:
  void add_dense(const Matrix<T>& rows, const double* weights);
  void add_sparse(const Matrix<T>& rows, const double* weights);

  int64_t size_;
  std::vector<double> matrix_;
  std::vector<double> scaled_;  // features of a few rows side by side, times the weights' roots
};

}  // namespace maxmargin::linear
