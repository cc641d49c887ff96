// Second-order SMO (Fan, Chen, Lin 2005) over variables whose matrix is in memory.
//
// Each step moves the variable of highest score that can rise against the one of its group that
// promises the largest gain, and a little further than that: fewer steps are needed then. A step is
// two passes: find the partner, and update all scores while looking for the next highest.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "../kernels/memory.h"
#include "../simd/dispatch.h"
#include "scores.h"

namespace maxmargin::decomposition {

// Rows of a square matrix, with finite values up to a multiple of 64 bytes behind each.
template <class T>
struct MatrixView {
  const T* values;
  int64_t stride;

  const T* row(int64_t index) const { return values + index * stride; }
};

// T is the type of the matrix, U that of the scores.
template <class T, class U>
class Pairs {
 public:
  Pairs(int64_t capacity, int32_t n_groups);

  // Takes variables `slots` of a problem as 0, 1, ...: the rows of `matrix` in the same order.
  void load(const std::vector<int32_t>& slots, const Scores& from, MatrixView<T> matrix);

  double violation() const;

  // Steps until no group's violation exceeds `limit`; returns their number. Calls `pause` between
  // runs of steps that take some milliseconds.
  int64_t solve(double limit, int64_t most_steps, const std::function<void()>& pause);

  // Writes the values back and lists what changed: slot and change.
  void unload(const std::vector<int32_t>& slots, Scores& to, std::vector<int32_t>& changed,
              std::vector<double>& changes) const;

 private:
  U* closed_to_rise(int32_t group) { return closed_to_rise_.get() + group * stride_; }
  U* closed_to_fall(int32_t group) { return closed_to_fall_.get() + group * stride_; }
  void set_openings(int64_t v);
  enum class Step { none, moved, closed };
  Step step(int32_t group, double limit);
  void find_tops();

  const simd::StepLoops<T, U>& loops_ = simd::active_steps<T, U>();
  int64_t stride_, n_ = 0, padded_ = 0;
  int32_t n_groups_;
  MatrixView<T> matrix_{};
  std::vector<simd::Highest<U>> top_;  // by group
  std::vector<double> centre_;         // of each group's scores: differences keep their digits
  std::vector<int32_t> group_;
  std::vector<double> value_, start_, low_, high_;
  kernels::Memory<U> score_, diagonal_, closed_to_rise_, closed_to_fall_;
};

}  // namespace maxmargin::decomposition
