// Common substrings of two sequences: all pairs of their occurrences, or the different ones.
//
// With A_ij the longest common suffix of the first i codes of x and the first j of z, the pairs are
// sum_ij max(0, min(A_ij, longest) - (shortest - 1)). A substring of z is counted once at the place
// where it first ends: the different ones are
// sum_j max(0, min(max_i A_ij, longest) - max(R_j, shortest - 1)),
// where R_j is the longest substring of z that ends at j and at an earlier place too.
#pragma once

#include "tiles.h"

namespace maxmargin::sequences {

enum class Count { pairs, distinct };

struct Lengths {
  int64_t shortest, longest;
};

class CommonSubstrings final : public TiledComparison {
 public:
  CommonSubstrings(std::unique_ptr<const Corpus> corpus, Count count, Lengths lengths);

 private:
  struct Tile;

  void fill_tile(Places rows, Places columns, double* values,
                 threads::Worker& worker) const override;
  template <class T>
  void by_lanes(int64_t row, Tile& tile, double* values) const;
  void by_automaton(int64_t row, Places columns, double* values, threads::Worker& worker) const;
  template <class T>
  bool suits(int64_t longest_run) const;

  Count count_;
  Lengths lengths_;
  std::vector<int64_t> floors_;  // max(R_j, shortest - 1) of every code on the right, if distinct
};

}  // namespace maxmargin::sequences
