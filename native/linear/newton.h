// Newton's method on the primal of squared losses.
//
// The objective has a piecewise constant Hessian, R + X'DX over the points with slack; steps with
// an exact line search reach its optimum after finitely many (Keerthi, DeCoste 2005; Chapelle 2007).
// The system is solved by Cholesky where the features are few, else by conjugate gradients. Its
// solution is also one for multipliers, and their dual value close to the optimum long before that of
// the slacks, which a gradient spoils however small the weights' error.
#pragma once

#include <vector>

#include "../linalg/cholesky.h"
#include "changing_gram.h"
#include "dual_value.h"
#include "gram.h"
#include "incumbent.h"
#include "matrix.h"
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

  const Machine& machine() const { return best_.machine(); }

 private:
  struct Bend;

  double multiplier_now(int64_t i, int64_t r) const;
  double multiplier_after(int64_t i, int64_t r, const double* change) const;
  template <class Multiplier>
  DualSums sums(const Multiplier& multiplier) const;
  template <class Multiplier>
  std::vector<double> multipliers(const Multiplier& multiplier) const;
  std::vector<double> gradient(const DualSums& now) const;
  std::vector<double> direction(const std::vector<double>& gradient);
  std::vector<double> by_factorising(const std::vector<double>& gradient);
  std::vector<double> by_conjugate_gradients(const std::vector<double>& gradient) const;
  std::vector<double> times_hessian(const std::vector<double>& step) const;
  std::vector<double> scores_of(const std::vector<double>& step) const;
  Bend bend(const std::vector<double>& change, double length, int64_t begin, int64_t end) const;
  double best_length(const std::vector<double>& step, const std::vector<double>& change,
                     double slope) const;
  double primal(const DualSums& now) const;
  void offer_dual(const std::vector<double>& change);
  double regularisation(int64_t c) const;
  void weigh(int64_t begin, int64_t end, double* weights) const;
  std::vector<double> gram();

  const Matrix<T>& data_;
  const Program& program_;
  const Limits limits_;
  const Execution& execution_;
  const Report& report_;
  const double smallest_value_;
  Incumbent best_;
  const int64_t size_;  // features and bias
  RepeatedSum<GramSum<T>> dense_gram_;
  ChangingGram<T> sparse_gram_;
  const RowTasks light_tasks_;
  std::vector<double> price_;  // 1 / ridge
  linalg::Cholesky cholesky_;
  std::vector<double> weights_, score_;
};

}  // namespace maxmargin::linear
