#include "vector_source.h"

#include <algorithm>
#include <numeric>

namespace maxmargin::rows {

template <class T>
auto ProductSource<T>::prepare(std::span<const int64_t> points, const Execution&) const
    -> std::unique_ptr<Batch> {
  auto prepared = std::make_unique<Prepared>();
  prepared->content.rows = points_.pack_rows(points);
  prepared->content.points.assign(points.begin(), points.end());
  return prepared;
}

template <class T>
void ProductSource<T>::map(T* values, int64_t n, T row_norm, const T* norms) const {
  const auto& loops = simd::active_loops<T>();
  if (kernel_.form == kernels::Form::gaussian) {
    loops.gaussian(values, n, row_norm, norms, kernel_.gamma);
  } else {
    kernel_.apply(loops, values, n);
  }
  affine_.apply(values, n);
}

// Rounding makes a point's distance from itself a small positive number, always to one side.
template <class T>
void ProductSource<T>::correct_own(T& value) const {
  if (kernel_.form == kernels::Form::gaussian) value = affine_(1);
}

template <class T>
void ProductSource<T>::fill(const Batch& batch, int64_t begin, int64_t end, T* const* out,
                            threads::Worker&) const {
  const auto& [rows, points] = static_cast<const Prepared&>(batch).content;
  points_.multiply(rows, begin, end, out);
  for (int64_t r = 0; r < rows.count; ++r) {
    map(out[r], end - begin, rows.norms[r], points_.norms(begin));
    if (points[r] >= begin && points[r] < end) correct_own(out[r][points[r] - begin]);
  }
}

// Of a symmetric block, panels are computed from the diagonal down, and the rest copied.
template <class T>
void ProductSource<T>::fill_cross(std::span<const int64_t> a, std::span<const int64_t> b,
                                  T* const* out, const Execution& execution) const {
  const bool is_symmetric = std::ranges::equal(a, b);
  const kernels::PackedRows<T> rows = points_.pack_rows(a);
  const kernels::PackedColumns<T> columns = points_.pack_columns(b);
  std::vector<int64_t> by_point(rows.count);
  std::iota(by_point.begin(), by_point.end(), 0);
  const auto point_of = [&](int64_t r) { return a[r]; };
  std::ranges::sort(by_point, {}, point_of);

  constexpr int64_t width = kernels::Points<T>::width;
  const int64_t n_panels = (columns.count + width - 1) / width;
  const auto fill_panel = [&](int64_t panel, threads::Worker&) {
    const int64_t begin = panel * width, n = std::min(width, columns.count - begin);
    const int64_t first = is_symmetric ? begin : 0;
    points_.multiply(rows, columns, panel, first, out);
    for (int64_t r = first; r < rows.count; ++r) {
      map(out[r] + begin, n, rows.norms[r], columns.norms.data() + begin);
    }
    for (int64_t c = begin; c < begin + n; ++c) {
      for (const int64_t r : std::ranges::equal_range(by_point, b[c], {}, point_of)) {
        if (r >= first) correct_own(out[r][c]);
      }
    }
  };
  threads::parallel_for(n_panels, execution.n_threads, fill_panel, execution.should_stop);
  if (!is_symmetric) return;
  const auto copy_panel = [&](int64_t panel, threads::Worker&) {
    const int64_t begin = panel * width, end = std::min(begin + width, columns.count);
    for (int64_t r = 0; r < begin; ++r) {
      for (int64_t c = begin; c < end; ++c) out[r][c] = out[c][r];
    }
  };
  threads::parallel_for(n_panels, execution.n_threads, copy_panel, execution.should_stop);
}

template <class T>
auto BlockSource<T>::copy(std::span<const int64_t> points) const -> Copied {
  Copied copied;
  const auto count = static_cast<int64_t>(points.size());
  if (rows_.is_sparse()) copied.starts.push_back(0);
  for (const int64_t point : points) {
    rows_.for_each_entry(point, [&](int64_t c, T value) {
      copied.values.push_back(value);
      if (rows_.is_sparse()) copied.columns.push_back(static_cast<int32_t>(c));
    });
    if (rows_.is_sparse()) copied.starts.push_back(static_cast<int64_t>(copied.values.size()));
  }
  copied.view = {count, rows_.n_columns, copied.values.data()};
  if (rows_.is_sparse()) {
    copied.view.starts = copied.starts.data();
    copied.view.columns = copied.columns.data();
  }
  return copied;
}

template <class T>
auto BlockSource<T>::prepare(std::span<const int64_t> points, const Execution&) const
    -> std::unique_ptr<Batch> {
  auto prepared = std::make_unique<Prepared>();
  prepared->rows = copy(points);
  return prepared;
}

template <class T>
void BlockSource<T>::fill(const Batch& batch, int64_t begin, int64_t end, T* const* out,
                          threads::Worker& worker) const {
  const kernels::Rows<T>& rows = static_cast<const Prepared&>(batch).rows.view;
  kernels::Rows<T> columns = rows_;
  columns.n_rows = end - begin;
  if (columns.is_sparse()) {
    columns.starts += begin;
  } else {
    columns.values += begin * columns.n_columns;
  }
  const int64_t n = end - begin;
  std::vector<T> values(rows.n_rows * n);
  worker.checkpoint();
  kernels::fill_block(kernel_, rows, columns, values.data(), Execution{1, {}});
  for (int64_t r = 0; r < rows.n_rows; ++r) {
    for (int64_t c = 0; c < n; ++c) out[r][c] = affine_(values[r * n + c]);
  }
}

template <class T>
void BlockSource<T>::fill_cross(std::span<const int64_t> a, std::span<const int64_t> b,
                                T* const* out, const Execution& execution) const {
  const Copied left = copy(a), right = copy(b);
  const int64_t n = right.view.n_rows;
  std::vector<T> values(left.view.n_rows * n);
  kernels::fill_block(kernel_, left.view, right.view, values.data(), execution);
  for (int64_t i = 0; i < left.view.n_rows; ++i) {
    for (int64_t j = 0; j < n; ++j) out[i][j] = affine_(values[i * n + j]);
  }
}

template class ProductSource<float>;
template class ProductSource<double>;
template class BlockSource<float>;
template class BlockSource<double>;

}  // namespace maxmargin::rows
