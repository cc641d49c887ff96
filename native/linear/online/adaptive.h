// One online machine whose steps have a length for each feature.
//
//   w_j += amount length_j y x_j,   length_j = reach_j / sqrt(sum of the squared slopes met so far)
//
// where reach_j is the farthest that w_j has been from zero (Ivgi, Hinder, Carmon 2023, by feature;
// Duchi, Hazan, Singer 2011). A feature met a hundred times in a stream moves as far as it must
// although others are met all the time, and there is no length to tune. The amount is that of the
// proximal step in this metric: it never goes beyond the row's margin.
//
// A feature is brought up to date when it is met. Meanwhile it has shrunk by 1 / (1 + lambda length
// time), and its mean over the time t, weighing t^decay, has taken up what it was.
#pragma once

#include <algorithm>
#include <cmath>

#include "online.h"

namespace maxmargin::linear {

template <class T>
class AdaptiveMachine {
 public:
  AdaptiveMachine(const OnlineRule& rule, const OnlineState& state, int64_t n_columns)
      : rule_(rule), now_(*state.numbers), weight_(state.vectors), mean_(weight_ + n_columns),
        squares_(mean_ + n_columns), reach_(squares_ + n_columns), length_(reach_ + n_columns),
        touched_(length_ + n_columns) {}

  void learn(const Matrix<T>& data, int64_t row, double sign, double importance, double penalty) {
    const bool has_bias = rule_.bias_square > 0;
    const double own = bring_up_to_date(data, row);
    const double score = data.dot(row, weight_) + now_.bias;
    const double mean_score = data.dot(row, mean_) + now_.mean_bias;
    now_.see(rule_, importance, penalty, sign * mean_score, own + (has_bias ? 1 : 0));
    const double slack = std::max(0.0, 1 - sign * score);
    if (slack == 0 || now_.size == 0) return;

    const double least = first_move / std::sqrt(now_.size);
    const double slope = penalty * (rule_.loss == OnlineLoss::hinge ? 1 : 2 * slack);
    const double square = importance * slope * slope;
    double curvature = 0;
    for_each_entry(data, row, [&](int64_t j, double x) {
      squares_[j] += square * x * x;
      length_[j] = squares_[j] > 0 ? std::max(reach_[j], least) / std::sqrt(squares_[j]) : 0.0;
      curvature += length_[j] * x * x;
    });
    if (has_bias) {
      now_.bias_squares += square;
      now_.bias_length = std::max(now_.bias_reach, least) / std::sqrt(now_.bias_squares);
      curvature += now_.bias_length;
    }
    if (curvature == 0) return;
    const double most = importance * penalty;
    const double amount = rule_.loss == OnlineLoss::hinge
                              ? std::min(most, slack / curvature)
                              : 2 * most * slack / (1 + 2 * most * curvature);
    for_each_entry(data, row, [&](int64_t j, double x) {
      weight_[j] += amount * sign * length_[j] * x;
      reach_[j] = std::max(reach_[j], std::abs(weight_[j]));
    });
    if (has_bias) {
      now_.bias += amount * sign * now_.bias_length;
      now_.bias_reach = std::max(now_.bias_reach, std::abs(now_.bias));
    }
  }

 private:
  // The first step moves a row's value by this much.
  static constexpr double first_move = 0.1;

  // Zeros of a dense row are skipped, so that it is learnt like a sparse one.
  template <class Act>
  void for_each_entry(const Matrix<T>& data, int64_t row, const Act& act) const {
    data.for_each_entry(row, [&](int64_t j, double x) {
      if (data.is_sparse() || x != 0) act(j, x);
    });
  }

  // Returns the row's squared norm.
  double bring_up_to_date(const Matrix<T>& data, int64_t row) {
    const double time = now_.seen;
    double own = 0;
    for_each_entry(data, row, [&](int64_t j, double x) {
      own += x * x;
      if (touched_[j] == time) return;
      wait(weight_[j], mean_[j], touched_[j], rule_.lambda * length_[j], time);
    });
    if (now_.bias_touched < time) {
      const double pull = rule_.bias_shrinks ? rule_.lambda * now_.bias_length : 0.0;
      wait(now_.bias, now_.mean_bias, now_.bias_touched, pull, time);
    }
    return own;
  }

  // The mean takes up what the weight was in the middle of the time it waited.
  static void wait(double& weight, double& mean, double& touched, double pull, double time) {
    static_assert(OnlineNumbers::decay == 3);
    const double passed = pull * (time - touched), ratio = touched / time;
    const double kept = ratio * ratio * ratio * ratio;
    mean = kept * mean + (1 - kept) * weight / (1 + 0.5 * passed);
    weight /= 1 + passed;
    touched = time;
  }

  const OnlineRule& rule_;
  OnlineNumbers& now_;
  double *weight_, *mean_, *squares_, *reach_, *length_, *touched_;
};

}  // namespace maxmargin::linear
