// Rows of a Gram matrix that the caller holds.
#pragma once

#include <algorithm>
#include <vector>

#include "source.h"

namespace maxmargin::rows {

// S is the type the caller's matrix has; a matrix of the engine's own type is read in place.
template <class T, class S>
class MatrixSource final : public RowSource<T> {
 public:
  using typename RowSource<T>::Batch;

  MatrixSource(const S* values, int64_t n_points, int64_t stride, Affine<T> affine)
      : values_(values), n_points_(n_points), stride_(stride), affine_(affine) {}

  int64_t n_points() const override { return n_points_; }

  std::unique_ptr<Batch> prepare(std::span<const int64_t> points, const Execution&) const override {
    auto prepared = std::make_unique<Prepared>();
    prepared->points.assign(points.begin(), points.end());
    return prepared;
  }

  void fill(const Batch& batch, int64_t begin, int64_t end, T* const* out,
            threads::Worker&) const override {
    const auto& points = static_cast<const Prepared&>(batch).points;
    for (size_t r = 0; r < points.size(); ++r) {
      for (int64_t c = begin; c < end; ++c) out[r][c - begin] = at(points[r], c);
    }
  }

  void fill_cross(std::span<const int64_t> a, std::span<const int64_t> b, T* const* out,
                  const Execution&) const override {
    for (size_t i = 0; i < a.size(); ++i) {
      for (size_t j = 0; j < b.size(); ++j) out[i][j] = at(a[i], b[j]);
    }
  }

  const T* resident(int64_t point) const override {
    if constexpr (std::is_same_v<T, S>) {
      if (affine_.is_identity()) return values_ + point * stride_;
    }
    return nullptr;
  }

 private:
  struct Prepared final : Batch {
    std::vector<int64_t> points;
  };

  T at(int64_t i, int64_t j) const { return affine_(static_cast<T>(values_[i * stride_ + j])); }

  const S* values_;
  int64_t n_points_, stride_;
  Affine<T> affine_;
};

}  // namespace maxmargin::rows
