#include "wide.h"

#include <algorithm>
#include <vector>

#include "points.h"

namespace maxmargin::kernels {
namespace {

constexpr int64_t rows_a_task = 96;
constexpr int64_t columns_a_task = 512;

// Rows of a dense matrix that are mostly zero, by their entries.
template <class T>
struct Entries {
  std::vector<T> values;
  std::vector<int64_t> starts;
  std::vector<int32_t> columns;

  explicit Entries(const Rows<T>& rows) {
    starts.push_back(0);
    for (int64_t row = 0; row < rows.n_rows; ++row) {
      rows.for_each_entry(row, [&](int64_t c, T value) {
        if (value == 0) return;
        values.push_back(value);
        columns.push_back(static_cast<int32_t>(c));
      });
      starts.push_back(static_cast<int64_t>(values.size()));
    }
  }

  Rows<T> view(const Rows<T>& rows) const {
    return {rows.n_rows, rows.n_columns, values.data(), starts.data(), columns.data()};
  }
};

}  // namespace

template <class T>
bool suits_wide_panels(const Kernel<T>& kernel, const Rows<T>& a, const Rows<T>& b) {
  constexpr double most_bytes = 1 << 28, most_bytes_an_entry = 256;
  const bool is_product_form = kernel.term() == simd::product || kernel.form == Form::gaussian;
  if (!is_product_form || a.n_columns == 0 || std::min(a.n_rows, b.n_rows) < simd::lanes<T>) {
    return false;
  }
  const double bytes = Points<T>::panel_bytes(b.n_rows, b.n_columns);
  return !b.is_sparse() || bytes <= most_bytes ||
         bytes <= most_bytes_an_entry * static_cast<double>(b.n_entries());
}

namespace {

// Computes the block tile by tile: consume(row, columns begin, columns end, kernel values).
template <class T, class Consume>
bool visit_tiles(const Kernel<T>& kernel, const Rows<T>& a, const Rows<T>& b,
                 const Execution& execution, const Consume& consume) {
  const int64_t boundaries[] = {0, b.n_rows};
  const bool is_gaussian = kernel.form == Form::gaussian;
  const bool by_entries = !a.is_sparse() && is_mostly_zero(a);
  const bool is_centred = is_gaussian && !a.is_sparse() && !by_entries;
  const Points<T> columns(b, boundaries, is_centred, execution.n_threads);
  if (is_gaussian && !kernel.survives_cancellation(2 * columns.largest_norm())) return false;
  const Entries<T> entries(by_entries ? a : Rows<T>{0, a.n_columns, nullptr});
  const Rows<T> rows = by_entries ? entries.view(a) : a;

  constexpr int64_t stride = columns_a_task + Points<T>::width;
  const auto& loops = simd::active_loops<T>();
  std::vector<Memory<T>> scratch(std::max(execution.n_threads, 1));
  const auto visit_rows = [&](int64_t task, threads::Worker& worker) {
    const int64_t first = task * rows_a_task, last = std::min(first + rows_a_task, a.n_rows);
    const PackedRows<T> packed = columns.pack_rows(rows, first, last);
    auto& tile = scratch[worker.index()];
    if (!tile) tile = allocate<T>(rows_a_task * stride);
    T* targets[rows_a_task];
    for (int64_t r = 0; r < packed.count; ++r) targets[r] = tile.get() + r * stride;
    for (int64_t begin = 0; begin < b.n_rows; begin += columns_a_task) {
      worker.checkpoint();
      const int64_t end = std::min(begin + columns_a_task, b.n_rows);
      columns.multiply(packed, begin, end, targets);
      for (int64_t r = 0; r < packed.count; ++r) {
        if (is_gaussian) {
          loops.gaussian(targets[r], end - begin, packed.norms[r], columns.norms(begin),
                         kernel.gamma);
        } else {
          kernel.apply(loops, targets[r], end - begin);
        }
        consume(first + r, begin, end, targets[r]);
      }
    }
  };
  threads::parallel_for((a.n_rows + rows_a_task - 1) / rows_a_task, execution.n_threads, visit_rows,
                        execution.should_stop);
  return true;
}

}  // namespace

template <class T>
bool fill_by_wide_panels(const Kernel<T>& kernel, const Rows<T>& a, const Rows<T>& b, T* out,
                         const Execution& execution) {
  return visit_tiles(kernel, a, b, execution,
                     [&](int64_t row, int64_t begin, int64_t end, const T* values) {
                       std::copy_n(values, end - begin, out + row * b.n_rows + begin);
                     });
}

template <class T>
bool weigh_by_wide_panels(const Kernel<T>& kernel, const Rows<T>& a, const Rows<T>& b,
                          const double* weights, double* sums, const Execution& execution) {
  if (!suits_wide_panels(kernel, a, b)) return false;
  std::fill_n(sums, a.n_rows, 0.0);
  const auto& loops = simd::active_loops<T>();
  return visit_tiles(kernel, a, b, execution,
                     [&](int64_t row, int64_t begin, int64_t end, const T* values) {
                       sums[row] += loops.weigh(values, weights + begin, end - begin);
                     });
}

template bool weigh_by_wide_panels(const Kernel<float>&, const Rows<float>&, const Rows<float>&,
                                   const double*, double*, const Execution&);
template bool weigh_by_wide_panels(const Kernel<double>&, const Rows<double>&, const Rows<double>&,
                                   const double*, double*, const Execution&);
template bool suits_wide_panels(const Kernel<float>&, const Rows<float>&, const Rows<float>&);
template bool suits_wide_panels(const Kernel<double>&, const Rows<double>&, const Rows<double>&);
template bool fill_by_wide_panels(const Kernel<float>&, const Rows<float>&, const Rows<float>&,
                                  float*, const Execution&);
template bool fill_by_wide_panels(const Kernel<double>&, const Rows<double>&, const Rows<double>&,
                                  double*, const Execution&);

}  // namespace maxmargin::kernels
