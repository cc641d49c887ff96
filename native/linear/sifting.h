// Interior points for a hinge or a tube with very many points: most of them are settled early.
//
// Weights near the optimum, from a start or a sample, say of nearly every point on which side of its
// margin it lies, and so whether its multiplier is zero or its cost. Only the points close to
// their margin stay open; the others' multipliers are held, which makes them one constant vector in
// a small program that InteriorPoint solves. Its dual value is one of the whole program. One pass
// over the data then gives the primal value and the points that were held on the wrong side, which
// are opened; without such points the small program's solution is that of the whole.
#pragma once

#include <cstdint>
#include <vector>

#include "incumbent.h"
#include "interior_point.h"
#include "subset.h"

namespace maxmargin::linear {

template <class T>
class Sifting {
 public:
  Sifting(const Matrix<T>& data, const Program& program, const Limits& limits,
          const Execution& execution, const Report& report);

  // A machine and what is known of it, to begin with.
  void offer(const Machine& machine, const Progress& progress);

  // Empty weights for no start.
  Outcome run(const std::vector<double>& weights, double bias);

  // The best machine so far.
  Machine take_machine() { return best_.take(); }

 private:
  bool pays() const;
  double sampled_share() const;
  void measure_reach();
  void add_sample(double share);
  void solve_sample();
  void judge(double dual);
  double distance_of_share(double share) const;
  int64_t open_points(double distance, bool keeps_open);
  DualSums hold_others();
  OwnProgram small_program();
  double adopt(const std::vector<double>& multipliers, DualSums sums);
  double refine(double goal);
  void offer_zero();
  Outcome solve_whole();

  // Of the small program's constraint k: whether it is a guard's, and which of all it is.
  bool is_guard(int64_t k) const {
    return k % static_cast<int64_t>(chosen_.size()) >= static_cast<int64_t>(open_.size());
  }
  int64_t variable(int64_t k) const {
    const auto n_chosen = static_cast<int64_t>(chosen_.size());
    return k / n_chosen * program_.n_points + chosen_[k % n_chosen];
  }

  const Matrix<T>& data_;
  const Program& program_;
  const Limits limits_;
  const Execution& execution_;
  const Report& report_;
  // Small programs report nothing, but their iterations are too short to be asked about otherwise.
  const Report silent_ = [this](const Progress&) {
    if (execution_.should_stop && execution_.should_stop()) throw threads::Interrupted();
  };
  const double smallest_value_;
  Incumbent best_;
  const RowTasks tasks_;
  const int64_t size_;  // features and bias
  Progress progress_;
  int64_t iterations_ = 0;
  RowSubset<T> rows_;
  std::vector<int64_t> open_, chosen_;    // points; the chosen ones are the open ones and guards
  std::vector<double> stands_for_;        // of chosen points: for how many
  std::vector<uint8_t> is_open_;          // for every point
  std::vector<double> weights_;           // w and b
  std::vector<double> multiplier_;        // zero or the cost, but for open points
  std::vector<double> margin_;            // of every constraint
  std::vector<double> reach_;             // of every point: how far it moves with the weights
  std::vector<double> distance_;          // of every point: its least margin, in reaches
  double movement_ = 0;                   // of an open margin in the last round, in the mean
  double depth_ = 0;                      // of the points that were held on the wrong side, in reaches
};

}  // namespace maxmargin::linear
