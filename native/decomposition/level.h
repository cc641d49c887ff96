// Some of a QP's variables, worked on together, and their part of its Hessian.
#pragma once

#include <cstdint>
#include <vector>

#include "expansion.h"
#include "qp.h"
#include "subproblem.h"
#include "working_set.h"

namespace maxmargin::decomposition {

template <class T>
class Level {
 public:
  Level(int64_t capacity, const QP& qp, bool precise)
      : members(capacity, qp.size()), problem(capacity, qp.n_groups, precise) {}

  void resize(int64_t capacity, const QP& qp) {
    problem.resize(capacity);
    members = WorkingSet(capacity, qp.size());
  }

  // Fills the rows and columns of new members: from kept rows, if `may_gather` and that is faster,
  // else by the kernel.
  void load_matrix(const std::vector<int32_t>& slots, const QP& qp, Expansion<T>& expansion,
                   bool may_gather, const rows::Execution& execution);

  // Takes the members' scores, values and bounds.
  void load_scores(const Scores& scores);

  WorkingSet members;
  Subproblem<T> problem;

 private:
  int64_t point_of(const QP& qp, int64_t slot) const { return qp.point[members.member(slot)]; }
  void place_values(int32_t slot, const std::vector<int32_t>& with_point, const QP& qp);
  void mirror(const std::vector<int32_t>& slots, const rows::Execution& execution);
};

}  // namespace maxmargin::decomposition
