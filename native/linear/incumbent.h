// The best that a run has seen: the weights of the least primal value and, whether they belong to
// each other or not, the multipliers of the greatest dual value.
#pragma once

#include <limits>
#include <utility>

#include "program.h"

namespace maxmargin::linear {

class Incumbent {
 public:
  // Before anything is offered all is zero, with that dual value.
  Incumbent(int64_t n_variables, int64_t n_features, double dual_of_zero = 0)
      : n_variables_(n_variables), n_features_(n_features), dual_(dual_of_zero) {}

  // `weights` and `multipliers` are called where the values are the best so far; the former fills
  // in weights and bias.
  template <class Weights, class Multipliers>
  void offer(double primal, double dual, const Weights& weights, const Multipliers& multipliers) {
    if (primal < primal_) {
      primal_ = primal;
      weights(machine_);
    }
    if (dual > dual_) {
      dual_ = dual;
      machine_.multipliers = multipliers();
    }
  }

  // Once.
  Machine take() {
    machine_.multipliers.resize(n_variables_);
    machine_.weights.resize(n_features_);
    return std::move(machine_);
  }

  Progress progress(int64_t iterations, double smallest_value) const {
    return {iterations, primal_, dual_, smallest_value};
  }

 private:
  int64_t n_variables_, n_features_;
  Machine machine_;
  double primal_ = std::numeric_limits<double>::infinity();
  double dual_;
};

}  // namespace maxmargin::linear
