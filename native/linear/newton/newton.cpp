#include "newton.h"

#include <algorithm>
#include <cmath>

#include "../dual_value.h"
#include "line_search.h"
#include "system.h"

namespace maxmargin::linear {
namespace {

// The first step from zero takes one point in 8, if that leaves 10 times as many points as features.
constexpr int64_t sampled = 8, plenty = 10;

// A step that may gain at most this many times the gap asked for offers its multipliers.
constexpr double promising = 30;

// How often one step is solved again without the points that lost their slack.
constexpr int most_drops = 2;

// A difference this small compared with its terms has lost half its digits.
constexpr double cancelled = 1e-8;

// Steps without progress that mean rounding, once the gap is below this.
constexpr int64_t patience = 4;
constexpr double near = 1e-2;

bool has_cancelled(const std::vector<double>& before, const std::vector<double>& after) {
  for (size_t c = 0; c < before.size(); ++c) {
    if (std::abs(after[c]) < cancelled * std::abs(before[c])) return true;
  }
  return false;
}

template <class T>
class Newton {
 public:
  explicit Newton(const Task<T>& task) : task_(task) {
    for (double& value : inverse_ridge_) value = 1 / value;
  }

  Solution run(const WarmStart& start) {
    Progress progress = run::not_begun;
    const Status status = iterate(start, progress);
    return best_.take(status, progress);
  }

 private:
  Status iterate(const WarmStart& start, Progress& progress) try {
    const bool is_cold = start.weights.empty();
    weights_ = is_cold ? std::vector<double>(size_ - 1) : start.weights;
    weights_.push_back(qp_.has_bias() ? start.bias : 0.0);
    if (!is_cold) score(weights_, score_, [](int64_t) { return true; });
    double least = infinity;
    for (int64_t iteration = 0, in_vain = 0;; ++iteration) {
      const auto multiplier = [&](int64_t i, int64_t r) { return current_multiplier(i, r); };
      const DualSums now = sums(multiplier);
      const double value = primal(now), bound = now.dual(qp_);
      if (!std::isfinite(best_.gap_of(value, bound))) return Status::stalled;
      best_.offer_weights(value, weights_.data(), weights_.back());
      best_.offer_multipliers(bound, [&] { return multipliers(multiplier); });
      progress = best_.progress(iteration);
      const double gap = progress.violation;
      in_vain = gap < least ? 0 : in_vain + 1;
      least = std::min(least, gap);
      task_.report(progress);
      if (gap <= task_.stop.tolerance) return Status::converged;
      if (iteration >= task_.stop.max_iter) return Status::max_iter;
      if (in_vain >= patience && gap < near) return Status::stalled;
      const std::vector<double> up = gradient(now);
      std::vector<double> step;
      if (iteration == 0 && is_cold && may_sample()) step = sampled_step(up);
      const bool is_whole = step.empty() || !(dot(up, step) < 0);
      if (is_whole) step = whole_step(up);
      if (step.empty()) return Status::stalled;
      const double slope = dot(up, step);
      if (is_whole && -0.5 * slope <= promising * task_.stop.tolerance * value) {
        offer_multipliers_of_step();
        progress = best_.progress(iteration + 1);
        if (progress.violation <= task_.stop.tolerance) {
          task_.report(progress);
          return Status::converged;
        }
      }
      take(step, slope);
    }
  } catch (const threads::Interrupted&) {
    return Status::interrupted;
  }

  // Calls act(i, r) for every constraint i, of point r.
  template <class Act>
  void for_each_constraint(const Act& act) const {
    for (int64_t side = 0; side < qp_.size(); side += qp_.n_points) {
      for (int64_t r = 0; r < qp_.n_points; ++r) act(side + r, r);
    }
  }

  // w'x + b + linear, whose sign decides on slack
  double value(int64_t i, int64_t r) const { return score_[r] + qp_.linear[i]; }

  // a = slack / ridge
  double current_multiplier(int64_t i, int64_t r) const {
    return inverse_ridge_[i] * std::max(0.0, -qp_.sign[i] * value(i, r));
  }

  // After a whole step the multipliers of the active constraints make up the weights, except for
  // those that would be negative.
  double stepped_multiplier(int64_t i, int64_t r) const {
    const double after = value(i, r) + change_[r];
    return active_[i] ? inverse_ridge_[i] * std::max(0.0, -qp_.sign[i] * after) : 0.0;
  }

