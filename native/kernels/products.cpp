// Each tile of the block is a matrix product, mapped to kernel values while it is in the cache.
//
// The Gaussian's squared distances come from |a - b|^2 = |a|^2 + |b|^2 - 2 a.b, which loses digits
// when the rows lie far from the origin. The kernel does not change when both sides move together,
// so tiles are centred first; where even that leaves norms too large, differences are summed.
#include "products.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "panels.h"

namespace maxmargin::kernels {
namespace {

constexpr int64_t depth_piece = 1024;

// Large tiles copy and pack less for each product; small blocks need tiles to share out. The
// choice rests on the shape alone, so that the number of threads cannot change a value.
int64_t choose_tile_side(int64_t n_rows, int64_t n_columns) {
  const double size = static_cast<double>(n_rows) * static_cast<double>(n_columns);
  return size < 4e6 ? 128 : size < 16e6 ? 256 : 512;
}

// A point near the middle of the rows, from a sample of them: any point keeps the mathematics.
template <class T>
std::vector<T> find_centre(const Rows<T>& rows) {
  constexpr int64_t sample = 64;
  const int64_t step = std::max<int64_t>(1, rows.n_rows / sample);
  std::vector<double> sums(rows.n_columns);
  int64_t count = 0;
  for (int64_t row = 0; row < rows.n_rows; row += step, ++count) {
    for (int64_t c = 0; c < rows.n_columns; ++c) sums[c] += rows.dense_row(row)[c];
  }
  std::vector<T> centre(rows.n_columns);
  for (int64_t c = 0; c < rows.n_columns; ++c) {
    const T mean = static_cast<T>(sums[c] / static_cast<double>(count));
    centre[c] = std::isfinite(mean) ? mean : T(0);
  }
  return centre;
}

// Consecutive rows of one side.
template <class T>
struct Span {
  const Rows<T>& rows;
  int64_t begin, end;

  int64_t size() const { return end - begin; }

  blas::RowBlock<T> from_column(int64_t c) const {
    return {rows.dense_row(begin) + c, size(), rows.n_columns};
  }
};

// A piece of a tile's rows, moved to the centre, and the squared norms of the moved rows.
template <class T>
struct CentredRows {
  std::vector<T> values, norms;

  CentredRows(int64_t most_rows, int64_t n_columns)
      : values(most_rows * std::min(depth_piece, n_columns)), norms(most_rows) {}

  blas::RowBlock<T> take(const simd::Loops<T>& loops, const Span<T>& span, const T* centre,
                         int64_t column, int64_t depth) {
    for (int64_t i = 0; i < span.size(); ++i) {
      const T norm = loops.centre(span.rows.dense_row(span.begin + i) + column, centre + column,
                                  depth, values.data() + i * depth);
      norms[i] = column == 0 ? norm : norms[i] + norm;
    }
    return {values.data(), span.size(), depth};
  }

  T largest_norm(int64_t n) const { return *std::max_element(norms.begin(), norms.begin() + n); }
};

template <class T>
class TileFiller {
 public:
  TileFiller(const Kernel<T>& kernel, const Rows<T>& b, int64_t tile_side, const T* centre,
             Target<T> target)
      : kernel_(kernel), panel_rows_(b), centre_(centre), target_(target) {
    if (centre_ != nullptr) {
      left_.emplace(tile_side, b.n_columns);
      right_.emplace(tile_side, b.n_columns);
    }
  }

  void fill(const Span<T>& a, const Span<T>& b, threads::Worker& worker) {
    for (int64_t c = 0; c < a.rows.n_columns; c += depth_piece) {
      worker.checkpoint();
      const int64_t depth = std::min(depth_piece, a.rows.n_columns - c);
      const auto left = centre_ ? left_->take(loops_, a, centre_, c, depth) : a.from_column(c);
      const auto right = centre_ ? right_->take(loops_, b, centre_, c, depth) : b.from_column(c);
      blas::multiply(gemm_, left, right, depth, c > 0, &target_.at(a.begin, b.begin),
                     target_.stride);
    }
    if (centre_ == nullptr) {
      for (int64_t i = a.begin; i < a.end; ++i) {
        kernel_.apply(loops_, &target_.at(i, b.begin), b.size());
      }
    } else if (products_are_accurate(a, b)) {
      for (int64_t i = 0; i < a.size(); ++i) {
        loops_.gaussian(&target_.at(a.begin + i, b.begin), b.size(), left_->norms[i],
                        right_->norms.data(), kernel_.gamma);
      }
    } else {
      fill_by_differences(a, b, worker);
    }
  }

