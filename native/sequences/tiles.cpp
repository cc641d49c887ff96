#include "tiles.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace maxmargin::sequences {
namespace {

// Some of the places, the shortest sequence first, and where each stands in the block.
struct Ordered {
  std::vector<int64_t> position, place;

  Ordered(Places places, const Sequences& sequences) : position(places.size()) {
    std::iota(position.begin(), position.end(), int64_t{0});
    std::stable_sort(position.begin(), position.end(), [&](int64_t a, int64_t b) {
      return sequences.length(places[a]) < sequences.length(places[b]);
    });
    for (const int64_t p : position) place.push_back(places[p]);
  }

  int64_t n_tiles() const { return (size() + tile_size - 1) / tile_size; }
  int64_t size() const { return static_cast<int64_t>(place.size()); }
  Places tile(int64_t t) const {
    const int64_t begin = t * tile_size;
    return Places(place).subspan(begin, std::min(tile_size, size() - begin));
  }
};

}  // namespace

void TiledComparison::fill(Places rows, Places columns, double* out,
                           const Execution& execution) const {
  const bool mirrored = corpus_->is_one_collection() && std::ranges::equal(rows, columns);
  const Ordered down(rows, left());
  const Ordered across(columns, right());
  const auto stride = static_cast<int64_t>(columns.size());
  // The tiles with the longest sequences first, so that no thread is left with one at the end.
  std::vector<std::pair<int64_t, int64_t>> tiles;
  for (int64_t r = down.n_tiles() - 1; r >= 0; --r) {
    for (int64_t c = mirrored ? r : across.n_tiles() - 1; c >= 0; --c) tiles.emplace_back(r, c);
  }
  const auto fill_one = [&](int64_t index, threads::Worker& worker) {
    const auto [row_tile, column_tile] = tiles[index];
    const Places here = down.tile(row_tile), there = across.tile(column_tile);
    std::vector<double> values(tile_size * tile_size);
    fill_tile(here, there, values.data(), worker);
    for (int64_t r = 0; r < static_cast<int64_t>(here.size()); ++r) {
      const int64_t row_rank = row_tile * tile_size + r;
      const int64_t row = down.position[row_rank];
      for (int64_t c = 0; c < static_cast<int64_t>(there.size()); ++c) {
        const int64_t column_rank = column_tile * tile_size + c;
        const int64_t column = across.position[column_rank];
        if (mirrored && column_rank > row_rank) break;
        out[row * stride + column] = values[r * tile_size + c];
        if (mirrored) out[column * stride + row] = values[r * tile_size + c];
      }
    }
  };
  threads::parallel_for(static_cast<int64_t>(tiles.size()), execution.n_threads, fill_one,
                        execution.should_stop);
}

void TiledComparison::fill_diagonal(double* out, const Execution& execution) const {
  const auto fill_one = [&](int64_t i, threads::Worker& worker) {
    std::vector<double> value(tile_size);
    const Places itself(&i, 1);
    fill_tile(itself, itself, value.data(), worker);
    out[i] = value[0];
  };
  threads::parallel_for(left().n, execution.n_threads, fill_one, execution.should_stop);
}

}  // namespace maxmargin::sequences
