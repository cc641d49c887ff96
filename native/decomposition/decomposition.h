// The exact solver for kernel machines: a working set of a few thousand variables at a time.
//
// Each round takes the worst violators into the working set, solves for them with all others fixed,
// and applies the rows of those that changed to the gradient (Osuna, Freund, Girosi 1997; Joachims
// 1999; Fan, Chen, Lin 2005). Rows come from a shared store. Far from the optimum the working set is
// the coarse level, half of which changes every round; near it the wide level, which holds all that
// may still move.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "../run/pacer.h"
#include "../run/progress.h"
#include "level.h"
#include "patience.h"
#include "tuning.h"

namespace maxmargin::decomposition {

template <class T>
class Decomposition {
 public:
  // All references must outlive the solver.
  Decomposition(QP& qp, rows::RowStore<T>& store, const Tuning& tuning,
                const rows::Execution& execution, const run::Report& report);

  // From qp.value, whose expansion is not known.
  void start();
  // The same where the expansion is known, at all columns of the store's segments that the QP
  // touches.
  void start(std::vector<double> expansion);
  // The same where that of other coefficients is known, by column, which differ in some points only.
  void start_near(std::vector<double> expansion, const std::vector<double>& coefficients);
  // From where the last run ended, now with a QP of the same Hessian, whose value is near `factor`
  // times the last one.
  void restart(QP& next, double factor, const run::Report& report);
  // From where the last run ended, to another tolerance.
  void resume(double tolerance);
  // The same with the expansion, by column, computed more accurately; the progress is that there.
  void resume(double tolerance, std::vector<double> expansion);

  // Rounds until the tolerance is reached or something else ends it.
  void run(int64_t most_steps);

  // What `run` is made of, for QPs that are solved in step. A round goes on while both return true;
  // then its changes are to be added to the expansion, before it is adopted.
  bool choose(int64_t most_steps);
  bool solve(int64_t most_steps);
  std::vector<Change> changes() const;
  void adopt();
  Expansion<T>& expansion() { return expansion_; }
  // Writes the values into the QP.
  void end() { qp_->value = scores_.value; }

  // The progress says that it has converged; nothing leads any further.
  void end_by_measure() { status_ = run::Status::converged; }
  void give_up() { status_ = run::Status::stalled; }

  run::Status status() const { return status_; }
  const run::Progress& progress() const { return progress_; }
  // What the violation is to reach at the QP's own tolerance: a share of the margin for a nu form,
  // which chooses its own.
  double wanted() const { return qp_->tolerance * margin(); }
  // u's derivative; empty if the run was interrupted before it was known.
  std::vector<double> gradient() const;
  // Whether all variables are worked on at once, without the store.
  bool takes_all() const { return qp_->size() <= tuning_.whole_up_to; }

 private:
  bool end_by(run::Status status);
  void begin();
  void apply_start(int caution);
  void score_by_matrix();
  void score_all();
  void kernel_parts_by_matrix(const std::vector<double>& changes);
  run::Progress measure() const;
  double margin() const;
  bool has_tried_enough();
  double tolerance() const { return asked_ * margin(); }
  int64_t coarse_capacity() const;
  Level<T>& choose_level();
  void be_precise_if_needed();

  QP* qp_;
  const Tuning tuning_;
  const rows::Execution& execution_;
  const run::Report* report_;
  run::Pacer pacer_;
  Expansion<T> expansion_;
  Scores scores_;  // by variable
  std::vector<Ends> ends_;
  std::optional<Level<T>> coarse_, wide_;
  Level<T>* level_ = nullptr;  // the one that is worked on
  double asked_;               // the tolerance, before the margin is taken into account
  int64_t opening_rounds_, long_rounds_;
  bool is_precise_ = false;
  // Where the data chose a tiny margin, a share of it may be out of reach: whether the tolerance
  // itself has to do, and the steps that led there.
  bool ignores_margin_ = false;
  int64_t steps_to_tolerance_ = -1;
  bool is_near_ = false;      // whether it goes on from another run
  bool has_started_ = false;  // whether the scores are those of the values
  int64_t steps_ = 0, rounds_ = 0;
  Patience patience_;
  run::Status status_ = run::Status::interrupted;  // until another end is reached
  run::Progress progress_ = run::not_begun;
};

}  // namespace maxmargin::decomposition
