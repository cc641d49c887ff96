#include "points.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace maxmargin::kernels {
namespace {

// Above this share of non-zero features, dense products are faster than entries.
constexpr double most_entries = 0.3;

template <class S>
std::vector<double> mean_of(const Rows<S>& rows) {
  std::vector<double> mean(rows.n_columns);
  for (int64_t row = 0; row < rows.n_rows; ++row) {
    rows.for_each_entry(row, [&](int64_t c, S value) { mean[c] += value; });
  }
  for (double& value : mean) {
    value /= static_cast<double>(std::max<int64_t>(rows.n_rows, 1));
    if (!std::isfinite(value)) value = 0;
  }
  return mean;
}

template <class S>
int64_t count_nonzero(const Rows<S>& rows) {
  if (rows.is_sparse()) return rows.n_entries();
  int64_t count = 0;
  for (int64_t k = 0; k < rows.n_rows * rows.n_columns; ++k) count += rows.values[k] != 0;
  return count;
}

}  // namespace

template <class S>
bool is_mostly_zero(const Rows<S>& rows) {
  const double size = static_cast<double>(rows.n_rows) * static_cast<double>(rows.n_columns);
  return static_cast<double>(count_nonzero(rows)) < most_entries * size;
}

template <class T>
template <class S>
Points<T>::Points(const Rows<S>& rows, std::span<const int64_t> boundaries, bool centred,
                  int n_threads)
    : n_points_(rows.n_rows), n_features_(rows.n_columns), place_(rows.n_rows), norms_(rows.n_rows) {
  int64_t n_panels = 0;
  for (size_t s = 0; s + 1 < boundaries.size(); ++s) {
    for (int64_t point = boundaries[s]; point < boundaries[s + 1]; ++point) {
      place_[point] = n_panels * width + (point - boundaries[s]);
    }
    n_panels += (boundaries[s + 1] - boundaries[s] + width - 1) / width;
  }

  const bool by_entries = is_mostly_zero(rows);
  centre_.resize(n_features_);
  if (centred && !by_entries && !rows.is_sparse()) centre_ = mean_of(rows);
  if (by_entries) take_entries(rows, n_threads);

  panels_ = allocate<T>(n_panels * width * n_features_);
  constexpr int64_t panels_a_task = 16;
  const auto lay_out = [&](int64_t task, threads::Worker&) {
    const int64_t first = task * panels_a_task, last = std::min(first + panels_a_task, n_panels);
    std::memset(panels_.get() + first * width * n_features_, 0,
                sizeof(T) * (last - first) * width * n_features_);
    const auto begin = std::lower_bound(place_.begin(), place_.end(), first * width);
    const auto end = std::lower_bound(begin, place_.end(), last * width);
    for (auto place = begin; place != end; ++place) {
      const int64_t point = place - place_.begin();
      T* column = panels_.get() + *place / width * width * n_features_ + *place % width;
      double norm = 0;
      rows.for_each_entry(point, [&](int64_t c, S value) {
        const T moved = static_cast<T>(static_cast<double>(value) - centre_[c]);
        column[c * width] = moved;
        norm += static_cast<double>(moved) * static_cast<double>(moved);
      });
      norms_[point] = static_cast<T>(norm);
    }
  };
  threads::parallel_for((n_panels + panels_a_task - 1) / panels_a_task, n_threads, lay_out, {});
  double squares = 0;
  for (const double norm : norms_) {
    largest_norm_ = std::max(largest_norm_, norm);
    squares += norm * norm;
  }
  typical_norm_ = std::sqrt(squares / static_cast<double>(std::max<int64_t>(n_points_, 1)));
}

template <class T>
template <class S>
void Points<T>::take_entries(const Rows<S>& rows, int n_threads) {
  constexpr int64_t rows_a_task = 256;
  const int64_t n_tasks = (n_points_ + rows_a_task - 1) / rows_a_task;
  const auto for_each_row = [&](const auto& action) {
    const auto act = [&](int64_t task, threads::Worker&) {
      const int64_t begin = task * rows_a_task, end = std::min(begin + rows_a_task, n_points_);
      for (int64_t row = begin; row < end; ++row) action(row);
    };
    threads::parallel_for(n_tasks, n_threads, act, {});
  };
  entry_starts_.assign(n_points_ + 1, 0);
  for_each_row([&](int64_t row) {
    rows.for_each_entry(row, [&](int64_t, S value) { entry_starts_[row + 1] += value != 0; });
  });
  std::partial_sum(entry_starts_.begin(), entry_starts_.end(), entry_starts_.begin());
  entry_columns_.resize(entry_starts_.back());
  entry_values_.resize(entry_starts_.back());
  for_each_row([&](int64_t row) {
    int64_t at = entry_starts_[row];
    rows.for_each_entry(row, [&](int64_t c, S value) {
      if (value == 0) return;
      entry_columns_[at] = static_cast<int32_t>(c);
      entry_values_[at++] = static_cast<T>(value);
    });
  });
}

template <class T>
std::vector<int64_t> Points<T>::farthest(int64_t count) const {
  std::vector<int64_t> order(n_points_);
  std::iota(order.begin(), order.end(), 0);
  count = std::min(count, n_points_);
  std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](int64_t a, int64_t b) {
    return norms_[a] != norms_[b] ? norms_[a] > norms_[b] : a < b;
  });
  order.resize(count);
  return order;
}

