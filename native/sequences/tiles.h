// Blocks in tiles of some sequences against as many others, of about the same length.
#pragma once

#include <memory>

#include "../threads/pool.h"
#include "comparison.h"
#include "sequences.h"

namespace maxmargin::sequences {

// Sequences on each side of a tile: as many as there are lanes of bytes.
inline constexpr int64_t tile_size = 64;

class TiledComparison : public Comparison {
 public:
  explicit TiledComparison(std::unique_ptr<const Corpus> corpus) : corpus_(std::move(corpus)) {}

  void fill(Places rows, Places columns, double* out, const Execution& execution) const final;
  void fill_diagonal(double* out, const Execution& execution) const final;
  int64_t n_left() const final { return left().n; }
  int64_t n_right() const final { return right().n; }

 protected:
  const Corpus& corpus() const { return *corpus_; }
  const Sequences& left() const { return corpus_->left(); }
  const Sequences& right() const { return corpus_->right(); }

  // values[r * tile_size + c] = k(left[rows[r]], right[columns[c]]); the columns rise in length.
  virtual void fill_tile(Places rows, Places columns, double* values,
                         threads::Worker& worker) const = 0;

 private:
  std::unique_ptr<const Corpus> corpus_;
};

}  // namespace maxmargin::sequences
