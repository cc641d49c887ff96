// How tiles become a symmetric block: each unordered pair of rows is computed once and stored twice.
#pragma once

#include <cstdint>

namespace maxmargin::kernels {

enum class Symmetry { none, mirrored };

// Where tile values go: value (i, j) of the block lies at out[i * stride + j].
template <class T>
struct Target {
  T* out;
  int64_t stride;

  T& at(int64_t i, int64_t j) const { return out[i * stride + j]; }

  // Copies the tile's values below the diagonal to their mirror images.
  void mirror(int64_t row_begin, int64_t row_end, int64_t column_begin, int64_t column_end) const {
    for (int64_t i = row_begin; i < row_end; ++i) {
      for (int64_t j = column_begin; j < column_end && j < i; ++j) at(j, i) = at(i, j);
    }
  }

  void set_diagonal(int64_t n, T value) const {
    for (int64_t i = 0; i < n; ++i) at(i, i) = value;
  }
};

}  // namespace maxmargin::kernels