 private:
  bool products_are_accurate(const Span<T>& a, const Span<T>& b) const {
    return kernel_.survives_cancellation(left_->largest_norm(a.size()) +
                                         right_->largest_norm(b.size()));
  }

  void fill_by_differences(const Span<T>& a, const Span<T>& b, threads::Worker& worker) {
    if (!panel_) panel_.emplace(loops_, kernel_, panel_rows_);
    const int64_t tile_rows = Panel<T>::rows_at_once(a.rows);
    for (int64_t first = b.begin; first < b.end; first += Panel<T>::width) {
      const int64_t count = std::min(Panel<T>::width, b.end - first);
      panel_->load(first, count);
      for (int64_t begin = a.begin; begin < a.end; begin += tile_rows) {
        worker.checkpoint();
        const int64_t end = std::min(begin + tile_rows, a.end);
        const T* values = panel_->against(a.rows, begin, end);
        for (int64_t i = begin; i < end; ++i, values += Panel<T>::width) {
          std::copy_n(values, count, &target_.at(i, first));
        }
      }
    }
  }

  const simd::Loops<T>& loops_ = simd::active_loops<T>();
  const blas::Gemm<T> gemm_ = blas::connected<T>();
  const Kernel<T>& kernel_;
  const Rows<T>& panel_rows_;
  const T* centre_;  // null where the kernel needs no centre
  const Target<T> target_;
  std::optional<CentredRows<T>> left_, right_;
  std::optional<Panel<T>> panel_;
};

}  // namespace

template <class T>
void fill_by_products(const Kernel<T>& kernel, const Rows<T>& a, const Rows<T>& b,
                      Symmetry symmetry, T* out, const Execution& execution) {
  const bool mirrored = symmetry == Symmetry::mirrored;
  const bool centred = kernel.form == Form::gaussian;
  const std::vector<T> centre = centred ? find_centre(b) : std::vector<T>();
  const Target<T> target{out, b.n_rows};
  const int64_t tile_side = choose_tile_side(a.n_rows, b.n_rows);
  const int64_t n_across = (b.n_rows + tile_side - 1) / tile_side;
  const int64_t n_down = (a.n_rows + tile_side - 1) / tile_side;
  std::vector<std::optional<TileFiller<T>>> fillers(std::max(execution.n_threads, 1));

  const auto fill_tile = [&](int64_t task, threads::Worker& worker) {
    const int64_t i = task / n_across * tile_side, j = task % n_across * tile_side;
    if (mirrored && j > i) return;
    auto& filler = fillers[worker.index()];
    if (!filler) filler.emplace(kernel, b, tile_side, centred ? centre.data() : nullptr, target);
    const Span<T> down{a, i, std::min(i + tile_side, a.n_rows)};
    const Span<T> across{b, j, std::min(j + tile_side, b.n_rows)};
    filler->fill(down, across, worker);
    if (mirrored) target.mirror(down.begin, down.end, across.begin, across.end);
  };
  threads::parallel_for(n_down * n_across, execution.n_threads, fill_tile, execution.should_stop);

  if (mirrored && kernel.is_radial()) target.set_diagonal(a.n_rows, 1);
}

template void fill_by_products<float>(const Kernel<float>&, const Rows<float>&, const Rows<float>&,
                                      Symmetry, float*, const Execution&);
template void fill_by_products<double>(const Kernel<double>&, const Rows<double>&,
                                       const Rows<double>&, Symmetry, double*, const Execution&);

}  // namespace maxmargin::kernels
