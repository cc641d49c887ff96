#include "interior_point.h"

#include <cmath>

#include "windows.h"

namespace maxmargin::linear {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A step ends this share of the way to the nearest bound.
constexpr double short_of_the_bound = 0.995;

// Rounding ends a run where the gap has not fallen for so many iterations.
constexpr int64_t patience = 6;

// Multipliers start at half their cost, but no further from zero than this many typical steps.
constexpr double first_steps = 10;

// A guess whose first step can go no further than the first is too confident, up to the second.
constexpr double blocked = 0.1, most_movement = 10;

// How often a matrix that rounding made indefinite gets a hundredfold ridge.
constexpr int most_ridges = 8;

double largest_step(double value, double change, double length) {
  return change < 0 ? std::min(length, -value / change) : length;
}

}  // namespace

template <class T>
struct InteriorPoint<T>::Variable {
  double sign, a, room, gap, slack, ridge;
  double theta;  // how much the multiplier resists a change of the margin
};

template <class T>
struct InteriorPoint<T>::Direction {
  double a, gap, slack;
};

template <class T>
struct InteriorPoint<T>::Prediction {
  std::vector<double> second_order, centring;
  double length = 1, product = 0;

  Prediction& operator+=(const Prediction& other) {
    add_to(second_order, other.second_order);
    add_to(centring, other.centring);
    length = std::min(length, other.length);
    product += other.product;
    return *this;
  }
};

template <class T>
struct InteriorPoint<T>::Limit {
  double length = 1;
  Limit& operator+=(const Limit& other) {
    length = std::min(length, other.length);
    return *this;
  }
};

template <class T>
InteriorPoint<T>::InteriorPoint(const Matrix<T>& data, const Program& program, const Limits& limits,
                                const Execution& execution, const Report& report,
                                const DualSums* held)
    : data_(data),
      program_(program),
      limits_(limits),
      execution_(execution),
      report_(report),
      held_(held),
      smallest_value_(program.smallest_value()),
      best_(program.size(), data.n_columns, held == nullptr ? 0.0 : -infinity),
      tasks_(RowTasks::of(data.n_rows, data.n_entries(), (data.n_columns + 1) * (data.n_columns + 1))),
      size_(data.n_columns + 1),
      assembly_(tasks_, Assembly{GramSum<T>(data.n_columns), DualSums::of(size_),
                                 std::vector<double>(size_)}),
      is_squared_(program.is_squared()) {}

template <class T>
double InteriorPoint<T>::dot(const Matrix<T>& rows, int64_t row,
                             const std::vector<double>& step) const {
  return rows.dot(row, step.data()) + (program_.has_bias() ? step[size_ - 1] : 0.0);
}

template <class T>
void InteriorPoint<T>::add_rows(const Matrix<T>& rows, const double* scales,
                                std::vector<double>& sum) const {
  rows.add_all(scales, sum.data());
  for (int64_t r = 0; r < rows.n_rows; ++r) sum[size_ - 1] += scales[r];
}

template <class T>
auto InteriorPoint<T>::variable(int64_t i) const -> Variable {
  Variable now{program_.sign[i], multiplier_[i], room_[i], gap_[i], slack_[i], program_.ridge[i], 0};
  now.theta = now.gap / now.a + (is_squared_ ? now.ridge : now.slack / now.room);
  return now;
}

// The step of one constraint: a gap + gap a' = pull, room slack' - slack a' = push, and the margin
// moves by `slope`.
template <class T>
auto InteriorPoint<T>::towards(const Variable& now, double slope, double pull, double push) const
    -> Direction {
  const double other = is_squared_ ? 0.0 : push / now.room;
  const double a = (pull / now.a - other - slope) / now.theta;
  const double gap = (pull - now.gap * a) / now.a;
  const double slack = is_squared_ ? now.ridge * a : (push + now.slack * a) / now.room;
  return {a, gap, slack};
}

template <class T>
void InteriorPoint<T>::allocate() {
  weights_.assign(size_, 0.0);
  score_.assign(program_.n_points, 0.0);
  predicted_.assign(program_.n_points, 0.0);
  for (auto* values : {&multiplier_, &room_, &gap_, &slack_, &step_a_, &step_gap_, &step_slack_}) {
    values->assign(program_.size(), 0.0);
  }
}

