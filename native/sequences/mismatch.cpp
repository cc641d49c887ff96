#include "mismatch.h"

#include <array>

#include "../simd/dispatch.h"
#include "panel.h"

namespace maxmargin::sequences {

void Mismatch::fill_tile(Places rows, Places columns, double* values,
                         threads::Worker& worker) const {
  const auto fits = [&]<class T>(T) {
    // A distance may not look like a place behind an end.
    return holds_letters<T>(corpus().n_letters()) && window_ < std::numeric_limits<T>::max();
  };
  if (fits(uint8_t{})) {
    fill_tile_in<uint8_t>(rows, columns, values, worker);
  } else if (fits(uint16_t{})) {
    fill_tile_in<uint16_t>(rows, columns, values, worker);
  } else {
    fill_tile_in<uint32_t>(rows, columns, values, worker);
  }
}

template <class T>
void Mismatch::fill_tile_in(Places rows, Places columns, double* values,
                            threads::Worker& worker) const {
  constexpr int64_t width = Panel<T>::width;
  constexpr int64_t at_once = simd::distances_at_once;
  const auto& loops = simd::active_sequence_loops<T>();
  const std::vector<Panel<T>> panels = panels_of<T>(right(), columns);
  std::vector<kernels::Memory<T>> outside;
  for (const Panel<T>& panel : panels) {
    outside.push_back(panel.fill(0));
    for (int64_t k = 0; k < panel.n_columns() * width; ++k) {
      if (panel.is_end(k)) outside.back()[k] = static_cast<T>(-1);
    }
  }
  const auto n_weights = static_cast<int64_t>(weights_.size());
  for (size_t r = 0; r < rows.size(); ++r) {
    const std::vector<T> letters = row_of<T>(left()[rows[r]]);
    const int64_t n_rows = left().length(rows[r]);
    for (size_t p = 0; p < panels.size(); ++p) {
      worker.checkpoint();
      std::array<double, width> sums{};
      const bool has_windows = std::min(n_rows, panels[p].n_columns()) >= window_;
      for (int64_t first = 0; has_windows && first < n_weights; first += at_once) {
        std::array<uint64_t, at_once * width> counts{};
        loops.count_mismatches(panels[p].codes(), outside[p].get(), panels[p].n_columns(),
                               letters.data(), n_rows, window_, static_cast<T>(first),
                               counts.data());
        for (int64_t v = 0; v < std::min(at_once, n_weights - first); ++v) {
          for (int64_t l = 0; l < width; ++l) {
            sums[l] += weights_[first + v] * static_cast<double>(counts[v * width + l]);
          }
        }
      }
      const size_t begin = p * width;
      const size_t count = std::min<size_t>(width, columns.size() - begin);
      std::copy_n(sums.begin(), count, values + r * tile_size + begin);
    }
  }
}

}  // namespace maxmargin::sequences