template <class T>
void Points<T>::find_slices(const int32_t* columns, int64_t begin, int64_t end, int64_t row,
                            PackedRows<T>& packed) const {
  const int32_t* at = columns + begin;
  for (int64_t s = 0; s <= n_slices(); ++s) {
    at = std::lower_bound(at, columns + end, s * slice_features);
    packed.bounds[s * packed.count + row] = at - columns;
  }
}

template <class T>
PackedRows<T> Points<T>::pack_rows(std::span<const int64_t> points) const {
  PackedRows<T> packed;
  packed.count = static_cast<int64_t>(points.size());
  for (const int64_t point : points) packed.norms.push_back(norms_[point]);
  packed.by_entries = has_entries();
  if (packed.by_entries) {
    packed.bounds.resize((n_slices() + 1) * packed.count);
    packed.columns = entry_columns_.data();
    packed.entries = entry_values_.data();
    for (int64_t r = 0; r < packed.count; ++r) {
      find_slices(packed.columns, entry_starts_[points[r]], entry_starts_[points[r] + 1], r, packed);
    }
  } else {
    packed.values.resize(packed.count * n_features_);
    for (int64_t r = 0; r < packed.count; ++r) {
      const T* column = panel(panel_of(points[r])) + place_[points[r]] % width;
      T* row = packed.values.data() + r * n_features_;
      for (int64_t c = 0; c < n_features_; ++c) row[c] = column[c * width];
    }
  }
  return packed;
}

template <class T>
PackedRows<T> Points<T>::pack_rows(const Rows<T>& rows, int64_t begin, int64_t end) const {
  PackedRows<T> packed;
  packed.count = end - begin;
  packed.norms.resize(packed.count);
  packed.by_entries = rows.is_sparse();
  if (packed.by_entries) {
    packed.bounds.resize((n_slices() + 1) * packed.count);
    packed.columns = rows.columns;
    packed.entries = rows.values;
  } else {
    packed.values.resize(packed.count * n_features_);
  }
  for (int64_t r = 0; r < packed.count; ++r) {
    double norm = 0;
    T* row = packed.values.data() + r * n_features_;
    rows.for_each_entry(begin + r, [&](int64_t c, T value) {
      const T moved = static_cast<T>(static_cast<double>(value) - centre_[c]);
      norm += static_cast<double>(moved) * static_cast<double>(moved);
      if (!rows.is_sparse()) row[c] = moved;
    });
    packed.norms[r] = static_cast<T>(norm);
    if (rows.is_sparse()) {
      find_slices(rows.columns, rows.starts[begin + r], rows.starts[begin + r + 1], r, packed);
    }
  }
  return packed;
}

template <class T>
PackedColumns<T> Points<T>::pack_columns(std::span<const int64_t> points) const {
  const auto count = static_cast<int64_t>(points.size());
  const int64_t n_panels = (count + width - 1) / width;
  PackedColumns<T> packed{allocate<T>(n_panels * width * n_features_), {}, count};
  packed.norms.resize(n_panels * width);
  std::memset(packed.panels.get(), 0, sizeof(T) * n_panels * width * n_features_);
  for (int64_t j = 0; j < count; ++j) {
    const int64_t point = points[j];
    T* column = packed.panels.get() + j / width * width * n_features_ + j % width;
    packed.norms[j] = norms_[point];
    if (has_entries()) {
      for (int64_t e = entry_starts_[point]; e < entry_starts_[point + 1]; ++e) {
        column[entry_columns_[e] * width] = entry_values_[e];
      }
    } else {
      const T* from = panel(panel_of(point)) + place_[point] % width;
      for (int64_t c = 0; c < n_features_; ++c) column[c * width] = from[c * width];
    }
  }
  return packed;
}

template <class T>
void Points<T>::multiply_panel(const PackedRows<T>& rows, int64_t first_row, const T* panel,
                               T* const* out, int64_t offset) const {
  const auto& loops = simd::active_loops<T>();
  const int64_t n_rows = rows.count - first_row;
  if (!rows.by_entries) {
    loops.wide_dense(panel, n_features_, rows.values.data() + first_row * n_features_, n_features_,
                     n_rows, out + first_row, offset);
    return;
  }
  for (int64_t s = 0; s < std::max<int64_t>(n_slices(), 1); ++s) {
    const int64_t* begins = rows.bounds.data() + s * rows.count + first_row;
    loops.wide_sparse(panel, begins, begins + rows.count, rows.columns, rows.entries, n_rows, s > 0,
                      out + first_row, offset);
  }
}

template <class T>
void Points<T>::multiply(const PackedRows<T>& rows, int64_t begin, int64_t end,
                         T* const* out) const {
  const int64_t first = panel_of(begin);
  for (int64_t point = begin; point < end; point += width) {
    multiply_panel(rows, 0, panel(first + (point - begin) / width), out, point - begin);
  }
}

template <class T>
void Points<T>::multiply(const PackedRows<T>& rows, const PackedColumns<T>& columns, int64_t panel,
                         int64_t first_row, T* const* out) const {
  multiply_panel(rows, first_row, columns.panels.get() + panel * width * n_features_, out,
                 panel * width);
}

template bool is_mostly_zero(const Rows<float>&);
template bool is_mostly_zero(const Rows<double>&);
template class Points<float>;
template class Points<double>;
template Points<float>::Points(const Rows<float>&, std::span<const int64_t>, bool, int);
template Points<float>::Points(const Rows<double>&, std::span<const int64_t>, bool, int);
template Points<double>::Points(const Rows<float>&, std::span<const int64_t>, bool, int);
template Points<double>::Points(const Rows<double>&, std::span<const int64_t>, bool, int);

}  // namespace maxmargin::kernels
