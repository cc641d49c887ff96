// The points of a linear machine: rows in any dense layout or in CSR, as the caller keeps them.
#pragma once

#include <cstdint>

#include "../simd/dispatch.h"

namespace maxmargin::data {

// Rows that a pass takes at a time, few enough to stay in the cache.
constexpr int64_t window_rows = 128;

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

  // All that follows needs contiguous rows.
  struct Row {
    const T* values;
    const int32_t* columns;  // null in a dense row
    int64_t n_entries;
  };
  Row row(int64_t r) const {
    if (!is_sparse()) return {values + r * row_stride, nullptr, n_columns};
    return {values + starts[r], columns + starts[r], starts[r + 1] - starts[r]};
  }

  // Calls visit(column, value) for the stored entries.
  template <class Visit>
  void for_each_entry(int64_t r, const Visit& visit) const {
    const Row own = row(r);
    if (is_sparse()) {
      for (int64_t e = 0; e < own.n_entries; ++e) {
        visit(own.columns[e], static_cast<double>(own.values[e]));
      }
    } else {
      for (int64_t c = 0; c < n_columns; ++c) visit(c, static_cast<double>(own.values[c]));
    }
  }

  // A row of at most this many entries is not worth the call of a vectorised loop.
  static constexpr int64_t short_row = 24;

  double dot(int64_t r, const double* w) const {
    if (!is_sparse()) return simd::active_loops<T>().weigh(values + r * row_stride, w, n_columns);
    const T* own = values + starts[r];
    const int32_t* at = columns + starts[r];
    const int64_t n = starts[r + 1] - starts[r];
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
  void add(int64_t r, double scale, double* w) const {
    if (!is_sparse()) {
      const T* own = values + r * row_stride;
      simd::active_loops<T>().add_weighted(&own, &scale, 1, 0, n_columns, w);
      return;
    }
    const int64_t begin = starts[r];
    simd::active_loops<T>().add_entries(values + begin, columns + begin, starts[r + 1] - begin,
                                        scale, w);
  }

  // w += scales[0] times the first row + scales[1] times the second ..., at most `window_rows` rows
  void add_all(const double* scales, double* w) const {
    const T* rows[window_rows];
    double used[window_rows];
    int64_t n_used = 0;
    for (int64_t r = 0; r < n_rows; ++r) {
      if (scales[r] == 0) continue;
      if (is_sparse()) {
        add(r, scales[r], w);
      } else {
        rows[n_used] = row(r).values;
        used[n_used++] = scales[r];
      }
    }
    simd::active_loops<T>().add_weighted(rows, used, n_used, 0, n_columns, w);
  }

  void prefetch(int64_t r) const {
    const T* own = is_sparse() ? values + starts[r] : values + r * row_stride;
    const char* entries = reinterpret_cast<const char*>(own);
    __builtin_prefetch(entries);
    __builtin_prefetch(entries + 64);
    __builtin_prefetch(entries + 128);
    if (!is_sparse()) return;
    __builtin_prefetch(columns + starts[r]);
    __builtin_prefetch(columns + starts[r] + 16);
  }

  double squared_norm(int64_t r) const {
    const auto [own, at, n] = row(r);
    double sums[4] = {};
    int64_t k = 0;
    for (; k + 4 <= n; k += 4) {
      for (int l = 0; l < 4; ++l) {
        const auto value = static_cast<double>(own[k + l]);
        sums[l] += value * value;
      }
    }
    for (; k < n; ++k) sums[0] += static_cast<double>(own[k]) * static_cast<double>(own[k]);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
};

}  // namespace maxmargin::data