template <class T>
void InteriorPoint<T>::start() {
  const int64_t n = program_.n_points, m = program_.size();
  struct Norm {
    double value = 0;
    Norm& operator+=(const Norm& other) { return value += other.value, *this; }
  };
  const Norm norm = sum_over_rows(tasks_, Norm{}, execution_,
                                  [&](int64_t begin, int64_t end, Norm& sum, threads::Worker& worker) {
    for_each_window(data_, begin, end, worker,
                    [&](const Matrix<T>& rows, int64_t first, int64_t last) {
      for (int64_t r = 0; r < last - first; ++r) sum.value += rows.squared_norm(r);
    });
  });
  const double typical = 1 + norm.value / static_cast<double>(std::max<int64_t>(n, 1));
  double scale = 0;
  for (const double value : program_.linear) scale = std::max(scale, std::abs(value));
  scale = scale > 0 ? scale : 1.0;
  for (int64_t i = 0; i < m; ++i) {
    const double margin = program_.sign[i] * program_.linear[i];
    gap_[i] = std::max(0.0, margin) + scale;
    slack_[i] = gap_[i] - margin;
    if (is_squared_) {
      multiplier_[i] = slack_[i] / program_.ridge[i];
      room_[i] = 1;
    } else {
      multiplier_[i] = std::min(0.5 * program_.cost[i], first_steps * scale / typical);
      room_[i] = program_.cost[i] - multiplier_[i];
    }
  }
}

// Puts every constraint of a hinge where a gap = (cost - a) slack = mu for its margin, with a mu that
// gives points at their margin that much of a gap and a slack.
template <class T>
void InteriorPoint<T>::start_within(double movement) {
  const auto visit = [&](int64_t begin, int64_t end, Nothing&, threads::Worker& worker) {
    for_each_window(data_, begin, end, worker,
                    [&](const Matrix<T>& rows, int64_t first, int64_t last) {
      for (int64_t r = first; r < last; ++r) {
        score_[r] = dot(rows, r - first, weights_);
        for (int32_t side = 0; side < program_.sides; ++side) {
          const int64_t i = side * program_.n_points + r;
          const double cost = program_.cost[i], mu = 0.5 * movement * cost;
          const double pressed = cost * program_.sign[i] * (score_[r] + program_.linear[i]);
          const double larger = std::abs(pressed) + std::hypot(pressed, 2 * mu);
          const double far = (2 * mu + larger) / (2 * cost);
          const double near = (2 * mu + 4 * mu * mu / larger) / (2 * cost);
          gap_[i] = pressed > 0 ? far : near;
          slack_[i] = pressed > 0 ? near : far;
          multiplier_[i] = mu / gap_[i];
          room_[i] = mu / slack_[i];
        }
      }
    });
  };
  sum_over_rows(tasks_, Nothing{}, execution_, visit);
}

template <class T>
void InteriorPoint<T>::move(int64_t i, double length) {
  multiplier_[i] += length * step_a_[i];
  gap_[i] += length * step_gap_[i];
  slack_[i] += length * step_slack_[i];
  if (!is_squared_) room_[i] -= length * step_a_[i];
}

// Takes the step that was kept, then makes the matrix of the next one and what multiplies it: one
// pass over the data.
template <class T>
auto InteriorPoint<T>::advance(double length) -> Assembly& {
  const auto visit = [&](int64_t begin, int64_t end, Assembly& sum, threads::Worker& worker) {
    double weights[window_rows], pulls[window_rows], up[window_rows], down[window_rows];
    for_each_window(data_, begin, end, worker,
                    [&](const Matrix<T>& rows, int64_t first, int64_t last) {
      for (int64_t r = 0; r < last - first; ++r) {
        weights[r] = pulls[r] = up[r] = down[r] = 0;
        score_[first + r] += length * predicted_[first + r];
        for (int32_t side = 0; side < program_.sides; ++side) {
          const int64_t i = side * program_.n_points + first + r;
          move(i, length);
          const Variable now = variable(i);
          const double margin = now.sign * (score_[first + r] + program_.linear[i]);
          sum.penalty += program_.penalty(i, margin);
          sum.complementarity += now.a * now.gap + (is_squared_ ? 0.0 : now.room * now.slack);
          SideSum& own = sum.multipliers.side(now.sign);
          (now.sign > 0 ? up : down)[r] += now.a;
          own.linear += program_.linear[i] * now.a;
          own.ridge += 0.5 * now.ridge * now.a * now.a;
          weights[r] += 1 / now.theta;
          pulls[r] += now.sign * ((is_squared_ ? 0.0 : now.slack) - now.gap) / now.theta;
        }
      }
      add_rows(rows, up, sum.multipliers.up.combination);
      add_rows(rows, down, sum.multipliers.down.combination);
      add_rows(rows, pulls, sum.right_side);
      sum.gram.add(rows, weights);
    });
  };
  Assembly& total = assembly_.over_rows(execution_, visit);
  if (held_ != nullptr) total.multipliers += *held_;
  return total;
}