  // Over multiplier(i, r) of all constraints i, of point r.
  template <class Multiplier>
  DualSums sums(const Multiplier& multiplier) const {
    return sum_over_windows(
        data_, tasks_, DualSums::of(size_), task_.execution,
        [&](const Matrix<T>& rows, int64_t first, int64_t last, DualSums& sum) {
          for (int64_t r = first; r < last; ++r) {
            for (int64_t i = r; i < qp_.size(); i += qp_.n_points) {
              const double a = multiplier(i, r);
              if (a == 0) continue;
              SideSum& own = sum.side(qp_.sign[i]);
              rows.add(r - first, a, own.combination.data());
              own.combination[size_ - 1] += a;
              own.linear += qp_.linear[i] * a;
              own.ridge += 0.5 * qp_.ridge[i] * a * a;
            }
          }
        });
  }

  template <class Multiplier>
  std::vector<double> multipliers(const Multiplier& multiplier) const {
    std::vector<double> found(qp_.size());
    for_each_constraint([&](int64_t i, int64_t r) { found[i] = multiplier(i, r); });
    return found;
  }

  void offer_multipliers_of_step() {
    const auto multiplier = [&](int64_t i, int64_t r) { return stepped_multiplier(i, r); };
    best_.offer_multipliers(sums(multiplier).dual(qp_), [&] { return multipliers(multiplier); });
  }

  std::vector<double> gradient(const DualSums& now) const {
    std::vector<double> gradient = now.combination();
    for (int64_t c = 0; c < size_; ++c) {
      gradient[c] = system_.regularisation(c) * weights_[c] - gradient[c];
    }
    if (!qp_.has_bias()) gradient.back() = 0;
    return gradient;
  }

  // The penalties of the slacks are the ridge terms of their multipliers.
  double primal(const DualSums& now) const {
    double value = now.up.ridge + now.down.ridge;
    for (int64_t c = 0; c < size_; ++c) {
      value += 0.5 * system_.regularisation(c) * weights_[c] * weights_[c];
    }
    return value;
  }

  std::vector<double> whole_step(const std::vector<double>& gradient) {
    activate([](int64_t) { return true; }, 1);
    std::vector<double> right = gradient;
    for (double& value : right) value = -value;
    return step_of_active(gradient, right);
  }

  bool may_sample() const {
    return system_.is_cheap_to_change() && qp_.n_points >= sampled * plenty * size_;
  }

  // As good as a whole step while the weights are far from their optimum, at a part of the cost.
  std::vector<double> sampled_step(const std::vector<double>& gradient) {
    const auto is_drawn = [](int64_t r) {  // by a hash, whatever the order of the rows
      return (static_cast<uint64_t>(r) * 0x9E3779B97F4A7C15ULL >> 32) % sampled == 0;
    };
    activate(is_drawn, sampled);
    std::vector<double> right = descent_of_active();
    return step_of_active(gradient, right);
  }

  // Makes the constraints with slack active, if their point is drawn; each stands for `share` points.
  // Without branches, because which points have slack cannot be predicted.
  template <class IsDrawn>
  void activate(const IsDrawn& is_drawn, double share) {
    std::fill(weight_.begin(), weight_.end(), 0.0);
    for_each_constraint([&](int64_t i, int64_t r) {
      active_[i] = is_drawn(r) & (qp_.sign[i] * value(i, r) < 0);
      weight_[r] += static_cast<double>(active_[i]) * share * inverse_ridge_[i];
    });
  }

  // The negative gradient of the active constraints' penalties and the regularisation.
  std::vector<double> descent_of_active() const {
    std::vector<double> descent(size_);
    for (int64_t c = 0; c < size_; ++c) descent[c] = -system_.regularisation(c) * weights_[c];
    for_each_constraint([&](int64_t i, int64_t r) {
      if (!active_[i]) return;
      const double own = -weight_[r] * value(i, r);
      data_.add(r, own, descent.data());
      descent.back() += own;
    });
    if (!qp_.has_bias()) descent.back() = 0;
    return descent;
  }

