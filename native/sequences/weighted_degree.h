// Equal substrings at the same place, or up to some places apart; the longer the lighter.
//
// Raetsch, Sonnenburg 2004; with shifts Raetsch, Sonnenburg, Schoelkopf 2005: the sum over the
// lengths d up to D of 2 (D - d + 1) / (D (D + 1)) times the places at which substrings of length d
// agree; those s places apart count 1 / (2 (s + 1)) in each direction.
#pragma once

#include "tiles.h"

namespace maxmargin::sequences {

class WeightedDegree final : public TiledComparison {
 public:
  WeightedDegree(std::unique_ptr<const Corpus> corpus, int64_t degree, int64_t shift)
      : TiledComparison(std::move(corpus)), degree_(degree), shift_(shift) {}

 private:
  void fill_tile(Places rows, Places columns, double* values,
                 threads::Worker& worker) const override;

  int64_t degree_, shift_;
};

}  // namespace maxmargin::sequences
