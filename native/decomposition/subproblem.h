// The problem of one working set, with its whole matrix in memory.
//
// A few thousand variables far from their optimum are best solved through a nested working set of
// a few hundred, whose own matrix stays in the cache; near the optimum, steps over all that may
// still move are more expensive, but so much fewer that they are faster.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "../kernels/block.h"
#include "../kernels/memory.h"
#include "../run/pacer.h"
#include "pairs.h"
#include "scores.h"
#include "working_set.h"

namespace maxmargin::decomposition {

template <class T>
class Subproblem {
 public:
  // `precise` steps in float64 even where the matrix is float32.
  Subproblem(int64_t capacity, int32_t n_groups, bool precise);

  // Forgets everything; memory that is large enough is used again.
  void resize(int64_t capacity);

  // Steps in float64 from now on.
  void be_precise() { precise_ = true; }

  int64_t capacity() const { return scores.size(); }
  MatrixView<T> view() const { return {matrix_.get(), stride_}; }
  // To be filled.
  T* row(int64_t slot) { return matrix_.get() + slot * stride_; }
  // Rows have this much room behind the last slot.
  static constexpr int64_t overrun = simd::panel_width<T>;

  Scores scores;  // by slot

  struct Task {
    int64_t n_slots;
    double limit;      // the violation to reach
    double tolerance;  // the one the whole problem is to reach
    int64_t most_steps;
    const kernels::Execution& execution;
    run::Pacer& pacer;
  };

  // Both return the number of steps; the values change, and the scores with them.
  int64_t solve_nested(const Task& task);
  int64_t solve_whole(const Task& task);

 private:
  // Rows a power of two apart would share a few cache sets.
  static int64_t stride_of(int64_t capacity) {
    return (capacity / overrun + 2) * overrun + simd::lanes<T>;
  }

  template <class U>
  int64_t solve_tile(Pairs<T, U>& pairs, const Task& task, int64_t most_steps);
  template <class U>
  int64_t solve_active(const Task& task, double violation, int64_t most_steps);
  void take_newton_steps(const Task& task);
  void find_active(const Task& task, const std::vector<Ends>& ends);
  MatrixView<T> gather(const std::vector<int32_t>& slots, kernels::Memory<T>& memory,
                       int64_t& allocated);
  void update_scores(const Task& task);

  int32_t n_groups_;
  bool precise_;
  bool is_hard_ = false;  // whether steps on pairs have been seen to crawl
  int64_t stride_ = 0, allocated_ = 0;
  kernels::Memory<T> matrix_, tile_matrix_, active_matrix_;
  int64_t tile_allocated_ = 0, active_allocated_ = 0;
  std::optional<Pairs<T, T>> tile_;
  std::optional<Pairs<T, double>> precise_tile_;
  WorkingSet nested_;
  std::vector<int32_t> active_, changed_;
  std::vector<double> changes_;
  std::vector<const T*> changed_rows_;
};

}  // namespace maxmargin::decomposition
