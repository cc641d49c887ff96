// Pairs of windows of k codes, weighed by the number of positions in which they differ.
//
// Leslie, Eskin, Cohen, Weston, Noble 2004: the words within m mismatches of both windows are as
// many as their distance says, and none beyond 2m.
#pragma once

#include <vector>

#include "tiles.h"

namespace maxmargin::sequences {

class Mismatch final : public TiledComparison {
 public:
  // weights[d] for windows that differ in d positions; none for more.
  Mismatch(std::unique_ptr<const Corpus> corpus, int64_t window, std::vector<double> weights)
      : TiledComparison(std::move(corpus)), window_(window), weights_(std::move(weights)) {}

 private:
  void fill_tile(Places rows, Places columns, double* values,
                 threads::Worker& worker) const override;
  template <class T>
  void fill_tile_in(Places rows, Places columns, double* values, threads::Worker& worker) const;

  int64_t window_;
  std::vector<double> weights_;
};

}  // namespace maxmargin::sequences
