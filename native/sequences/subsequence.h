// Subsequences of a given length, with gaps: each counts decay to the power of what it spans.
//
// Lodhi, Saunders, Shawe-Taylor, Cristianini, Watkins 2002.
#pragma once

#include "tiles.h"

namespace maxmargin::sequences {

class Subsequence final : public TiledComparison {
 public:
  Subsequence(std::unique_ptr<const Corpus> corpus, int64_t length, double decay)
      : TiledComparison(std::move(corpus)), length_(length), decay_(decay) {}

 private:
  void fill_tile(Places rows, Places columns, double* values,
                 threads::Worker& worker) const override;

  int64_t length_;
  double decay_;
};

}  // namespace maxmargin::sequences
