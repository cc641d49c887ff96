#include "gram.h"

#include <cmath>

#include "../blas/gemm.h"

namespace maxmargin::linear {
namespace {

// Features of one product; the products of a triangle leave out most of what lies above it.
constexpr int64_t tile = 96;

}  // namespace

template <class T>
void GramSum<T>::add(const Matrix<T>& rows, const double* weights) {
  if (rows.is_sparse()) {
    add_sparse(rows, weights);
  } else {
    add_dense(rows, weights);
  }
}

template <class T>
void GramSum<T>::add_sparse(const Matrix<T>& rows, const double* weights) {
  double* last = matrix_.data() + (size_ - 1) * size_;
  for (int64_t r = 0; r < rows.n_rows; ++r) {
    const double weight = weights[r];
    if (weight == 0) continue;
    const int64_t begin = rows.starts[r], end = rows.starts[r + 1];
    for (int64_t e = begin; e < end; ++e) {
      const double scaled = weight * static_cast<double>(rows.values[e]);
      double* own = matrix_.data() + static_cast<int64_t>(rows.columns[e]) * size_;
      for (int64_t f = begin; f <= e; ++f) {
        own[rows.columns[f]] += scaled * static_cast<double>(rows.values[f]);
      }
      last[rows.columns[e]] += scaled;
    }
    last[size_ - 1] += weight;
  }
}

template <class T>
void GramSum<T>::add_dense(const Matrix<T>& rows, const double* weights) {
  const int64_t n = rows.n_rows, d = size_ - 1;
  scaled_.resize(size_ * rows_at_once);
  for (int64_t r = 0; r < n; ++r) {
    const double root = std::sqrt(weights[r]);
    const T* own = rows.values + r * rows.row_stride;
    for (int64_t c = 0; c < d; ++c) scaled_[c * rows_at_once + r] = root * static_cast<double>(own[c]);
    scaled_[d * rows_at_once + r] = root;
  }
  const auto gemm = blas::connected<double>();
  for (int64_t i = 0; i < size_; i += tile) {
    const int64_t n_i = std::min(tile, size_ - i);
    const blas::RowBlock<double> a{scaled_.data() + i * rows_at_once, n_i, rows_at_once};
    for (int64_t j = 0; j <= i; j += tile) {
      const int64_t n_j = std::min(tile, size_ - j);
      const blas::RowBlock<double> b{scaled_.data() + j * rows_at_once, n_j, rows_at_once};
      double* out = matrix_.data() + i * size_ + j;
      if (gemm != nullptr) {
        blas::multiply(gemm, a, b, n, true, out, size_);
        continue;
      }
      for (int64_t p = 0; p < n_i; ++p) {
        for (int64_t q = 0; q < n_j; ++q) {
          out[p * size_ + q] += simd::active_loops<double>().weigh(
              a.data + p * rows_at_once, b.data + q * rows_at_once, n);
        }
      }
    }
  }
}

template <class T>
GramSum<T>& GramSum<T>::operator+=(const GramSum& other) {
  for (int64_t row = 0; row < size_; ++row) {
    double* own = matrix_.data() + row * size_;
    const double* added = other.matrix_.data() + row * size_;
    for (int64_t column = 0; column <= row; ++column) own[column] += added[column];
  }
  return *this;
}

template class GramSum<float>;
template class GramSum<double>;

}  // namespace maxmargin::linear
