// The data of a linear machine: rows in any dense layout or in CSR, as the caller keeps them.
#pragma once

#include <cstdint>
#include <vector>

#include "../simd/dispatch.h"

namespace maxmargin::linear {

template <class T>
struct Matrix {
  int64_t n_rows, n_columns;
  const T* values;
  int64_t row_stride, column_stride;  // dense only
  const int64_t* starts = nullptr;    // CSR only: n_rows + 1 positions in `values`
  const int32_t* columns = nullptr;   // CSR only

  bool is_sparse() const { return starts != nullptr; }
  bool has_contiguous_rows() const { return is_sparse() || column_stride == 1; }
  double n_entries() const {
    if (is_sparse()) return static_cast<double>(starts[n_rows] - starts[0]);
    return static_cast<double>(n_rows) * static_cast<double>(n_columns);
  }

  // So few entries are not worth a call.
  static constexpr int64_t short_row = 24;

  double dot(int64_t row, const double* w) const {
    if (!is_sparse()) return simd::active_loops<T>().weigh(dense(row), w, n_columns);
    const T* own = values + starts[row];
    const int32_t* at = columns + starts[row];
    const int64_t n = starts[row + 1] - starts[row];
    if (n > short_row) return simd::active_loops<T>().weigh_entries(own, at, n, w);
    double even = 0, odd = 0;
    int64_t e = 0;
    for (; e + 2 <= n; e += 2) {
      even += static_cast<double>(own[e]) * w[at[e]];
      odd += static_cast<double>(own[e + 1]) * w[at[e + 1]];
    }
    return e < n ? even + odd + static_cast<double>(own[e]) * w[at[e]] : even + odd;
  }

  // w += scale times the row
  void add(int64_t row, double scale, double* w) const {
    if (!is_sparse()) {
      const T* own = dense(row);
      simd::active_loops<T>().add_weighted(&own, &scale, 1, 0, n_columns, w);
      return;
    }
    const int64_t begin = starts[row];
    simd::active_loops<T>().add_entries(values + begin, columns + begin, starts[row + 1] - begin,
                                        scale, w);
  }

  // w += scales[0] times the first row + scales[1] times the second ..., few rows at once
  static constexpr int64_t rows_at_once = 128;
  void add_all(const double* scales, double* w) const {
    const T* rows[rows_at_once];
    double used[rows_at_once];
    int64_t n_used = 0;
    for (int64_t row = 0; row < n_rows; ++row) {
      if (scales[row] == 0) continue;
      if (is_sparse()) {
        add(row, scales[row], w);
      } else {
        rows[n_used] = dense(row);
        used[n_used++] = scales[row];
      }
    }
    simd::active_loops<T>().add_weighted(rows, used, n_used, 0, n_columns, w);
  }

  void prefetch(int64_t row) const {
    const char* entries =
        reinterpret_cast<const char*>(is_sparse() ? values + starts[row] : dense(row));
    __builtin_prefetch(entries);
    __builtin_prefetch(entries + 64);
    __builtin_prefetch(entries + 128);
    if (is_sparse()) {
      __builtin_prefetch(columns + starts[row]);
      __builtin_prefetch(columns + starts[row] + 16);
    }
  }

  // sums += the squares of the row's entries
  void add_squares(int64_t row, double* sums) const {
    for_each(row, [&](int64_t c, double value) { sums[c] += value * value; });
  }

  // The sum of the squares of the row's entries, each with its column's weight.
  double weighted_square(int64_t row, const double* weights) const {
    double total = 0;
    for_each(row, [&](int64_t c, double value) { total += weights[c] * value * value; });
    return total;
  }

  double squared_norm(int64_t row) const {
    double norm = 0;
    const int64_t n = is_sparse() ? starts[row + 1] - starts[row] : n_columns;
    const T* own = is_sparse() ? values + starts[row] : dense(row);
    for (int64_t k = 0; k < n; ++k) norm += static_cast<double>(own[k]) * static_cast<double>(own[k]);
    return norm;
  }

 private:
  template <class Visit>
  void for_each(int64_t row, const Visit& visit) const {
    if (is_sparse()) {
      for (int64_t e = starts[row]; e < starts[row + 1]; ++e) {
        visit(columns[e], static_cast<double>(values[e]));
      }
    } else {
      const T* own = dense(row);
      for (int64_t c = 0; c < n_columns; ++c) visit(c, static_cast<double>(own[c]));
    }
  }

  const T* dense(int64_t row) const { return values + row * row_stride; }
};

// Some rows with contiguous entries: those of the matrix itself, or copies of them.
template <class T>
class RowWindow {
 public:
  explicit RowWindow(const Matrix<T>& matrix) : matrix_(matrix), view_(matrix) {}

  // A matrix whose rows 0, 1, ... are the rows from `begin` on; valid until the next call.
  const Matrix<T>& at(int64_t begin, int64_t end) {
    view_.n_rows = end - begin;
    if (matrix_.is_sparse()) {
      view_.starts = matrix_.starts + begin;
    } else if (matrix_.column_stride == 1) {
      view_.values = matrix_.values + begin * matrix_.row_stride;
    } else {
      copy_.resize((end - begin) * matrix_.n_columns);
      for (int64_t c = 0; c < matrix_.n_columns; ++c) {
        const T* column = matrix_.values + c * matrix_.column_stride + begin * matrix_.row_stride;
        for (int64_t r = 0; r < end - begin; ++r) {
          copy_[r * matrix_.n_columns + c] = column[r * matrix_.row_stride];
        }
      }
      view_.values = copy_.data();
      view_.row_stride = matrix_.n_columns;
      view_.column_stride = 1;
    }
    return view_;
  }

 private:
  const Matrix<T>& matrix_;
  Matrix<T> view_;
  std::vector<T> copy_;
};

}  // namespace maxmargin::linear
