// One online machine whose steps have the same length for all features: proximal and Pegasos steps.
#pragma once

#include <algorithm>
#include <cmath>

#include "online.h"

namespace maxmargin::linear {

template <class T>
class UniformMachine {
 public:
  UniformMachine(const OnlineRule& rule, const OnlineState& state, int64_t n_columns)
      : rule_(rule), now_(*state.numbers), v_(state.vectors), u_(v_ + n_columns),
        n_columns_(n_columns) {}

  [[gnu::always_inline]] void learn(const Matrix<T>& data, int64_t row, double sign,
                                    double importance, double penalty) {
    const double raw = data.dot(row, v_), own = data.squared_norm(row);
    const double mean_score =
        now_.share * (data.dot(row, u_) + now_.carried * raw) + now_.mean_bias;
    const double feature = rule_.bias_is_scaled ? 0 : rule_.bias_square;
    const double recent = now_.see(rule_, importance, penalty, sign * mean_score, own + feature);
    const double bias_square = rule_.bias_is_scaled ? rule_.bias_square * now_.size : feature;

    const bool is_pegasos = rule_.step == OnlineStep::pegasos;
    const double amount =
        is_pegasos ? by_subgradient(sign, importance, penalty, raw)
                   : by_proximity(sign, importance, penalty, raw, own + bias_square, bias_square);
    if (amount != 0) {
      const double entry = sign * amount / now_.scale;
      now_.norm += amount * (2 * sign * now_.scale * raw + amount * own);
      data.add(row, entry, v_);
      if (now_.carried != 0) data.add(row, -now_.carried * entry, u_);
      now_.bias += sign * amount * bias_square;
    }
    if (is_pegasos) project();
    take_mean(recent);
  }

 private:
  void shrink(double factor) {
    now_.scale *= factor;
    now_.norm *= factor * factor;
    if (rule_.bias_shrinks) now_.bias *= factor;
  }

  // Both return by how much of the row, times its sign, the weights are to grow.
  double by_subgradient(double sign, double importance, double penalty, double raw) {
    const double margin = sign * (now_.scale * raw + now_.bias);
    const double kept = 1 - importance / now_.seen;
    // At first the weights are zero anyway.
    if (kept > 0) shrink(kept);
    return margin < 1 ? importance * penalty / (rule_.lambda * now_.seen) : 0.0;
  }

  double by_proximity(double sign, double importance, double penalty, double raw, double square,
                      double bias_square) {
    const double length = importance * 2 / (rule_.lambda * (now_.seen + importance));
    shrink(1 / (1 + length * rule_.lambda));
    now_.bias -= length * rule_.bias_slope * bias_square;
    const double slack = std::max(0.0, 1 - sign * (now_.scale * raw + now_.bias));
    if (slack == 0 || square == 0) return 0;
    const double reach = length * penalty;
    if (rule_.loss == OnlineLoss::hinge) return std::min(reach, slack / square);
    return 2 * reach * slack / (1 + 2 * reach * square);
  }

  void project() {
    const double radius = rule_.highest_penalty / rule_.lambda;
    const double reached = now_.norm + now_.bias * now_.bias;
    if (reached > radius) shrink(std::sqrt(radius / reached));
  }

  void take_mean(double recent) {
    if (recent < 1) {
      now_.share *= 1 - recent;
      now_.carried += recent * now_.scale / now_.share;
    } else {  // the first row: u is still zero
      now_.share = 1;
      now_.carried = now_.scale;
    }
    now_.mean_bias += recent * (now_.bias - now_.mean_bias);
    if (std::min(now_.scale, now_.share) < smallest_factor) fold();
  }

  void fold() {
    now_.norm = 0;
    for (int64_t c = 0; c < n_columns_; ++c) {
      u_[c] = now_.share * (u_[c] + now_.carried * v_[c]);
      v_[c] *= now_.scale;
      now_.norm += v_[c] * v_[c];
    }
    now_.scale = now_.share = 1;
    now_.carried = 0;
  }

  // Factors below this are multiplied into the vectors.
  static constexpr double smallest_factor = 1e-6;

  const OnlineRule& rule_;
  OnlineNumbers& now_;
  double* v_;
  double* u_;
  int64_t n_columns_;
};

}  // namespace maxmargin::linear
