// The current point of the interior-point method, and its three passes over the data.
//
// With slack_i the slack and gap_i = margin_i + slack_i, the central path is a_i gap_i = mu and
// (cost_i - a_i) slack_i = mu; squared losses have slack_i = ridge_i a_i instead of the second.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../dual_value.h"
#include "../gram.h"
#include "../row_sums.h"
#include "../solution.h"

namespace maxmargin::linear {

// The longest step that keeps every variable positive, at most one.
struct StepLength {
  double value = 1;

  void limit(double variable, double change) {
    if (change < 0) value = std::min(value, -variable / change);
  }
  StepLength& operator+=(const StepLength& other) {
    return value = std::min(value, other.value), *this;
  }
};

// What the first pass over the data sums up.
template <class T>
struct Assembly {
  GramSum<T> gram;
  DualSums multipliers;
  std::vector<double> right_side;
  double penalty = 0, complementarity = 0;

  Assembly& operator+=(const Assembly& other) {
    gram += other.gram;
    multipliers += other.multipliers;
    add_to(right_side, other.right_side);
    return penalty += other.penalty, complementarity += other.complementarity, *this;
  }
};

// Where a step straight at the optimum would lead, and what its curvature adds to the right side.
struct Prediction {
  std::vector<double> second_order, centring;
  StepLength length{};
  double product = 0;

  Prediction& operator+=(const Prediction& other) {
    add_to(second_order, other.second_order);
    add_to(centring, other.centring);
    return length += other.length, product += other.product, *this;
  }
};

template <class T>
class Iterate {
 public:
  explicit Iterate(const Task<T>& task) : task_(task) {
    for (auto* values : {&room_, &gap_, &slack_, &step_a_, &step_gap_, &step_slack_}) {
      values->resize(qp_.size());
    }
  }

  const std::vector<double>& multipliers() const { return multiplier_; }

  // Starts from zero weights.
  void start() {
    // Multipliers start at half their cost, but at most 10 typical steps away from zero.
    constexpr double first_steps = 10;
    const double norm = sum_over_windows(
        data_, tasks_, 0.0, task_.execution,
        [&](const Matrix<T>& rows, int64_t first, int64_t last, double& sum) {
          for (int64_t r = 0; r < last - first; ++r) sum += rows.squared_norm(r);
        });
    const double typical = 1 + norm / static_cast<double>(std::max<int64_t>(qp_.n_points, 1));
    double scale = 0;
    for (const double value : qp_.linear) scale = std::max(scale, std::abs(value));
    scale = scale > 0 ? scale : 1.0;
    for (int64_t i = 0; i < qp_.size(); ++i) {
      const double margin = qp_.sign[i] * qp_.linear[i];
      gap_[i] = std::max(0.0, margin) + scale;
      slack_[i] = gap_[i] - margin;
      multiplier_[i] = is_squared_ ? slack_[i] / qp_.ridge[i]
                                   : std::min(0.5 * qp_.cost[i], first_steps * scale / typical);
      room_[i] = is_squared_ ? 1.0 : qp_.cost[i] - multiplier_[i];
    }
  }

  // Puts every constraint of a hinge where a gap = (cost - a) slack = mu for its margin, with a mu
  // that makes gap and slack of points at their margin as large as `movement`.
  void start_at(const std::vector<double>& weights, double movement) {
    const auto visit = [&](const Matrix<T>& rows, int64_t first, int64_t last, Nothing&) {
      for (int64_t r = first; r < last; ++r) {
        score_[r] = dot(rows, r - first, weights);
        for (int64_t i = r; i < qp_.size(); i += qp_.n_points) {
          const double cost = qp_.cost[i], mu = 0.5 * movement * cost;
          const double scaled = cost * qp_.sign[i] * (score_[r] + qp_.linear[i]);
          const double root = std::abs(scaled) + std::hypot(scaled, 2 * mu);
          const double large = (2 * mu + root) / (2 * cost);
          const double small = (2 * mu + 4 * mu * mu / root) / (2 * cost);
          gap_[i] = scaled > 0 ? large : small;
          slack_[i] = scaled > 0 ? small : large;
          multiplier_[i] = mu / gap_[i];
          room_[i] = mu / slack_[i];
        }
      }
    };
    sum_over_windows(data_, tasks_, Nothing{}, task_.execution, visit);
  }

  // Takes `length` of the corrected step, then assembles the system of the next one.
  const Assembly<T>& advance(double length) {
    const auto visit = [&](const Matrix<T>& rows, int64_t first, int64_t last, Assembly<T>& sum) {
      double weights[window_rows], pulls[window_rows], up[window_rows], down[window_rows];
      for (int64_t r = 0; r < last - first; ++r) {
        weights[r] = pulls[r] = up[r] = down[r] = 0;
        score_[first + r] += length * score_step_[first + r];
        for (int64_t i = first + r; i < qp_.size(); i += qp_.n_points) {
          move(i, length);
          const Variable now = variable(i);
          sum.penalty += qp_.penalty(i, now.sign * (score_[first + r] + qp_.linear[i]));
          sum.complementarity += now.a * now.gap + (is_squared_ ? 0.0 : now.room * now.slack);
          SideSum& own = sum.multipliers.side(now.sign);
          (now.sign > 0 ? up : down)[r] += now.a;
          own.linear += qp_.linear[i] * now.a;
          own.ridge += 0.5 * now.ridge * now.a * now.a;
          weights[r] += 1 / now.theta;
          pulls[r] += now.sign * ((is_squared_ ? 0.0 : now.slack) - now.gap) / now.theta;
        }
      }
      add_rows(rows, up, sum.multipliers.up.combination);
      add_rows(rows, down, sum.multipliers.down.combination);
      add_rows(rows, pulls, sum.right_side);
      sum.gram.add(rows, weights);
    };
    return assembly_.over_windows(data_, task_.execution, visit);
  }

