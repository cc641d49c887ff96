// The rows of a data matrix, dense or CSR, as a view on memory that the caller keeps.
#pragma once

#include <cstdint>

namespace maxmargin::kernels {

template <class T>
struct Rows {
  int64_t n_rows;
  int64_t n_columns;
  const T* values;                    // dense: row-major; CSR: the stored entries
  const int64_t* starts = nullptr;    // CSR only: n_rows + 1 positions in `values`
  const int32_t* columns = nullptr;   // CSR only

  bool is_sparse() const { return starts != nullptr; }
  int64_t n_entries() const { return is_sparse() ? starts[n_rows] - starts[0] : n_rows * n_columns; }
  const T* dense_row(int64_t row) const { return values + row * n_columns; }

  template <class Visit>
  void for_each_entry(int64_t row, Visit&& visit) const {
    if (is_sparse()) {
      for (int64_t e = starts[row]; e < starts[row + 1]; ++e) visit(columns[e], values[e]);
    } else {
      for (int64_t c = 0; c < n_columns; ++c) visit(c, dense_row(row)[c]);
    }
  }
};

// Whether every position of a CSR matrix lies inside its arrays and its columns.
bool is_well_formed(const int64_t* starts, int64_t n_rows, const int32_t* columns,
                    int64_t n_entries, int64_t n_columns);

}  // namespace maxmargin::kernels
