#include "weighted_degree.h"

#include <array>

#include "../simd/dispatch.h"
#include "panel.h"

namespace maxmargin::sequences {

void WeightedDegree::fill_tile(Places rows, Places columns, double* values,
                               threads::Worker& worker) const {
  constexpr int64_t width = Panel<double>::width;
  const auto& loops = simd::active_weighted_sequence_loops();
  const auto degree = static_cast<double>(degree_);
  const double scale = 2.0 / (degree * (degree + 1.0));
  const std::vector<Panel<double>> panels = panels_of<double>(right(), columns);
  for (size_t r = 0; r < rows.size(); ++r) {
    worker.checkpoint();
    const std::vector<double> letters = row_of<double>(left()[rows[r]]);
    const int64_t n_rows = left().length(rows[r]);
    for (size_t p = 0; p < panels.size(); ++p) {
      const double* codes = panels[p].codes();
      const int64_t n_columns = panels[p].n_columns();
      std::array<double, width> total{};
      for (int64_t s = 0; s <= std::min(shift_, std::max(n_rows, n_columns)); ++s) {
        std::array<double, width> sums{};
        if (s < n_rows) {
          loops.weigh_runs(codes, letters.data() + s, std::min(n_rows - s, n_columns), degree,
                           sums.data());
        }
        if (s < n_columns) {
          loops.weigh_runs(codes + s * width, letters.data(), std::min(n_rows, n_columns - s),
                           degree, sums.data());
        }
        const double weight = scale / (2.0 * static_cast<double>(s + 1));
        for (int64_t l = 0; l < width; ++l) total[l] += weight * sums[l];
      }
      const size_t begin = p * width;
      const size_t count = std::min<size_t>(width, columns.size() - begin);
      std::copy_n(total.begin(), count, values + r * tile_size + begin);
    }
  }
}

}  // namespace maxmargin::sequences