// Where a step straight at the optimum would lead, and what its curvature adds to the right side.
template <class T>
auto InteriorPoint<T>::predict(const std::vector<double>& step) -> Prediction {
  const std::vector<double> none(size_);
  return sum_over_rows(tasks_, Prediction{none, none}, execution_,
                       [&](int64_t begin, int64_t end, Prediction& sum, threads::Worker& worker) {
    double second_order[window_rows], centring[window_rows];
    for_each_window(data_, begin, end, worker,
                    [&](const Matrix<T>& rows, int64_t first, int64_t last) {
      for (int64_t r = 0; r < last - first; ++r) {
        const double slope = dot(rows, r, step);
        predicted_[first + r] = slope;
        second_order[r] = centring[r] = 0;
        for (int32_t side = 0; side < program_.sides; ++side) {
          const Variable now = variable(side * program_.n_points + first + r);
          const Direction to =
              towards(now, now.sign * slope, -now.a * now.gap, -now.room * now.slack);
          sum.length = largest_step(now.a, to.a, sum.length);
          sum.length = largest_step(now.gap, to.gap, sum.length);
          sum.product += to.a * to.gap;
          second_order[r] -= now.sign * to.a * to.gap / now.a / now.theta;
          centring[r] += now.sign / now.a / now.theta;
          if (is_squared_) continue;
          sum.length = largest_step(now.room, -to.a, sum.length);
          sum.length = largest_step(now.slack, to.slack, sum.length);
          sum.product -= to.a * to.slack;
          second_order[r] -= now.sign * to.a * to.slack / now.room / now.theta;
          centring[r] -= now.sign / now.room / now.theta;
        }
      }
      add_rows(rows, second_order, sum.second_order);
      add_rows(rows, centring, sum.centring);
    });
  });
}

// Keeps the corrected step and returns the length it may have.
template <class T>
double InteriorPoint<T>::correct(const std::vector<double>& step, double target) {
  const auto visit = [&](int64_t begin, int64_t end, Limit& sum, threads::Worker& worker) {
    for_each_window(data_, begin, end, worker,
                    [&](const Matrix<T>& rows, int64_t first, int64_t last) {
      for (int64_t r = 0; r < last - first; ++r) {
        const double slope = dot(rows, r, step), before = predicted_[first + r];
        predicted_[first + r] = slope;
        for (int32_t side = 0; side < program_.sides; ++side) {
          const int64_t i = side * program_.n_points + first + r;
          const Variable now = variable(i);
          const double pull = -now.a * now.gap, push = -now.room * now.slack;
          const Direction guess = towards(now, now.sign * before, pull, push);
          const Direction to = towards(now, now.sign * slope, target + pull - guess.a * guess.gap,
                                       target + push + guess.a * guess.slack);
          step_a_[i] = to.a;
          step_gap_[i] = to.gap;
          step_slack_[i] = to.slack;
          sum.length = largest_step(now.a, to.a, sum.length);
          sum.length = largest_step(now.gap, to.gap, sum.length);
          if (is_squared_) continue;
          sum.length = largest_step(now.room, -to.a, sum.length);
          sum.length = largest_step(now.slack, to.slack, sum.length);
        }
      }
    });
  };
  return sum_over_rows(tasks_, Limit{}, execution_, visit).length;
}

// Both objective values, of the weights and of the multipliers.
template <class T>
Progress InteriorPoint<T>::measure(const Assembly& assembly, int64_t iterations) const {
  double primal = assembly.penalty;
  for (int64_t c = 0; c + 1 < size_; ++c) primal += 0.5 * weights_[c] * weights_[c];
  if (program_.has_bias()) primal += 0.5 * program_.bias_weight * weights_.back() * weights_.back();
  if (held_ != nullptr) {
    const std::vector<double> combination = held_->combination();
    for (int64_t c = 0; c < size_; ++c) primal -= weights_[c] * combination[c];
    primal -= held_->up.linear - held_->down.linear;
  }
  return {iterations, primal, assembly.multipliers.dual(program_), smallest_value_};
}

