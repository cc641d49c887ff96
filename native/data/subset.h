// Some rows of a matrix with contiguous entries: copies of any rows, or a few neighbours at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "matrix.h"

namespace maxmargin::data {

// Copies the dense rows row_at(0) ... row_at(n - 1) one after the other, from any layout.
template <class T, class RowAt>
void copy_dense_rows(const Matrix<T>& data, int64_t n, const RowAt& row_at, T* to) {
  const int64_t d = data.n_columns;
  for (int64_t begin = 0; begin < n; begin += window_rows) {
    const int64_t end = std::min(begin + window_rows, n);
    if (data.column_stride == 1) {
      for (int64_t k = begin; k < end; ++k) std::copy_n(data.row(row_at(k)).values, d, to + k * d);
      continue;
    }
    for (int64_t c = 0; c < d; ++c) {
      const T* column = data.values + c * data.column_stride;
      for (int64_t k = begin; k < end; ++k) to[k * d + c] = column[row_at(k) * data.row_stride];
    }
  }
}

// A copy of the rows of one call at a time; it keeps its memory for the next.
template <class T>
class RowSubset {
 public:
  RowSubset() = default;
  RowSubset(const RowSubset&) = delete;
  RowSubset& operator=(const RowSubset&) = delete;

  void assign(const Matrix<T>& data, std::span<const int64_t> rows) {
    const auto n = static_cast<int64_t>(rows.size());
    if (data.is_sparse()) {
      copy_sparse(data, rows);
    } else {
      values_.resize(n * data.n_columns);
      copy_dense_rows(data, n, [&](int64_t k) { return rows[k]; }, values_.data());
    }
    view_ = {n, data.n_columns, values_.data(), data.n_columns, 1};
    if (data.is_sparse()) view_.starts = starts_.data(), view_.columns = columns_.data();
  }

  const Matrix<T>& view() const { return view_; }

 private:
  void copy_sparse(const Matrix<T>& data, std::span<const int64_t> rows) {
    starts_.assign(1, 0);
    for (const int64_t r : rows) starts_.push_back(starts_.back() + data.row(r).n_entries);
    values_.resize(starts_.back());
    columns_.resize(starts_.back());
    for (size_t k = 0; k < rows.size(); ++k) {
      const auto [values, columns, n] = data.row(rows[k]);
      std::copy_n(values, n, values_.data() + starts_[k]);
      std::copy_n(columns, n, columns_.data() + starts_[k]);
    }
  }

  Matrix<T> view_{};
  std::vector<T> values_;
  std::vector<int64_t> starts_;
  std::vector<int32_t> columns_;
};

// Calls act(window, first, last) for the rows [begin, end), a few at a time; row r is row r - first
// of its window.
template <class T, class Pacer, class Act>
void for_each_window(const Matrix<T>& data, int64_t begin, int64_t end, Pacer& pacer,
                     const Act& act) {
  Matrix<T> window = data;
  std::vector<T> copy;
  for (int64_t first = begin; first < end; first += window_rows) {
    pacer.checkpoint();
    const int64_t last = std::min(first + window_rows, end);
    window.n_rows = last - first;
    if (data.is_sparse()) {
      window.starts = data.starts + first;
    } else if (data.has_contiguous_rows()) {
      window.values = data.row(first).values;
    } else {
      copy.resize(window.n_rows * data.n_columns);
      copy_dense_rows(data, window.n_rows, [&](int64_t k) { return first + k; }, copy.data());
      window.values = copy.data();
      window.row_stride = data.n_columns;
      window.column_stride = 1;
    }
    act(window, first, last);
  }
}

}  // namespace maxmargin::data
