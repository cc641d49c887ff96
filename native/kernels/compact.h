// A panel's rows in the columns that they hold, side by side without the columns between them.
//
// Sparse rows can then meet the panel by differences, term by term, at a cost that grows with what
// the panel's rows store and not with the number of columns.
#pragma once

#include <algorithm>
#include <vector>

#include "../simd/loops.h"
#include "rows.h"

namespace maxmargin::kernels {

template <class T>
class CompactPanel {
 public:
  static constexpr int64_t width = simd::lanes<T>;

  // Takes the columns where source rows [first, first + count) are not all zero; `panel` has those
  // rows laid out over all columns.
  void take(const T* panel, const Rows<T>& source, int64_t first, int64_t count) {
    scratch_.resize(source.n_columns);
    find_columns(source, first, count);
    values_.resize(depth() * width);
    for (int64_t k = 0; k < depth(); ++k) {
      std::copy_n(panel + columns_[k] * width, width, values_.data() + k * width);
    }
  }

  int64_t depth() const { return static_cast<int64_t>(columns_.size()); }
  const T* values() const { return values_.data(); }  // depth() x width

  // Writes a row's values in the panel's columns to `within`; `visit_elsewhere` gets the others.
  template <class Visit>
  void split(const Rows<T>& rows, int64_t row, T* within, Visit&& visit_elsewhere) {
    rows.for_each_entry(row, [&](int64_t c, T value) { scratch_[c] = value; });
    for (int64_t k = 0; k < depth(); ++k) {
      within[k] = scratch_[columns_[k]];
      scratch_[columns_[k]] = 0;
    }
    rows.for_each_entry(row, [&](int64_t c, T) {
      if (scratch_[c] != 0) visit_elsewhere(scratch_[c]);
      scratch_[c] = 0;
    });
  }

 private:
  void find_columns(const Rows<T>& source, int64_t first, int64_t count) {
    columns_.clear();
    for (int64_t row = first; row < first + count; ++row) {
      source.for_each_entry(row, [&](int64_t c, T value) {
        if (value == 0 || scratch_[c] != 0) return;
        scratch_[c] = 1;
        columns_.push_back(c);
      });
    }
    for (const int64_t c : columns_) scratch_[c] = 0;
    std::sort(columns_.begin(), columns_.end());
  }

  std::vector<int64_t> columns_;
  std::vector<T> values_;
  std::vector<T> scratch_;  // one row over all columns, all zero between calls
};

}  // namespace maxmargin::kernels
