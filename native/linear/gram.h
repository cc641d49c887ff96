// Weighted sums of the outer products of rows, the bias's constant feature included.
#pragma once

#include <cstdint>
#include <vector>

#include "../data/matrix.h"
#include "../linalg/cholesky.h"
#include "qp.h"

namespace maxmargin::linear {

using data::Matrix;

// Adds weight x_e x_f to the lower triangle for the entries e in [begin, end) of a sparse row and all
// f <= e, and weight x_e constant to the last row.
template <class T>
void add_products(const typename Matrix<T>::Row& row, int64_t begin, int64_t end, double weight,
                  double constant, int64_t size, double* matrix) {
  double* last = matrix + (size - 1) * size;
  for (int64_t e = begin; e < end; ++e) {
    const double scaled = weight * static_cast<double>(row.values[e]);
    double* own = matrix + row.columns[e] * size;
    for (int64_t f = 0; f <= e; ++f) {
      own[row.columns[f]] += scaled * static_cast<double>(row.values[f]);
    }
    last[row.columns[e]] += constant * scaled;
  }
}

// Adds up sum_r weight_r z_r z_r', z_r = (x_r, constant), into the lower triangle of a square matrix.
template <class T>
class GramSum {
 public:
  GramSum(int64_t n_features, double constant)
      : size_(n_features + 1), constant_(constant), matrix_(size_ * size_) {}

  // Adds the rows of a window.
  void add(const Matrix<T>& rows, const double* weights);
  GramSum& operator+=(const GramSum& other);

  const std::vector<double>& matrix() const { return matrix_; }
  std::vector<double> take_matrix() { return std::move(matrix_); }

 private:
  void add_dense(const Matrix<T>& rows, const double* weights);

  int64_t size_;
  double constant_;
  std::vector<double> matrix_;
  std::vector<double> scaled_;  // a few rows by columns, times the roots of the weights
};

// Factorises the Hessian R + gram of a linear machine. Without a bias the last row of gram is zero.
inline bool factorise(linalg::Cholesky& cholesky, const std::vector<double>& gram, const BoxQP& qp,
                      int64_t size) {
  // Relative to the diagonal, where rounding has made the matrix indefinite.
  constexpr double least_ridge = 1e-14;
  constexpr int most_ridges = 8;
  double trace = 0;
  for (int64_t c = 0; c + 1 < size; ++c) trace += gram[c * size + c];
  const double ridge = least_ridge * (1 + trace / static_cast<double>(size));
  std::vector<double> diagonal(size, qp.curvature(false));
  diagonal.back() = qp.curvature(true);
  return cholesky.factorise(gram.data(), size, 0, diagonal) ||
         cholesky.factorise_with_growing_ridge(gram.data(), size, ridge, most_ridges, diagonal);
}

}  // namespace maxmargin::linear
