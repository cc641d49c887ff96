// The systems of Newton's method: R + X'DX over the points whose slack counts, and a right-hand side.
//
// Solved by Cholesky where the features are few, else by conjugate gradients.
#pragma once

#include <vector>

#include "../linalg/cholesky.h"
#include "changing_gram.h"
#include "gram.h"
#include "matrix.h"
#include "program.h"
#include "sums.h"

namespace maxmargin::linear {

template <class T>
class NewtonSystem {
 public:
  NewtonSystem(const Matrix<T>& data, const Program& program, const Execution& execution);

  int64_t size() const { return size_; }  // features and bias
  double regularisation(int64_t c) const;

  // `weights` are those of the points' slacks. Returns nothing where rounding leaves no factor.
  std::vector<double> solve(const std::vector<double>& weights, const std::vector<double>& right);

  // Points that come or go cost no more than their own part of the matrix.
  bool is_cheap_to_change() const { return data_.is_sparse() && is_factorised(); }

 private:
  bool is_factorised() const;
  const std::vector<double>& gram(const std::vector<double>& weights);
  std::vector<double> by_factorising(const std::vector<double>& weights,
                                     const std::vector<double>& right);
  std::vector<double> by_conjugate_gradients(const std::vector<double>& weights,
                                             const std::vector<double>& right) const;
  std::vector<double> times(const std::vector<double>& weights, const std::vector<double>& step) const;

  const Matrix<T>& data_;
  const Program& program_;
  const Execution& execution_;
  const int64_t size_;
  RepeatedSum<GramSum<T>> dense_gram_;
  ChangingGram<T> sparse_gram_;
  const RowTasks light_tasks_;
  linalg::Cholesky cholesky_;
};

}  // namespace maxmargin::linear