  // The step to the optimum of the active constraints alone; where that ends slacks, they are dropped
  // and it is solved again. Empty where there is no factor.
  std::vector<double> step_of_active(const std::vector<double>& gradient,
                                     std::vector<double>& right) {
    std::vector<double> step = system_.solve(weight_, right);
    const int most = system_.is_cheap_to_change() ? most_drops : 0;
    for (int k = 0; k < most && !step.empty(); ++k) {
      score(step, change_, [&](int64_t r) { return weight_[r] > 0; });
      const std::vector<double> before = right;
      if (!drop_satisfied(right)) break;
      if (has_cancelled(before, right)) right = descent_of_active();
      std::vector<double> next = system_.solve(weight_, right);
      if (next.empty() || !(dot(gradient, next) < 0)) break;
      step = std::move(next);
    }
    if (!step.empty()) score(step, change_, [](int64_t) { return true; });
    return step;
  }

  // Drops the active constraints whose slack the step ends, and their part of the right-hand side;
  // beyond a tube its other side becomes active. Returns whether anything has changed.
  bool drop_satisfied(std::vector<double>& right) {
    const auto ends = [&](int64_t i, int64_t r) {
      return qp_.sign[i] * (value(i, r) + change_[r]) >= 0;
    };
    bool any = false;
    for_each_constraint([&](int64_t i, int64_t r) {
      if (!active_[i] || !ends(i, r)) return;
      const int64_t other = qp_.sides == 2 ? (i + qp_.n_points) % qp_.size() : i;
      double weight = 0, change = weight_[r] * value(i, r);
      active_[i] = 0;
      if (!ends(other, r)) {
        active_[other] = 1;
        weight = weight_[r] * (inverse_ridge_[other] / inverse_ridge_[i]);
        change -= weight * value(other, r);
      }
      if (weight == weight_[r] && change == 0) return;
      any = true;
      weight_[r] = weight;
      data_.add(r, change, right.data());
      if (qp_.has_bias()) right.back() += change;
    });
    return any;
  }

  // The scores of some points.
  template <class IsWanted>
  void score(const std::vector<double>& weights, std::vector<double>& scores,
             const IsWanted& is_wanted) const {
    const double bias = qp_.has_bias() ? weights.back() : 0.0;
    sum_over_windows(data_, tasks_, Nothing{}, task_.execution,
                     [&](const Matrix<T>& rows, int64_t first, int64_t last, Nothing&) {
                       for (int64_t r = first; r < last; ++r) {
                         if (is_wanted(r)) scores[r] = rows.dot(r - first, weights.data()) + bias;
                       }
                     });
  }

  void take(const std::vector<double>& step, double slope) {
    Derivatives own;
    for (int64_t c = 0; c < size_; ++c) {
      own.first += system_.regularisation(c) * weights_[c] * step[c];
      own.second += system_.regularisation(c) * step[c] * step[c];
    }
    const PenaltyLine line{qp_, inverse_ridge_, score_, change_};
    const double length = best_length(line, own, slope, tasks_, task_.execution);
    for (int64_t c = 0; c < size_; ++c) weights_[c] += length * step[c];
    for (int64_t r = 0; r < qp_.n_points; ++r) score_[r] += length * change_[r];
  }

  const Task<T>& task_;
  const Matrix<T>& data_ = task_.data;
  const BoxQP& qp_ = task_.qp;
  Incumbent best_{qp_, data_.n_columns};
  NewtonSystem<T> system_{data_, qp_, task_.execution};
  const int64_t size_ = data_.n_columns + 1;  // features and bias
  const RowTasks tasks_ = RowTasks::of(data_, size_);
  std::vector<double> inverse_ridge_{qp_.ridge.begin(), qp_.ridge.end()};
  std::vector<double> weights_;                                      // and the bias
  std::vector<double> score_ = std::vector<double>(qp_.n_points);    // w'x + b
  std::vector<double> change_ = std::vector<double>(qp_.n_points);   // of the scores in a whole step
  std::vector<double> weight_ = std::vector<double>(qp_.n_points);   // of a point in the Hessian
  std::vector<char> active_ = std::vector<char>(qp_.size());         // constraints with slack
};

}  // namespace

template <class T>
Solution solve_by_newton(const Task<T>& task, const WarmStart& start) {
  return Newton<T>(task).run(start);
}

template Solution solve_by_newton(const Task<float>&, const WarmStart&);
template Solution solve_by_newton(const Task<double>&, const WarmStart&);

}  // namespace maxmargin::linear