  Prediction predict(const std::vector<double>& step) {
    const auto visit = [&](const Matrix<T>& rows, int64_t first, int64_t last, Prediction& sum) {
      double second_order[window_rows], centring[window_rows];
      for (int64_t r = 0; r < last - first; ++r) {
        const double slope = score_step_[first + r] = dot(rows, r, step);
        second_order[r] = centring[r] = 0;
        for (int64_t i = first + r; i < qp_.size(); i += qp_.n_points) {
          const Variable now = variable(i);
          const Direction to =
              towards(now, now.sign * slope, -now.a * now.gap, -now.room * now.slack);
          limit(now, to, sum.length);
          sum.product += to.a * to.gap;
          second_order[r] -= now.sign * to.a * to.gap / now.a / now.theta;
          centring[r] += now.sign / now.a / now.theta;
          if (is_squared_) continue;
          sum.product -= to.a * to.slack;
          second_order[r] -= now.sign * to.a * to.slack / now.room / now.theta;
          centring[r] -= now.sign / now.room / now.theta;
        }
      }
      add_rows(rows, second_order, sum.second_order);
      add_rows(rows, centring, sum.centring);
    };
    const std::vector<double> none(size_);
    return sum_over_windows(data_, tasks_, Prediction{none, none}, task_.execution, visit);
  }

  // Keeps the corrected step and returns the length it may have.
  double correct(const std::vector<double>& step, double target) {
    const auto visit = [&](const Matrix<T>& rows, int64_t first, int64_t last, StepLength& sum) {
      StepLength length;
      for (int64_t r = first; r < last; ++r) {
        const double slope = dot(rows, r - first, step), before = score_step_[r];
        score_step_[r] = slope;
        for (int64_t i = r; i < qp_.size(); i += qp_.n_points) {
          const Variable now = variable(i);
          const double pull = -now.a * now.gap, push = -now.room * now.slack;
          const Direction guess = towards(now, now.sign * before, pull, push);
          const Direction to = towards(now, now.sign * slope, target + pull - guess.a * guess.gap,
                                       target + push + guess.a * guess.slack);
          step_a_[i] = to.a;
          step_gap_[i] = to.gap;
          step_slack_[i] = to.slack;
          limit(now, to, length);
        }
      }
      sum += length;
    };
    return sum_over_windows(data_, tasks_, StepLength{}, task_.execution, visit).value;
  }

 private:
  // One constraint's part of the current point; theta is how much its multiplier resists a change of
  // the margin.
  struct Variable {
    double sign, a, room, gap, slack, ridge, theta;
  };
  struct Direction {
    double a, gap, slack;
  };

  Variable variable(int64_t i) const {
    Variable now{qp_.sign[i], multiplier_[i], room_[i], gap_[i], slack_[i], qp_.ridge[i], 0};
    now.theta = now.gap / now.a + (is_squared_ ? now.ridge : now.slack / now.room);
    return now;
  }

  // The step of one constraint: a gap' + gap a' = pull, room slack' - slack a' = push, and the margin
  // moves by `slope`.
  Direction towards(const Variable& now, double slope, double pull, double push) const {
    const double other = is_squared_ ? 0.0 : push / now.room;
    const double a = (pull / now.a - other - slope) / now.theta;
    const double gap = (pull - now.gap * a) / now.a;
    const double slack = is_squared_ ? now.ridge * a : (push + now.slack * a) / now.room;
    return {a, gap, slack};
  }

  void limit(const Variable& now, const Direction& to, StepLength& length) const {
    length.limit(now.a, to.a);
    length.limit(now.gap, to.gap);
    if (is_squared_) return;
    length.limit(now.room, -to.a);
    length.limit(now.slack, to.slack);
  }

  void move(int64_t i, double length) {
    multiplier_[i] += length * step_a_[i];
    gap_[i] += length * step_gap_[i];
    slack_[i] += length * step_slack_[i];
    if (!is_squared_) room_[i] -= length * step_a_[i];
  }

  double dot(const Matrix<T>& rows, int64_t row, const std::vector<double>& step) const {
    return rows.dot(row, step.data()) + (qp_.has_bias() ? step.back() : 0.0);
  }

  void add_rows(const Matrix<T>& rows, const double* scales, std::vector<double>& sum) const {
    rows.add_all(scales, sum.data());
    for (int64_t r = 0; r < rows.n_rows; ++r) sum[size_ - 1] += scales[r];
  }

  const Task<T>& task_;
  const Matrix<T>& data_ = task_.data;
  const BoxQP& qp_ = task_.qp;
  const int64_t size_ = data_.n_columns + 1;  // features and bias
  const bool is_squared_ = qp_.is_squared();
  const RowTasks tasks_ = RowTasks::of(data_, size_ * size_);
  RepeatedSum<Assembly<T>> assembly_{
      tasks_, Assembly<T>{GramSum<T>(data_.n_columns, qp_.has_bias() ? 1.0 : 0.0),
                          DualSums::of(size_), std::vector<double>(size_)}};
  std::vector<double> score_ = std::vector<double>(qp_.n_points);       // w'x + b
  std::vector<double> score_step_ = std::vector<double>(qp_.n_points);  // its change in a whole step
  std::vector<double> multiplier_ = std::vector<double>(qp_.size());    // a
  std::vector<double> room_, gap_, slack_;           // cost - a, margin + slack, slack
  std::vector<double> step_a_, step_gap_, step_slack_;
};

}  // namespace maxmargin::linear
