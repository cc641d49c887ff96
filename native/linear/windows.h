// Rows a few at a time, with contiguous entries whatever the layout.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../threads/pool.h"
#include "matrix.h"

namespace maxmargin::linear {

constexpr int64_t window_rows = Matrix<double>::rows_at_once;

// Calls act(window, first, last) for the rows [begin, end).
template <class T, class Act>
void for_each_window(const Matrix<T>& data, int64_t begin, int64_t end, threads::Worker& worker,
                     const Act& act) {
  RowWindow<T> window(data);
  for (int64_t first = begin; first < end; first += window_rows) {
    worker.checkpoint();
    const int64_t last = std::min(first + window_rows, end);
    act(window.at(first, last), first, last);
  }
}

}  // namespace maxmargin::linear
