// Points laid out for products with each other: wide panels of a few points side by side.
//
// The panels serve as the columns of a block; its rows are points taken out of their panels, or
// their entries where most features are zero. Panels start afresh at each segment of the points.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../simd/dispatch.h"
#include "../threads/pool.h"
#include "memory.h"
#include "rows.h"

namespace maxmargin::kernels {

// Whether so few features are non-zero that entries are faster than dense products.
template <class S>
bool is_mostly_zero(const Rows<S>& rows);

// A few points as the columns of a block.
template <class T>
struct PackedColumns {
  Memory<T> panels;
  std::vector<T> norms;  // squared
  int64_t count;
};

// A few points as the rows of a block.
template <class T>
struct PackedRows {
  int64_t count = 0;
  bool by_entries = false;
  std::vector<T> values;            // dense: count x n_features
  std::vector<int64_t> bounds;      // entries: where slice s of row r begins, at [s * count + r]
  const int32_t* columns = nullptr;  // of the entries
  const T* entries = nullptr;
  std::vector<T> norms;             // squared
};

template <class T>
class Points {
 public:
  static constexpr int64_t width = simd::panel_width<T>;

  // `centred` moves dense points to their mean, which leaves distances alone.
  template <class S>
  Points(const Rows<S>& rows, std::span<const int64_t> boundaries, bool centred,
         int n_threads);

  // The memory that panels of this data would take.
  static double panel_bytes(int64_t n_points, int64_t n_features) {
    return static_cast<double>(n_points) * static_cast<double>(n_features) * sizeof(T);
  }

  int64_t n_points() const { return n_points_; }
  // How many products a dot product takes, on average.
  double terms_a_product() const {
    return has_entries() ? static_cast<double>(entry_values_.size()) / static_cast<double>(n_points_)
                         : static_cast<double>(n_features_);
  }
  double largest_norm() const { return largest_norm_; }
  double typical_norm() const { return typical_norm_; }
  const T* norms(int64_t point) const { return norms_.data() + point; }

  // Up to `count` points with the largest norms.
  std::vector<int64_t> farthest(int64_t count) const;

  PackedRows<T> pack_rows(std::span<const int64_t> points) const;
  // The same for rows [begin, end) of other data with as many features; they must outlive it.
  PackedRows<T> pack_rows(const Rows<T>& rows, int64_t begin, int64_t end) const;
  PackedColumns<T> pack_columns(std::span<const int64_t> points) const;

  // out[r][offset + l]: dot products of the rows with the points [begin, end) of one segment.
  void multiply(const PackedRows<T>& rows, int64_t begin, int64_t end, T* const* out) const;
  // The same for the rows from `first_row` on, with one panel of packed columns.
  void multiply(const PackedRows<T>& rows, const PackedColumns<T>& columns, int64_t panel,
                int64_t first_row, T* const* out) const;

 private:
  // Features whose part of a panel stays in the second-level cache; smaller parts would leave too
  // few entries of a row to each.
  static constexpr int64_t slice_features = 81920 / (width * sizeof(T));

  int64_t panel_of(int64_t point) const { return place_[point] / width; }
  const T* panel(int64_t index) const { return panels_.get() + index * width * n_features_; }
  template <class S>
  void take_entries(const Rows<S>& rows, int n_threads);
  bool has_entries() const { return !entry_starts_.empty(); }
  void find_slices(const int32_t* columns, int64_t begin, int64_t end, int64_t row,
                   PackedRows<T>& packed) const;
  int64_t n_slices() const { return (n_features_ + slice_features - 1) / slice_features; }
  void multiply_panel(const PackedRows<T>& rows, int64_t first_row, const T* panel, T* const* out,
                      int64_t offset) const;

  int64_t n_points_, n_features_;
  std::vector<int64_t> place_;  // panel * width + lane of each point
  Memory<T> panels_;
  std::vector<T> norms_;
  std::vector<double> centre_;  // zero where the points were not moved
  double largest_norm_ = 0, typical_norm_ = 0;
  std::vector<int64_t> entry_starts_;
  std::vector<int32_t> entry_columns_;
  std::vector<T> entry_values_;
};

}  // namespace maxmargin::kernels
