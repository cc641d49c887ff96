#include "gram.h"

#include <algorithm>
#include <cmath>

#include "../blas/gemm.h"

namespace maxmargin::linear {
namespace {

using data::window_rows;

// Features per matrix product: most of what lies above the diagonal is left out.
constexpr int64_t tile = 96;

}  // namespace

template <class T>
void GramSum<T>::add(const Matrix<T>& rows, const double* weights) {
  if (!rows.is_sparse()) return add_dense(rows, weights);
  for (int64_t r = 0; r < rows.n_rows; ++r) {
    if (weights[r] == 0) continue;
    const auto row = rows.row(r);
    add_products<T>(row, 0, row.n_entries, weights[r], constant_, size_, matrix_.data());
    matrix_.back() += constant_ * weights[r];
  }
}

template <class T>
void GramSum<T>::add_dense(const Matrix<T>& rows, const double* weights) {
  const int64_t n = rows.n_rows, d = size_ - 1;
  scaled_.resize(size_ * window_rows);
  for (int64_t r = 0; r < n; ++r) {
    const double root = std::sqrt(weights[r]);
    const T* own = rows.row(r).values;
    for (int64_t c = 0; c < d; ++c) scaled_[c * window_rows + r] = root * static_cast<double>(own[c]);
    scaled_[d * window_rows + r] = root * constant_;
  }
  const auto gemm = blas::connected<double>();
  for (int64_t i = 0; i < size_; i += tile) {
    const blas::RowBlock<double> a{scaled_.data() + i * window_rows, std::min(tile, size_ - i),
                                   window_rows};
    for (int64_t j = 0; j <= i; j += tile) {
      const blas::RowBlock<double> b{scaled_.data() + j * window_rows, std::min(tile, size_ - j),
                                     window_rows};
      double* out = matrix_.data() + i * size_ + j;
      if (gemm != nullptr) {
        blas::multiply(gemm, a, b, n, true, out, size_);
        continue;
      }
      for (int64_t p = 0; p < a.n_rows; ++p) {
        for (int64_t q = 0; q < b.n_rows; ++q) {
          out[p * size_ + q] += simd::active_loops<double>().weigh(
              a.data + p * window_rows, b.data + q * window_rows, n);
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
