// Blocks by panels: a few rows of one side laid out side by side meet the entries of the other.
//
// The cost is the number of stored entries of the other side for each panel, so sparse rows cost
// what they hold. Sparse rows change a distance from zero, which the panel's rows bring along, and
// that loses digits when the panel's rows are long; such panels meet them by differences instead.
// Every value depends on its own two rows only, up to the rounding of that choice.
#pragma once

#include <cstdlib>
#include <memory>
#include <vector>

#include "../simd/dispatch.h"
#include "block.h"
#include "compact.h"
#include "symmetry.h"

namespace maxmargin::kernels {

// A worker's memory, made once per block.
template <class T>
class Panel {
 public:
  static constexpr int64_t width = simd::lanes<T>;

  Panel(const simd::Loops<T>& loops, const Kernel<T>& kernel, const Rows<T>& source);

  // Lays out the source's rows [first, first + count) unless they are there already.
  void load(int64_t first, int64_t count);

  // The kernel values of rows [begin, end) against the loaded rows; at most rows_at_once(rows) of
  // them. The result has `width` values a row and is valid until the next call.
  const T* against(const Rows<T>& rows, int64_t begin, int64_t end);

  // Few enough that a call takes milliseconds, for the sake of checkpoints.
  static int64_t rows_at_once(const Rows<T>& rows);

 private:
  void clear();
  bool changes_from_zero_are_accurate() const;
  void sum_dense(const Rows<T>& rows, int64_t begin, int64_t end);
  void sum_changes_from_zero(const Rows<T>& rows, int64_t begin, int64_t end);
  void sum_differences(const Rows<T>& rows, int64_t begin, int64_t end);
  void add_terms(const T* panel, int64_t depth, const T* rows, int64_t n_rows, T* tile) const;

  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };

  const simd::Loops<T>& loops_;
  const Kernel<T>& kernel_;
  const Rows<T>& source_;
  int64_t first_ = 0;
  int64_t count_ = 0;
  std::unique_ptr<T[], Free> panel_;  // n_columns x width
  std::vector<uint64_t> present_;     // a bit for each column; empty for a narrow panel
  T offsets_[width] = {};             // the loaded rows' distances from zero
  double largest_offset_ = 0;
  bool is_compacted_ = false;         // whether `compact_` holds the loaded rows
  CompactPanel<T> compact_;
  std::vector<T> compact_rows_;
  std::vector<T> tile_;
};

template <class T>
void fill_by_panels(const Kernel<T>& kernel, const Rows<T>& a, const Rows<T>& b, Symmetry symmetry,
                    T* out, const Execution& execution);

}  // namespace maxmargin::kernels
