#include "panels.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>

namespace maxmargin::kernels {
namespace {

// Columns summed before they join the running total: a panel's piece stays in the first-level
// cache, and rounding grows with the piece rather than with the row.
constexpr int64_t depth_piece = 256;

// Rows of the other side in one tile, and the entries they may hold together.
constexpr int64_t most_tile_rows = 128;
constexpr int64_t tile_entries = 1 << 17;

// The dense loop's stride: rows that share each load of the panel.
constexpr int64_t rows_together = 4;

// Rows of the other side in one task; loading a panel is cheap beside them.
constexpr int64_t task_rows = 8 * most_tile_rows;

// Panels of more columns than this leave the fast caches, and are worth not reading in vain.
constexpr int64_t widest_cached_panel = 4096;

// term(p, 0), the share of a column where the other row stores nothing.
double share_against_zero(simd::Term term, double p) {
  switch (term) {
    case simd::squared_difference: return p * p;
    case simd::absolute_difference: return std::fabs(p);
    case simd::chi_squared: return p;
    default: return 0.0;
  }
}

constexpr int64_t ceil_divide(int64_t n, int64_t size) { return (n + size - 1) / size; }

}  // namespace

template <class T>
Panel<T>::Panel(const simd::Loops<T>& loops, const Kernel<T>& kernel, const Rows<T>& source)
    : loops_(loops),
      kernel_(kernel),
      source_(source),
      // Pages of a wide panel that no row touches are never given out.
      panel_(static_cast<T*>(std::calloc(std::max<int64_t>(source.n_columns, 1), width * sizeof(T)))),
      tile_(most_tile_rows * width) {
  if (!panel_) throw std::bad_alloc();
  if (source.is_sparse() && source.n_columns > widest_cached_panel) {
    present_.resize(ceil_divide(source.n_columns, 64));
  }
}

template <class T>
void Panel<T>::clear() {
  for (int64_t l = 0; l < count_; ++l) {
    source_.for_each_entry(first_ + l, [&](int64_t c, T) {
      panel_[c * width + l] = 0;
      if (!present_.empty()) present_[c >> 6] = 0;
    });
  }
  std::fill(offsets_, offsets_ + width, T(0));
  largest_offset_ = 0;
  is_compacted_ = false;
}

template <class T>
void Panel<T>::load(int64_t first, int64_t count) {
  if (first == first_ && count == count_) return;
  clear();
  first_ = first;
  count_ = count;
  for (int64_t l = 0; l < count; ++l) {
    double offset = 0;
    source_.for_each_entry(first + l, [&](int64_t c, T value) {
      panel_[c * width + l] = value;
      if (!present_.empty()) present_[c >> 6] |= uint64_t{1} << (c & 63);
      offset += share_against_zero(kernel_.term(), value);
    });
    offsets_[l] = static_cast<T>(offset);
    if (offset > largest_offset_) largest_offset_ = offset;  // NaN stays out
  }
}

// The sums are of the size of both rows' distances from zero, but the panel's alone decide: a row
// twice as far from zero as the panel's is so far from them that little of its distance cancels.
template <class T>
bool Panel<T>::changes_from_zero_are_accurate() const {
  return kernel_.survives_cancellation(2 * largest_offset_);
}

template <class T>
const T* Panel<T>::against(const Rows<T>& rows, int64_t begin, int64_t end) {
  if (!rows.is_sparse()) {
    sum_dense(rows, begin, end);
  } else if (changes_from_zero_are_accurate()) {
    sum_changes_from_zero(rows, begin, end);
  } else {
    sum_differences(rows, begin, end);
  }
  kernel_.apply(loops_, tile_.data(), (end - begin) * width);
  return tile_.data();
}

template <class T>
void Panel<T>::sum_dense(const Rows<T>& rows, int64_t begin, int64_t end) {
  std::fill_n(tile_.begin(), (end - begin) * width, T(0));
  add_terms(panel_.get(), rows.n_columns, rows.dense_row(begin), end - begin, tile_.data());
}

template <class T>
void Panel<T>::sum_changes_from_zero(const Rows<T>& rows, int64_t begin, int64_t end) {
  loops_.sparse_panel[kernel_.term()](panel_.get(), present_.empty() ? nullptr : present_.data(),
                                      rows.starts + begin, rows.columns, rows.values, end - begin,
                                      offsets_, tile_.data());
}

template <class T>
void Panel<T>::sum_differences(const Rows<T>& rows, int64_t begin, int64_t end) {
  if (!is_compacted_) compact_.take(panel_.get(), source_, first_, count_);
  is_compacted_ = true;
  const int64_t depth = compact_.depth();
  compact_rows_.resize(rows_together * depth);
  T* tile = tile_.data();
  for (int64_t group = begin; group < end; group += rows_together) {
    const int64_t n = std::min(rows_together, end - group);
    for (int64_t r = 0; r < n; ++r) {
      double elsewhere = 0;
      compact_.split(rows, group + r, compact_rows_.data() + r * depth, [&](T value) {
        elsewhere += share_against_zero(kernel_.term(), value);
      });
      std::fill_n(tile + r * width, width, static_cast<T>(elsewhere));
    }
    add_terms(compact_.values(), depth, compact_rows_.data(), n, tile);
    tile += n * width;
  }
}

// `rows` has n_rows rows of `depth` values.
template <class T>
void Panel<T>::add_terms(const T* panel, int64_t depth, const T* rows, int64_t n_rows,
                         T* tile) const {
  for (int64_t c = 0; c < depth; c += depth_piece) {
    loops_.dense_panel[kernel_.term()](panel + c * width, std::min(depth_piece, depth - c),
                                       rows + c, depth, n_rows, tile);
  }
}

template <class T>
int64_t Panel<T>::rows_at_once(const Rows<T>& rows) {
  const int64_t entries_per_row = 1 + rows.n_entries() / std::max<int64_t>(rows.n_rows, 1);
  return std::clamp<int64_t>(tile_entries / entries_per_row, 4, most_tile_rows);
}

namespace {

// Which side is laid out in panels and which one is read entry by entry.
enum class Layout { b_in_panels, a_in_panels };

template <class T>
Layout choose_layout(const Rows<T>& a, const Rows<T>& b) {
  if (a.is_sparse() != b.is_sparse()) {
    return a.is_sparse() ? Layout::b_in_panels : Layout::a_in_panels;
  }
  const auto cost = [](const Rows<T>& in_panels, const Rows<T>& read) {
    return ceil_divide(in_panels.n_rows, Panel<T>::width) * read.n_entries() + in_panels.n_entries();
  };
  return cost(b, a) <= cost(a, b) ? Layout::b_in_panels : Layout::a_in_panels;
}

// One panel's tile, read row by row, on its way into the block.
template <class T>
struct Tile {
  const T* values;
  int64_t begin, end;     // rows read
  int64_t first, count;   // rows in the panel

