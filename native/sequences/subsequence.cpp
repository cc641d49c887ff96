#include "subsequence.h"

#include <array>

#include "../simd/dispatch.h"
#include "panel.h"

namespace maxmargin::sequences {

void Subsequence::fill_tile(Places rows, Places columns, double* values,
                            threads::Worker& worker) const {
  constexpr int64_t width = Panel<double>::width;
  const auto& loops = simd::active_weighted_sequence_loops();
  const std::vector<Panel<double>> panels = panels_of<double>(right(), columns);
  const int64_t widest = right().length(columns.back());
  // Longer subsequences than the sequences themselves are not there.
  const bool is_possible = length_ <= widest;
  const auto prefix = kernels::allocate<double>(is_possible ? length_ * (widest + 1) * width : 0);
  for (size_t r = 0; r < rows.size(); ++r) {
    const std::vector<double> letters = row_of<double>(left()[rows[r]]);
    const int64_t n_rows = left().length(rows[r]);
    for (size_t p = 0; p < panels.size(); ++p) {
      worker.checkpoint();
      std::array<double, width> sums{};
      if (length_ <= std::min(n_rows, panels[p].n_columns())) {
        loops.sum_subsequences(panels[p].codes(), panels[p].n_columns(), letters.data(), n_rows,
                               length_, decay_, prefix.get(), sums.data());
      }
      const size_t begin = p * width;
      const size_t count = std::min<size_t>(width, columns.size() - begin);
      std::copy_n(sums.begin(), count, values + r * tile_size + begin);
    }
  }
}

}  // namespace maxmargin::sequences
