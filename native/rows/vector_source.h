// Rows of a kernel that is a function of dot products, and of any other kernel on vectors.
#pragma once

#include "../kernels/kernel.h"
#include "../kernels/points.h"
#include "source.h"

namespace maxmargin::rows {

// Linear, polynomial, tanh and Gaussian kernels by products of panels.
template <class T>
class ProductSource final : public RowSource<T> {
 public:
  using typename RowSource<T>::Batch;

  ProductSource(kernels::Points<T> points, const kernels::Kernel<T>& kernel, Affine<T> affine)
      : points_(std::move(points)), kernel_(kernel), affine_(affine) {}

  int64_t n_points() const override { return points_.n_points(); }
  int times_before_keeping(bool is_free) const override {
    const double terms = points_.terms_a_product();
    return terms > 100 ? (is_free ? 0 : 1) : terms > cheap_terms ? 1 : 2;
  }
  bool has_cheap_entries() const override { return points_.terms_a_product() <= cheap_terms; }
  std::unique_ptr<Batch> prepare(std::span<const int64_t> points,
                                 const Execution& execution) const override;
  void fill(const Batch& batch, int64_t begin, int64_t end, T* const* out,
            threads::Worker& worker) const override;
  void fill_cross(std::span<const int64_t> a, std::span<const int64_t> b, T* const* out,
                  const Execution& execution) const override;

 private:
  struct Content {
    kernels::PackedRows<T> rows;
    std::vector<int64_t> points;
  };
  struct Prepared final : Batch {
    Content content;
  };

  // Up to so many terms of a dot product, what comes from memory comes later than what is computed.
  static constexpr double cheap_terms = 20;

  // Turns dot products of one row with n points into kernel values.
  void map(T* values, int64_t n, T row_norm, const T* norms) const;
  // Corrects the kernel value of a point with itself.
  void correct_own(T& value) const;

  kernels::Points<T> points_;
  kernels::Kernel<T> kernel_;
  Affine<T> affine_;
};

// Every kernel on vectors, by blocks; for the forms and the data that panels do not suit.
template <class T>
class BlockSource final : public RowSource<T> {
 public:
  using typename RowSource<T>::Batch;

  BlockSource(const kernels::Rows<T>& rows, const kernels::Kernel<T>& kernel, Affine<T> affine)
      : rows_(rows), kernel_(kernel), affine_(affine) {}

  int64_t n_points() const override { return rows_.n_rows; }
  std::unique_ptr<Batch> prepare(std::span<const int64_t> points,
                                 const Execution& execution) const override;
  void fill(const Batch& batch, int64_t begin, int64_t end, T* const* out,
            threads::Worker& worker) const override;
  void fill_cross(std::span<const int64_t> a, std::span<const int64_t> b, T* const* out,
                  const Execution& execution) const override;

 private:
  // Copies of some rows, and the view of them that a block is computed from.
  struct Copied {
    std::vector<T> values;
    std::vector<int64_t> starts;
    std::vector<int32_t> columns;
    kernels::Rows<T> view{};
  };
  struct Prepared final : Batch {
    Copied rows;
  };

  Copied copy(std::span<const int64_t> points) const;

  kernels::Rows<T> rows_;
  kernels::Kernel<T> kernel_;
  Affine<T> affine_;
};

}  // namespace maxmargin::rows
