#include "newton.h"

#include <algorithm>
#include <cmath>

#include "windows.h"

namespace maxmargin::linear {
namespace {

// The first step from zero counts one slack in so many, where those are this many times the features.
constexpr int64_t sampled = 8, plenty = 10;

// A step that promises to win no more than so many times the gap asked for offers its multipliers.
constexpr double promising = 30;

// Systems solved again for one step, without the slacks that the last solution ends.
constexpr int most_releases = 2;

// So small a share of a number has lost half its digits.
constexpr double little = 1e-8;

// A step ends where this share of its first slope is left.
constexpr double flat = 1e-3;
constexpr int most_lengths = 60;

// Steps without progress, which mean rounding.
constexpr int64_t patience = 4;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

// Whether little is left of a number from which others were taken away.
bool has_rounded_off(const std::vector<double>& before, const std::vector<double>& after) {
  for (size_t c = 0; c < before.size(); ++c) {
    if (std::abs(after[c]) < little * std::abs(before[c])) return true;
  }
  return false;
}

}  // namespace

// The first two derivatives on a line.
template <class T>
struct PrimalNewton<T>::Bend {
  double first = 0, second = 0;

  Bend& operator+=(const Bend& other) {
    return first += other.first, second += other.second, *this;
  }
};

template <class T>
PrimalNewton<T>::PrimalNewton(const Matrix<T>& data, const Program& program, const Limits& limits,
                              const Execution& execution, const Report& report)
    : data_(data),
      program_(program),
      limits_(limits),
      execution_(execution),
      report_(report),
      smallest_value_(program.smallest_value()),
      best_(program.size(), data.n_columns),
      system_(data, program, execution),
      size_(system_.size()),
      light_tasks_(RowTasks::of(data.n_rows, data.n_entries(), size_)),
      price_(program.ridge.begin(), program.ridge.end()),
      held_(program.size()),
      weight_(program.n_points),
      change_(program.n_points) {
  for (double& value : price_) value = 1 / value;
}

// Calls act(i, r) for every constraint i, of point r.
template <class T>
template <class Act>
void PrimalNewton<T>::for_each_constraint(const Act& act) const {
  for (int64_t side = 0; side < program_.size(); side += program_.n_points) {
    for (int64_t r = 0; r < program_.n_points; ++r) act(side + r, r);
  }
}

// Those of the points wanted, each for `share` of them. Without branches: which points have slack
// cannot be foreseen.
template <class T>
template <class IsWanted>
void PrimalNewton<T>::hold_slacks(const IsWanted& is_wanted, double share) {
  std::fill(weight_.begin(), weight_.end(), 0.0);
  for_each_constraint([&](int64_t i, int64_t r) {
    held_[i] = is_wanted(r) & (program_.sign[i] * (score_[r] + program_.linear[i]) < 0);
    weight_[r] += static_cast<double>(held_[i]) * share * price_[i];
  });
}

// Gives up the slacks that a step ends, and their part of the right-hand side; beyond a tube its other
// side takes over. Returns whether anything has changed.
template <class T>
bool PrimalNewton<T>::release(std::vector<double>& right) {
  const auto reach = [&](int64_t i, int64_t r) { return score_[r] + program_.linear[i]; };
  const auto ends = [&](int64_t i, int64_t r) {
    return program_.sign[i] * (reach(i, r) + change_[r]) >= 0;
  };
  bool any = false;
  for_each_constraint([&](int64_t i, int64_t r) {
    if (!held_[i] || !ends(i, r)) return;
    const int64_t other = program_.sides == 2 ? (i + program_.n_points) % program_.size() : i;
    double weight = 0, pull = weight_[r] * reach(i, r);
    held_[i] = 0;
    if (!ends(other, r)) {
      held_[other] = 1;
      weight = weight_[r] * (price_[other] / price_[i]);
      pull -= weight * reach(other, r);
    }
    if (weight == weight_[r] && pull == 0) return;
    any = true;
    weight_[r] = weight;
    data_.add(r, pull, right.data());
    if (program_.has_bias()) right.back() += pull;
  });
  return any;
}

// a = slack / ridge
template <class T>
double PrimalNewton<T>::multiplier_now(int64_t i, int64_t r) const {
  return price_[i] * std::max(0.0, -program_.sign[i] * (score_[r] + program_.linear[i]));
}

// After a whole step the multipliers of the slacks held make the weights, but for those below zero.
template <class T>
double PrimalNewton<T>::multiplier_after(int64_t i, int64_t r) const {
  const double reach = score_[r] + program_.linear[i] + change_[r];
  return held_[i] ? price_[i] * std::max(0.0, -program_.sign[i] * reach) : 0.0;
}

// Over multiplier(i, r) of all constraints i, of point r.
template <class T>
template <class Multiplier>
DualSums PrimalNewton<T>::sums(const Multiplier& multiplier) const {
  return sum_over_rows(light_tasks_, DualSums::of(size_), execution_,
                       [&](int64_t begin, int64_t end, DualSums& sum, threads::Worker& worker) {
    for_each_window(data_, begin, end, worker,
                    [&](const Matrix<T>& rows, int64_t first, int64_t last) {
      for (int64_t r = first; r < last; ++r) {
        for (int64_t i = r; i < program_.size(); i += program_.n_points) {
          const double a = multiplier(i, r);
          if (a == 0) continue;
          SideSum& own = sum.side(program_.sign[i]);
          rows.add(r - first, a, own.combination.data());
          own.combination[size_ - 1] += a;
          own.linear += program_.linear[i] * a;
          own.ridge += 0.5 * program_.ridge[i] * a * a;
        }
      }
    });
  });
}

template <class T>
template <class Multiplier>
std::vector<double> PrimalNewton<T>::multipliers(const Multiplier& multiplier) const {
  std::vector<double> found(program_.size());
  for_each_constraint([&](int64_t i, int64_t r) { found[i] = multiplier(i, r); });
  return found;
}

template <class T>
std::vector<double> PrimalNewton<T>::gradient(const DualSums& now) const {
  std::vector<double> gradient = now.combination();
  for (int64_t c = 0; c < size_; ++c) {
    gradient[c] = system_.regularisation(c) * weights_[c] - gradient[c];
  }
  if (!program_.has_bias()) gradient.back() = 0;
  return gradient;
}

// Slacks cost as much as their multipliers' ridges.
template <class T>
double PrimalNewton<T>::primal(const DualSums& now) const {
  double value = now.up.ridge + now.down.ridge;
  for (int64_t c = 0; c < size_; ++c) {
    value += 0.5 * system_.regularisation(c) * weights_[c] * weights_[c];
  }
  return value;
}

template <class T>
std::vector<double> PrimalNewton<T>::whole_step(const std::vector<double>& gradient) {
  hold_slacks([](int64_t) { return true; }, 1);
  std::vector<double> right = gradient;
  for (double& value : right) value = -value;
  return step_to_held(gradient, right);
}

template <class T>
bool PrimalNewton<T>::may_sample() const {
  return system_.is_cheap_to_change() && program_.n_points >= sampled * plenty * size_;
}

// As good as a whole one while the weights are far from their optimum, at a part of the cost.
template <class T>
std::vector<double> PrimalNewton<T>::sampled_step(const std::vector<double>& gradient) {
  const auto is_wanted = [](int64_t r) {  // in no order that the rows may have
    return (static_cast<uint64_t>(r) * 0x9E3779B97F4A7C15ULL >> 32) % sampled == 0;
  };
  hold_slacks(is_wanted, sampled);
  std::vector<double> right = pull_of_held();
  return step_to_held(gradient, right);
}

// Against the gradient of the slacks held and the regularisation.
template <class T>
std::vector<double> PrimalNewton<T>::pull_of_held() const {
  std::vector<double> pull(size_);
  for (int64_t c = 0; c < size_; ++c) pull[c] = -system_.regularisation(c) * weights_[c];
  for_each_constraint([&](int64_t i, int64_t r) {
    if (!held_[i]) return;
    const double own = -weight_[r] * (score_[r] + program_.linear[i]);
    data_.add(r, own, pull.data());
    pull.back() += own;
  });
  if (!program_.has_bias()) pull.back() = 0;
  return pull;
}

// To where the slacks held would be best, were there no others; points whose slack that ends are let
// go, and it is solved again. Empty where it cannot be.
template <class T>
std::vector<double> PrimalNewton<T>::step_to_held(const std::vector<double>& gradient,
                                                  std::vector<double>& right) {
  std::vector<double> step = system_.solve(weight_, right);
  const int most = system_.is_cheap_to_change() ? most_releases : 0;
  for (int k = 0; k < most && !step.empty(); ++k) {
    score(step, change_, [&](int64_t r) { return weight_[r] > 0; });
    const std::vector<double> before = right;
    if (!release(right)) break;
    if (has_rounded_off(before, right)) right = pull_of_held();
    std::vector<double> next = system_.solve(weight_, right);
    if (next.empty() || !(dot(gradient, next) < 0)) break;
    step = std::move(next);
  }
  if (!step.empty()) score(step, change_, [](int64_t) { return true; });
  return step;
}

// The scores of some points.
template <class T>
template <class IsWanted>
void PrimalNewton<T>::score(const std::vector<double>& weights, std::vector<double>& scores,
                            const IsWanted& is_wanted) const {
  const double bias = program_.has_bias() ? weights.back() : 0.0;
  sum_over_rows(light_tasks_, Nothing{}, execution_,
                [&](int64_t begin, int64_t end, Nothing&, threads::Worker& worker) {
    for_each_window(data_, begin, end, worker,
                    [&](const Matrix<T>& rows, int64_t first, int64_t last) {
      for (int64_t r = first; r < last; ++r) {
        if (is_wanted(r)) scores[r] = rows.dot(r - first, weights.data()) + bias;
      }
    });
  });
}

// What the points from `begin` to `end` add to the first two derivatives on the line: sums side by
// side, without branches.
template <class T>
auto PrimalNewton<T>::bend(double length, int64_t begin, int64_t end) const -> Bend {
  constexpr int64_t width = 4;
  double first[width] = {}, second[width] = {};
  for (int64_t side = 0; side < program_.size(); side += program_.n_points) {
    const double* sign = program_.sign.data() + side;
    const double* linear = program_.linear.data() + side;
    const double* price = price_.data() + side;
    const auto add = [&](int64_t r, int64_t k) {
      const double reach = score_[r] + linear[r] + length * change_[r];
      const bool has_slack = sign[r] * reach < 0;
      const double pull = static_cast<double>(has_slack) * change_[r] * price[r];
      first[k] += pull * reach;
      second[k] += pull * change_[r];
    };
    int64_t r = begin;
    for (; r + width <= end; r += width) {
      for (int64_t k = 0; k < width; ++k) add(r + k, k);
    }
    for (; r < end; ++r) add(r, 0);
  }
  return {first[0] + first[1] + first[2] + first[3], second[0] + second[1] + second[2] + second[3]};
}

// Newton's method on the line, whose derivative is increasing and piecewise linear; kept within a
// bracket. It ends where little is left of the slope.
template <class T>
double PrimalNewton<T>::best_length(const std::vector<double>& step, double slope) const {
  double linear = 0, quadratic = 0;
  for (int64_t c = 0; c < size_; ++c) {
    linear += system_.regularisation(c) * weights_[c] * step[c];
    quadratic += system_.regularisation(c) * step[c] * step[c];
  }
  double low = 0, high = std::numeric_limits<double>::infinity(), length = 1;
  for (int k = 0; k < most_lengths; ++k) {
    const auto visit = [&](int64_t begin, int64_t end, Bend& sum, threads::Worker&) {
      sum += bend(length, begin, end);
    };
    const Bend at = sum_over_rows(light_tasks_, Bend{}, execution_, visit);
    const double first = linear + length * quadratic + at.first, second = quadratic + at.second;
    if (std::abs(first) <= flat * std::abs(slope)) return length;
    (first > 0 ? high : low) = length;
    const double next = length - first / second;
    const bool is_inside = next > low && next < high;
    length = is_inside ? next : std::isinf(high) ? 2 * length : 0.5 * (low + high);
  }
  return length;
}

// The multipliers of a whole step.
template <class T>
void PrimalNewton<T>::offer_dual() {
  const auto multiplier = [&](int64_t i, int64_t r) { return multiplier_after(i, r); };
  best_.offer(std::numeric_limits<double>::infinity(), sums(multiplier).dual(program_),
              [](Machine&) {}, [&] { return multipliers(multiplier); });
}

template <class T>
Outcome PrimalNewton<T>::run(const std::vector<double>& weights, double bias) {
  Progress progress;
  double least = std::numeric_limits<double>::infinity();
  try {
    weights_ = weights.empty() ? std::vector<double>(data_.n_columns) : weights;
    weights_.push_back(program_.has_bias() ? bias : 0.0);
    score_.resize(program_.n_points);
    if (!weights.empty()) score(weights_, score_, [](int64_t) { return true; });
    for (int64_t iteration = 0, in_vain = 0;; ++iteration) {
      const auto multiplier = [&](int64_t i, int64_t r) { return multiplier_now(i, r); };
      const DualSums now = sums(multiplier);
      const double value = primal(now), bound = now.dual(program_);
      if (!std::isfinite(Progress{iteration, value, bound, smallest_value_}.relative_gap())) {
        return {Ending::stalled, progress};
      }
      const auto give_weights = [&](Machine& machine) {
        machine.weights.assign(weights_.begin(), weights_.end() - 1);
        machine.bias = program_.has_bias() ? weights_.back() : 0.0;
      };
      best_.offer(value, bound, give_weights, [&] { return multipliers(multiplier); });
      progress = best_.progress(iteration, smallest_value_);
      const double gap = progress.relative_gap();
      in_vain = gap < least ? 0 : in_vain + 1;
      least = std::min(least, gap);
      report_(progress);
      if (gap <= limits_.gap) return {Ending::converged, progress};
      if (iteration >= limits_.most_iterations) return {Ending::iterations, progress};
      if (in_vain >= patience && gap < 1e-2) return {Ending::stalled, progress};
      const std::vector<double> up = gradient(now);
      std::vector<double> step;
      if (iteration == 0 && weights.empty() && may_sample()) step = sampled_step(up);
      const bool is_whole = step.empty() || !(dot(up, step) < 0);
      if (is_whole) step = whole_step(up);
      if (step.empty()) return {Ending::stalled, progress};
      const double slope = dot(up, step);
      if (is_whole && -0.5 * slope <= promising * limits_.gap * value) {
        offer_dual();
        progress = best_.progress(iteration + 1, smallest_value_);
        if (progress.relative_gap() <= limits_.gap) {
          report_(progress);
          return {Ending::converged, progress};
        }
      }
      const double length = best_length(step, slope);
      for (int64_t c = 0; c < size_; ++c) weights_[c] += length * step[c];
      for (int64_t r = 0; r < program_.n_points; ++r) score_[r] += length * change_[r];
    }
  } catch (const threads::Interrupted&) {
    return {Ending::interrupted, progress};
  }
}

template class PrimalNewton<float>;
template class PrimalNewton<double>;

}  // namespace maxmargin::linear
