// The second-order model of the l1 machine over some features and the bias, and its minimiser.
//
//   min slope'd + 1/2 d'Hd + sum price_k |w_k + d_k|,   H = 2 sum cost_i z_i z_i' over slack > 0
//
// Where features are few, a matrix of their size costs less than the sweeps it saves (Yuan, Ho, Lin
// 2012). It is minimised by coordinate descent; from time to time the weights that are not zero take
// the exact step of their quadratic, up to the first change of sign.
#pragma once

#include <cstdint>
#include <vector>

#include "../linalg/cholesky.h"
#include "../threads/pacer.h"
#include "gram.h"
#include "l1_line.h"
#include "matrix.h"

namespace maxmargin::linear {

template <class T>
class L1Model {
 public:
  static constexpr int64_t most_features = 2000;

  // What building and minimising costs, in entries of columns read.
  static double cost(bool is_sparse, double n_entries, int64_t n_features, int64_t n_points);

  // `columns` holds a feature a row; `features` ascend.
  void build(const Matrix<T>& columns, const std::vector<int64_t>& features,
             const std::vector<L1Point>& points, threads::Pacer& pacer);

  // Weights and prices of the features, then of the bias; an infinite price fixes a weight.
  // Returns the step.
  std::vector<double> minimise(const std::vector<double>& weights,
                               const std::vector<double>& price, threads::Pacer& pacer);

 private:
  void add_sparse(const Matrix<T>& columns, const std::vector<int64_t>& features,
                  const std::vector<L1Point>& points, GramSum<T>& sum, threads::Pacer& pacer);
  void add_dense(const Matrix<T>& columns, const std::vector<int64_t>& features,
                 const std::vector<L1Point>& points, GramSum<T>& sum, threads::Pacer& pacer);
  GapEstimate sweep(const std::vector<double>& price);
  void follow_signs(const std::vector<double>& price, threads::Pacer& pacer);
  std::vector<double> newton_step(const std::vector<int64_t>& members,
                                  const std::vector<double>& price);
  void move(int64_t k, double change);
  const double* row(int64_t k) const { return hessian_.data() + k * size_; }

  int64_t size_ = 0;
  std::vector<double> hessian_, slope_, now_;
  std::vector<int64_t> used_;        // points with slack
  std::vector<double> used_weight_;  // twice their cost
  linalg::Cholesky cholesky_;
};

}  // namespace maxmargin::linear
