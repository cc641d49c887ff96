// A kernel between two collections of sequences, with all that is made ready once.
#pragma once

#include <cstdint>
#include <span>

#include "../kernels/block.h"

namespace maxmargin::sequences {

using kernels::Execution;
using Places = std::span<const int64_t>;

class Comparison {
 public:
  virtual ~Comparison() = default;

  // out[r * columns.size() + c] = k(left[rows[r]], right[columns[c]]). Where both are one
  // collection and the places are the same, the values are exactly symmetric at half the cost. They
  // do not depend on the number of threads.
  virtual void fill(Places rows, Places columns, double* out, const Execution& execution) const = 0;

  // out[i] = k(left[i], left[i]), where both are one collection.
  virtual void fill_diagonal(double* out, const Execution& execution) const = 0;

  virtual int64_t n_left() const = 0;
  virtual int64_t n_right() const = 0;
};

}  // namespace maxmargin::sequences
