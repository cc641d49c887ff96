// What a solver of linear machines is given and what it returns.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "../data/matrix.h"
#include "../kernels/block.h"
#include "../run/progress.h"
#include "qp.h"

namespace maxmargin::linear {

using data::Matrix;
using kernels::Execution;
using run::Progress;
using run::Status;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// One QP over its data, and how it is to be solved.
template <class T>
struct Task {
  const Matrix<T>& data;
  const BoxQP& qp;
  run::Stop stop;
  const Execution& execution;
  const run::Report& report;
};

// Empty arrays for zero.
struct WarmStart {
  std::vector<double> weights, multipliers;
  double bias = 0;
};

// The best weights and, whether they belong to each other or not, the best multipliers.
struct Solution {
  Status status = Status::interrupted;
  Progress progress = run::not_begun;
  std::vector<double> weights, multipliers;
  double bias = 0;
};

inline double relative_gap(double primal, double dual, double smallest_value = 0) {
  const double size = std::max({std::abs(primal), std::abs(dual), smallest_value});
  return size > 0 && std::isfinite(size) ? (primal - dual) / size : primal - dual;
}

// The best that a run has seen: the weights of the least primal value and the multipliers of the
// greatest dual value.
class Incumbent {
 public:
  // Until something is offered all is zero, with that dual value.
  Incumbent(const BoxQP& qp, int64_t n_features, double dual_of_zero = 0)
      : qp_(qp), n_features_(n_features), smallest_value_(qp.smallest_value()), dual_(dual_of_zero) {}

  void offer_weights(double primal, const double* weights, double bias) {
    if (!(primal < primal_)) return;
    primal_ = primal;
    best_.weights.assign(weights, weights + n_features_);
    best_.bias = qp_.has_bias() ? bias : 0.0;
  }

  // `multipliers` is a function, called where the dual value is the best so far.
  template <class Multipliers>
  void offer_multipliers(double dual, const Multipliers& multipliers) {
    if (!(dual > dual_)) return;
    dual_ = dual;
    best_.multipliers = multipliers();
  }

  void offer(const Solution& other) {
    offer_weights(other.progress.primal, other.weights.data(), other.bias);
    offer_multipliers(other.progress.dual, [&] { return other.multipliers; });
  }

  double gap_of(double primal, double dual) const {
    return relative_gap(primal, dual, smallest_value_);
  }

  Progress progress(int64_t iterations) const {
    return {iterations, gap_of(primal_, dual_), primal_, dual_};
  }

  // Once.
  Solution take(Status status, const Progress& progress) {
    best_.multipliers.resize(qp_.size());
    best_.weights.resize(n_features_);
    best_.status = status;
    best_.progress = progress;
    return std::move(best_);
  }

 private:
  const BoxQP& qp_;
  int64_t n_features_;
  double smallest_value_;
  Solution best_;
  double primal_ = infinity, dual_;
};

}  // namespace maxmargin::linear
