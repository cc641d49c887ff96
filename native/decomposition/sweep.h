// Machines along a price, over the Gram matrix of all points of a search.
//
// A machine whose variables are most of the points works on the matrix in place, with the other
// points held at zero; a small one takes its own rows and columns out of it. Each solution starts
// from the one before, whose kernel sums scale with it.
//
// In place, the variables that are worked on have a matrix of their own, smaller and closer than the
// shared one: the worst violators far from the optimum, near it all that may still move. Those stay
// from solution to solution, for most of them will move again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "decomposition.h"
#include "subproblem.h"
#include "working_set.h"

namespace maxmargin::decomposition {

// The matrix of n points. Rows have zeros behind their last value, `room` of them at least, and a
// row of zeros follows the last: there a variable without a point finds its place.
template <class T>
struct SharedGram {
  static constexpr int64_t room = simd::lanes<T>;

  const T* values;
  int64_t n_points, stride;

  const T* row(int64_t point) const { return values + point * stride; }
};

// What changes from machine to machine; by variable.
struct Stage {
  std::span<const double> start, low, high, linear;
  std::span<const int64_t> group;  // from 0
  double factor;                   // brings the last solution near the start
  double tolerance;
  double coarse;  // times the tolerance: the violation down to which few variables move at a time
  int64_t most_steps;
};

template <class T>
class Sweep {
 public:
  // Each variable has a point of its own. `loose` variables are in no sum.
  Sweep(const SharedGram<T>& gram, std::vector<int64_t> points, int32_t n_groups, bool loose,
        bool precise);

  int64_t n_variables() const { return static_cast<int64_t>(points_.size()); }
  int64_t n_points() const { return gram_.n_points; }
  int32_t n_groups() const { return n_groups_; }

  Outcome solve(const Stage& stage, const rows::Execution& execution);

  // By variable, where the last stage ended.
  std::vector<double> values() const;
  std::vector<double> gradient() const;

  // sum_j b_j k(x_j, x) at some points of the matrix; points side by side cost least.
  void similarities(std::span<const int64_t> at, double* found) const;
  // Goes on from these instead, one for each point.
  void set_similarities(std::span<const double> known);

 private:
  // Some variables, and their own matrix.
  struct Level {
    WorkingSet members;
    Subproblem<T> problem;

    Level(int64_t capacity, int64_t n_slots, int32_t n_groups, bool precise)
        : members(capacity, n_slots), problem(capacity, n_groups, precise) {}
  };

  int64_t slot(int64_t variable) const { return in_place_ ? points_[variable] : variable; }
  bool has_levels() const { return coarse_.has_value(); }
  void take_matrix();
  void begin(const Stage& stage);
  void apply(const std::vector<int32_t>& slots, const std::vector<double>& changes);
  Level* choose_level(const std::vector<Ends>& ends, int64_t rounds);
  void load(Level& level, const std::vector<int32_t>& fresh);
  int64_t solve_level(Level& level, typename Subproblem<T>::Task task);
  double similarity(int64_t slot) const {
    return -(subproblem_.scores.score[slot] + linear_[slot]);
  }

  const SharedGram<T> gram_;
  const std::vector<int64_t> points_;
  const int32_t n_groups_;
  const bool loose_, in_place_;
  const int64_t n_slots_;
  Subproblem<T> subproblem_;
  std::vector<double> linear_;  // by slot
  std::optional<Level> coarse_, fine_;
  bool has_matrix_;
};

}  // namespace maxmargin::decomposition