  T value(int64_t row, int64_t lane) const {
    return values[(row - begin) * Panel<T>::width + lane];
  }

  void store(Target<T> target) const {
    for (int64_t row = begin; row < end; ++row) {
      std::copy_n(values + (row - begin) * Panel<T>::width, count, &target.at(row, first));
    }
  }

  void store_transposed(Target<T> target) const {
    for (int64_t lane = 0; lane < count; ++lane) {
      T* line = &target.at(first + lane, 0);
      for (int64_t row = begin; row < end; ++row) line[row] = value(row, lane);
    }
  }

  void store_lower_and_mirror(Target<T> target) const {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t below_diagonal = std::min(count, row - first + 1);
      for (int64_t lane = 0; lane < below_diagonal; ++lane) {
        target.at(row, first + lane) = value(row, lane);
        target.at(first + lane, row) = value(row, lane);
      }
    }
  }
};

}  // namespace

template <class T>
void fill_by_panels(const Kernel<T>& kernel, const Rows<T>& a, const Rows<T>& b, Symmetry symmetry,
                    T* out, const Execution& execution) {
  const bool mirrored = symmetry == Symmetry::mirrored;
  const bool a_in_panels = !mirrored && choose_layout(a, b) == Layout::a_in_panels;
  const Rows<T>& in_panels = a_in_panels ? a : b;
  const Rows<T>& read = a_in_panels ? b : a;
  const Target<T> target{out, b.n_rows};
  const auto& loops = simd::active_loops<T>();

  const int64_t n_panels = ceil_divide(in_panels.n_rows, Panel<T>::width);
  const int64_t n_pieces = ceil_divide(read.n_rows, task_rows);
  const int64_t tile_rows =
      std::min(Panel<T>::rows_at_once(read), Panel<T>::rows_at_once(in_panels));
  std::vector<std::optional<Panel<T>>> panels(std::max(execution.n_threads, 1));

  const auto fill_piece = [&](int64_t task, threads::Worker& worker) {
    const int64_t first = task / n_pieces * Panel<T>::width;
    const int64_t count = std::min(Panel<T>::width, in_panels.n_rows - first);
    const int64_t piece_begin = task % n_pieces * task_rows;
    const int64_t piece_end = std::min(piece_begin + task_rows, read.n_rows);
    const int64_t first_needed = mirrored ? std::max(piece_begin, first) : piece_begin;
    if (first_needed >= piece_end) return;

    auto& panel = panels[worker.index()];
    if (!panel) panel.emplace(loops, kernel, in_panels);
    panel->load(first, count);
    for (int64_t begin = first_needed; begin < piece_end; begin += tile_rows) {
      worker.checkpoint();
      const int64_t end = std::min(begin + tile_rows, piece_end);
      const Tile<T> tile{panel->against(read, begin, end), begin, end, first, count};
      if (mirrored) {
        tile.store_lower_and_mirror(target);
      } else if (a_in_panels) {
        tile.store_transposed(target);
      } else {
        tile.store(target);
      }
    }
  };
  threads::parallel_for(n_panels * n_pieces, execution.n_threads, fill_piece,
                        execution.should_stop);

  if (mirrored && kernel.is_radial()) target.set_diagonal(a.n_rows, 1);
}

template class Panel<float>;
template class Panel<double>;
template void fill_by_panels<float>(const Kernel<float>&, const Rows<float>&, const Rows<float>&,
                                    Symmetry, float*, const Execution&);
template void fill_by_panels<double>(const Kernel<double>&, const Rows<double>&,
                                     const Rows<double>&, Symmetry, double*, const Execution&);

}  // namespace maxmargin::kernels
