// The exact solver for kernel machines: a working set of a few thousand variables at a time.
//
// Each round takes the worst violators into the working set, solves for them with all others fixed,
// and applies the rows of those that changed to the gradient. Rows come from a shared store.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "patience.h"
#include "program.h"
#include "similarities.h"
#include "subproblem.h"

namespace maxmargin::decomposition {

enum class Ending { converged, steps, interrupted, stalled };

struct Limits {
  double tolerance;
  int64_t most_steps;
  int64_t working_set;
  int64_t whole_up_to;  // variables up to which the working set is all of them
  int64_t widest;       // the most variables that may still move to be taken as one working set
};

// What a watcher sees after each round.
struct Progress {
  int64_t steps, rounds;
  double violation;
  double primal, dual;  // of the problem whose dual the program is
};

using Report = std::function<void(const Progress&)>;

struct Outcome {
  Ending ending;
  Progress progress;
};

template <class T>
class Decomposition {
 public:
  Decomposition(Program& program, rows::RowStore<T>& store, const Limits& limits,
                const rows::Execution& execution, const Report& report);

  // Continues from program.value; `similarities`, unless empty, is what the kernel gives for it at
  // the points of the program's segments in order, so that it need not be computed.
  Outcome run(std::vector<double> similarities);

  // What `run` is made of, for programs that go in step. A round goes on while both say so; then its
  // changes are to be added to the similarities, before it is adopted.
  void start(std::vector<double> similarities);
  bool choose();
  bool solve();
  std::vector<Change> changes() const;
  void adopt();
  Outcome end();
  Similarities<T>& similarities_to_change() { return similarities_; }

  // u's derivative at the end; empty if the run was interrupted before it was known.
  std::vector<double> gradient() const;

  // Whether all variables are worked on at once, without the store.
  bool takes_all() const { return program_.size() <= limits_.whole_up_to; }

  // What `run` can go on from; only kept where not all variables are worked on at once.
  const std::vector<double>& similarities() const { return similarities_.values(); }

  // What the run has added to each part of them that is kept apart.
  const std::vector<double>& parts() const { return similarities_.parts(); }

 private:
  bool end_by(Ending ending) {
    outcome_.ending = ending;
    return false;
  }
  void apply_start();
  void score_by_matrix();
  int64_t capacity() const;
  void score_all();
  Progress measure(const std::vector<Ends>& ends) const;
  void load_slots(const std::vector<int32_t>& slots);
  int64_t point_of(int64_t slot) const { return program_.point[working_set_.member(slot)]; }
  void load_matrix(const std::vector<int32_t>& slots);
  template <class Action>
  void for_each_slot(const std::vector<int32_t>& slots, const Action& action);
  void finish_row(int32_t slot, const std::vector<int32_t>& with_point);
  void mirror(const std::vector<int32_t>& slots);
  const std::vector<int32_t>& choose_working_set(const std::vector<Ends>& ends);
  bool widen(const std::vector<Ends>& ends);
  int64_t solve_working_set(double violation);

  Program& program_;
  const Limits limits_;
  const rows::Execution& execution_;
  const Report& report_;
  threads::Pacer pacer_;
  Similarities<T> similarities_;
  bool is_directed_ = false;
  Scores scores_;  // by variable
  WorkingSet working_set_;
  Subproblem<T> subproblem_;
  // Rounds with a small working set before all that may still move is taken as one.
  int64_t opening_rounds_ = 8;
  // Rounds that make a run long enough for the matrix of a large wide set to pay.
  int64_t rounds_until_long_ = 24;
  bool is_wide_ = false;  // whether the working set is everything that may still move
  bool is_near_ = false;  // whether it goes on from an earlier run
  bool has_started_ = false;  // whether the scores are those of the values
  int64_t steps_ = 0, rounds_ = 0;
  Patience patience_;
  Outcome outcome_{Ending::interrupted,  // until another end is reached
                   {.steps = 0,
                    .rounds = 0,
                    .violation = std::numeric_limits<double>::infinity(),
                    .primal = std::numeric_limits<double>::infinity(),
                    .dual = -std::numeric_limits<double>::infinity()}};
};

}  // namespace maxmargin::decomposition