template <class T>
bool InteriorPoint<T>::factorise(std::vector<double>& gram) {
  double trace = 0;
  for (int64_t c = 0; c + 1 < size_; ++c) {
    trace += gram[c * size_ + c];
    gram[c * size_ + c] += 1;
  }
  double* last = gram.data() + (size_ - 1) * size_;
  if (program_.has_bias()) {
    last[size_ - 1] += program_.bias_weight;
  } else {
    std::fill_n(last, size_ - 1, 0.0);
    last[size_ - 1] = 1;
  }
  const double ridge = 1e-14 * (1 + trace / static_cast<double>(size_));
  return cholesky_.factorise(gram.data(), size_, 0) ||
         cholesky_.factorise_with_growing_ridge(gram.data(), size_, ridge, most_ridges);
}

template <class T>
Outcome InteriorPoint<T>::run(const Guess* guess) {
  Progress progress;
  double least = std::numeric_limits<double>::infinity();
  int64_t since_least = 0;
  try {
    allocate();
    double movement = guess == nullptr ? 0.0 : guess->movement;
    if (guess != nullptr) {
      weights_ = guess->weights;
      start_within(movement);
    } else {
      start();
    }
    const auto count = static_cast<double>(program_.size() * (is_squared_ ? 1 : 2));
    double length = 0;
    for (int64_t iteration = 0;; ++iteration) {
      Assembly& assembly = advance(length);
      const Progress now = measure(assembly, iteration);
      if (!std::isfinite(now.relative_gap())) return {Ending::stalled, progress};
      const auto give_weights = [&](Machine& machine) {
        machine.weights.assign(weights_.begin(), weights_.end() - 1);
        machine.bias = program_.has_bias() ? weights_.back() : 0.0;
      };
      best_.offer(now.primal, now.dual, give_weights, [&] { return multiplier_; });
      progress = best_.progress(iteration, smallest_value_);
      const double gap = progress.relative_gap();
      since_least = gap < least ? 0 : since_least + 1;
      least = std::min(least, gap);
      report_(progress);
      if (gap <= limits_.gap) return {Ending::converged, progress};
      if (iteration >= limits_.most_iterations) return {Ending::iterations, progress};
      if (since_least >= patience && gap < 1e-2) return {Ending::stalled, progress};
      if (!factorise(assembly.gram.matrix())) return {Ending::stalled, progress};

      // What stationarity still lacks: R (w, b) - sum of sign a z.
      std::vector<double> right_side = assembly.right_side;
      const std::vector<double> combination = assembly.multipliers.combination();
      for (int64_t c = 0; c < size_; ++c) {
        const double regularisation =
            c + 1 < size_ ? 1.0 : program_.has_bias() ? program_.bias_weight : 0.0;
        right_side[c] += combination[c] - regularisation * weights_[c];
      }
      if (!program_.has_bias()) right_side.back() = 0;
      std::vector<double> step = right_side;
      cholesky_.solve(step);

      const Prediction prediction = predict(step);
      if (iteration == 0 && prediction.length < blocked && movement > 0 && movement < most_movement) {
        start_within(movement *= 10);
        length = 0;
        --iteration;
        continue;
      }
      const double mean = assembly.complementarity / count, straight = prediction.length;
      const double reached = ((1 - straight) * assembly.complementarity +
                              straight * straight * prediction.product) / count;
      const double target = std::pow(reached / mean, 3) * mean;
      for (int64_t c = 0; c < size_; ++c) {
        right_side[c] += prediction.second_order[c] + target * prediction.centring[c];
      }
      if (!program_.has_bias()) right_side.back() = 0;
      cholesky_.solve(right_side);
      const double most = correct(right_side, target);
      length = std::min(1.0, short_of_the_bound * most);
      for (int64_t c = 0; c < size_; ++c) weights_[c] += length * right_side[c];
    }
  } catch (const threads::Interrupted&) {
    return {Ending::interrupted, progress};
  }
}

template class InteriorPoint<float>;
template class InteriorPoint<double>;

}  // namespace maxmargin::linear
