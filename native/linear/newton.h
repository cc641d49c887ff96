// Newton's method on the primal of squared losses.
//
// The objective has a piecewise constant Hessian, R + X'DX over the points with slack; steps with
// an exact line search reach its optimum after finitely many (Keerthi, DeCoste 2005; Chapelle 2007).
// A step solves the problem over the points with slack as if theirs could be negative; those for which
// it comes out so are let go before the step is taken. Its solution is one of multipliers too: their
// dual value is close to the optimum long before that of the slacks, which any gradient spoils.
#pragma once

#include <vector>

#include "dual_value.h"
#include "incumbent.h"
#include "matrix.h"
#include "newton_system.h"
#include "program.h"
#include "sums.h"

namespace maxmargin::linear {

template <class T>
class PrimalNewton {
 public:
  PrimalNewton(const Matrix<T>& data, const Program& program, const Limits& limits,
               const Execution& execution, const Report& report);

  // Starts from the given weights and bias; empty for zero.
  Outcome run(const std::vector<double>& weights, double bias);

  Machine take_machine() { return best_.take(); }

 private:
  struct Bend;

  template <class Act>
  void for_each_constraint(const Act& act) const;
  template <class IsWanted>
  void hold_slacks(const IsWanted& is_wanted, double share);
  bool release(std::vector<double>& right);
  std::vector<double> pull_of_held() const;
  bool may_sample() const;
  std::vector<double> sampled_step(const std::vector<double>& gradient);
  std::vector<double> whole_step(const std::vector<double>& gradient);
  std::vector<double> step_to_held(const std::vector<double>& gradient, std::vector<double>& right);
  double multiplier_now(int64_t i, int64_t r) const;
  double multiplier_after(int64_t i, int64_t r) const;
  template <class Multiplier>
  DualSums sums(const Multiplier& multiplier) const;
  template <class Multiplier>
  std::vector<double> multipliers(const Multiplier& multiplier) const;
  std::vector<double> gradient(const DualSums& now) const;
  template <class IsWanted>
  void score(const std::vector<double>& weights, std::vector<double>& scores,
             const IsWanted& is_wanted) const;
  Bend bend(double length, int64_t begin, int64_t end) const;
  double best_length(const std::vector<double>& step, double slope) const;
  double primal(const DualSums& now) const;
  void offer_dual();

  const Matrix<T>& data_;
  const Program& program_;
  const Limits limits_;
  const Execution& execution_;
  const Report& report_;
  const double smallest_value_;
  Incumbent best_;
  NewtonSystem<T> system_;
  const int64_t size_;
  const RowTasks light_tasks_;
  std::vector<double> price_;    // 1 / ridge
  std::vector<double> weights_;  // and the bias
  std::vector<double> score_;    // of the points
  std::vector<char> held_;       // the constraints whose slack the step counts
  std::vector<double> weight_;   // what that of a point weighs
  std::vector<double> change_;   // of the scores, in a whole step
};

}  // namespace maxmargin::linear
