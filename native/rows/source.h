// Where Gram rows come from: a kernel on vectors, a matrix that is there already, or a caller.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "../kernels/block.h"

namespace maxmargin::rows {

using kernels::Execution;

// Room past the last column of a row that a source may overwrite.
template <class T>
inline constexpr int64_t overrun = simd::panel_width<T>;

// What becomes of a kernel's values: a factor before them, and a constant for a regularised bias.
template <class T>
struct Affine {
  T factor = 1, constant = 0;

  bool is_identity() const { return factor == 1 && constant == 0; }
  T operator()(T value) const { return factor * value + constant; }

  void apply(T* values, int64_t n) const {
    if (is_identity()) return;
    for (int64_t k = 0; k < n; ++k) values[k] = (*this)(values[k]);
  }
};

template <class T>
class RowSource {
 public:
  // What a source has made ready to fill the rows of some points.
  struct Batch {
    virtual ~Batch() = default;
  };

  virtual ~RowSource() = default;
  virtual int64_t n_points() const = 0;

  // Called by one thread, before any number of threads fill.
  virtual std::unique_ptr<Batch> prepare(std::span<const int64_t> points,
                                         const Execution& execution) const = 0;

  // out[r][c - begin] = k(r-th point of the batch, c) for columns [begin, end) of one segment;
  // `begin` lies a multiple of `overrun` behind the segment's start.
  virtual void fill(const Batch& batch, int64_t begin, int64_t end, T* const* out,
                    threads::Worker& worker) const = 0;

  // out[i][j] = k(a_i, b_j); with `overrun` columns of room behind each row.
  virtual void fill_cross(std::span<const int64_t> a, std::span<const int64_t> b, T* const* out,
                          const Execution& execution) const = 0;

  // How often a row is computed before keeping it pays: to touch fresh memory takes as long as to
  // compute a cheap row a few times. `is_free` rows are sure to be wanted again.
  virtual int times_before_keeping(bool is_free) const { return is_free ? 0 : 1; }

  // Whether an entry is computed sooner than it is found in a kept row, far from the one before.
  virtual bool has_cheap_entries() const { return false; }

  // The whole row of a point, where it lies in memory already.
  virtual const T* resident(int64_t) const { return nullptr; }
};

}  // namespace maxmargin::rows
