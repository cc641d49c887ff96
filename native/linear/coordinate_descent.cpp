#include "coordinate_descent.h"

#include <algorithm>
#include <cmath>

namespace maxmargin::linear {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The estimated gap must fall to this share of the one asked for before it is measured, and to this
// share of the last estimate if a measurement has said no.
constexpr double sure_enough = 1.0;
constexpr double next_try = 0.7;

// Active variables whose projected derivatives lie within this share of the tolerance have converged.
constexpr double settled = 0.01;

// A free bias moves when the gap is down to this share of what its sum costs.
constexpr double balanced_enough = 0.5;

// All points are looked at again when the derivatives of those visited have fallen to this share.
constexpr double much_less = 0.1;

// What a core's own cache holds, the neighbours visited together where it does not hold all, and how
// far ahead they are fetched.
constexpr double cache_bytes = 1 << 19;
constexpr size_t neighbours = 8;
constexpr size_t ahead = 8;

// Times any slack it is a number still.
constexpr double largest_price = 1e200;

// At larger gaps next to nothing can be proved to be at its bound.
constexpr double worth_screening = 1e-2;

// Measurements of settled multipliers without progress mean rounding.
constexpr int64_t patience = 5;

}  // namespace

template <class T>
CoordinateDescent<T>::CoordinateDescent(const Matrix<T>& data,
                                        const std::vector<double>& squared_norms,
                                        const Program& program, const Limits& limits, uint64_t seed,
                                        const Execution& execution, const Report& report)
    : data_(data),
      squared_norms_(squared_norms),
      program_(program),
      limits_(limits),
      execution_(execution),
      report_(report),
      smallest_value_(program.smallest_value()),
      best_(program.size(), data.n_columns),
      pacer_(execution.should_stop),
      shuffler_(seed),
      roster_(program.n_points) {}

template <class T>
void CoordinateDescent<T>::start(const std::vector<double>& multipliers) {
  const int64_t n = program_.n_points, m = program_.size();
  stiffness_ = bias_stiffness();
  weights_.assign(data_.n_columns, 0.0);
  constraints_.resize(m);
  bias_ = sum_ = 0;
  for (int64_t i = 0; i < m; ++i) {
    const int64_t row = i % n;
    Constraint& own = constraint(i);
    const double ridge = program_.ridge[i];
    own = {program_.sign[i], program_.linear[i], program_.cost[i], ridge,
           squared_norms_[row] + stiffness_ + ridge, 0,
           ridge > 0 ? 0.0 : std::min(program_.cost[i], largest_price), ridge > 0 ? 0.5 / ridge : 0.0};
    if (multipliers.empty() || multipliers[i] == 0) continue;
    // What both multipliers of a tube have in common cancels out.
    const double opposite = program_.sides == 2 ? multipliers[(i + n) % m] : 0.0;
    const double left = multipliers[i] - std::min(std::max(opposite, 0.0), multipliers[i]);
    own.multiplier = std::clamp(left, 0.0, own.cost);
    data_.add(row, own.sign * own.multiplier, weights_.data());
    sum_ += own.sign * own.multiplier;
  }
  if (program_.bias_weight > 0) bias_ = stiffness_ * sum_;
}

// A free bias must be able to move by a margin, however small features and costs are.
template <class T>
double CoordinateDescent<T>::bias_stiffness() const {
  if (!program_.has_bias()) return 0;
  if (program_.bias_weight > 0) return 1 / program_.bias_weight;
  double norms = 0, costs = 0, ridges = 0, margin = 0;
  for (const double norm : squared_norms_) norms += norm;
  for (int64_t i = 0; i < program_.size(); ++i) {
    costs += std::isfinite(program_.cost[i]) ? program_.cost[i] : 0.0;
    ridges += program_.ridge[i];
    margin = std::max(margin, std::abs(program_.linear[i]));
  }
  const double from_costs = costs > 0 ? margin / costs : 0.0;
  return std::max({norms / static_cast<double>(program_.n_points),
                   ridges / static_cast<double>(program_.size()), from_costs, 1e-300});
}

// Where the rows are short and too many for the cache, visits wait for memory: neighbours stay
// together, for what is read in order comes several times as fast. Otherwise they do not, for sweeps
// in a freer order are fewer.
template <class T>
void CoordinateDescent<T>::shuffle(std::vector<Roster::Point>& points) {
  const double entries_a_point = data_.n_entries() / static_cast<double>(data_.n_rows);
  const double bytes_a_point = sizeof(Constraint) + sizeof(T) * entries_a_point;
  const bool is_cached = static_cast<double>(points.size()) * bytes_a_point < cache_bytes;
  const bool waits = !is_cached && entries_a_point <= Matrix<T>::short_row;
  shuffler_.shuffle(points.data(), points.size(), waits ? neighbours : 1);
}

template <class T>
void CoordinateDescent<T>::move(int64_t row, double change) {
  data_.add(row, change, weights_.data());
  bias_ += stiffness_ * change;
  sum_ += change;
}

// Returns whether the point is to move.
template <class T>
bool CoordinateDescent<T>::notes(int64_t row, const Stand& stand, Range& range) {
  const bool moves = stand.slope != 0;
  roster_.note(row, !moves & stand.is_bound, stand.is_hopeless);
  range.add(stand.slope);
  return moves;
}

// Without branches: where multipliers stand cannot be foreseen.
template <class T>
auto CoordinateDescent<T>::stand(const Constraint& own, double slope) const -> Stand {
  const bool is_lowest = own.multiplier == 0, is_highest = own.multiplier == own.cost;
  const double least = is_highest ? 0.0 : -infinity, most = is_lowest ? 0.0 : infinity;
  const bool is_hopeless =
      (is_lowest & (slope > shrink_above_)) | (is_highest & (slope < shrink_below_));
  return {std::max(least, std::min(most, slope)), bool{is_lowest || is_highest}, is_hopeless};
}

template <class T>
auto CoordinateDescent<T>::stand(const Tube& tube) const -> Stand {
  const double value = tube.value, up = tube.slope_up, down = tube.slope_down;
  const bool is_highest = value == tube.up.cost, is_lowest = value == -tube.down.cost;
  if (value > 0) {
    return {is_highest ? std::max(up, 0.0) : up, is_highest, is_highest && up < shrink_below_};
  }
  if (value < 0) {
    return {is_lowest ? std::max(down, 0.0) : down, is_lowest, is_lowest && down < shrink_below_};
  }
  return {std::min({is_highest ? 0.0 : up, is_lowest ? 0.0 : down, 0.0}), true,
          std::min(up, down) > shrink_above_};
}

template <class T>
void CoordinateDescent<T>::visit(int64_t row, Sweep& sweep) {
  Constraint& own = constraints_[row];
  const double margin = own.sign * (data_.dot(row, weights_.data()) + bias_ + own.linear);
  const double a = own.multiplier, slope = margin + own.ridge * a;
  sweep.gap += own.share_of_gap(margin);
  if (!notes(row, stand(own, slope), sweep.range)) return;
  const double moved = std::min(std::max(own.optimum(a, slope), 0.0), own.cost);
  if (moved == a) return;
  own.multiplier = moved;
  move(row, own.sign * (moved - a));
}

template <class T>
void CoordinateDescent<T>::visit_pair(int64_t row, Sweep& sweep) {
  const Tube tube = tube_of(row, data_.dot(row, weights_.data()) + bias_);
  sweep.gap += tube.up.share_of_gap(tube.margin_up) + tube.down.share_of_gap(tube.margin_down);
  if (!notes(row, stand(tube), sweep.range)) return;
  const double value = tube.value;
  double moved = std::min(tube.up.optimum(value, tube.slope_up), tube.up.cost);
  if (moved <= 0) moved = -std::clamp(tube.down.optimum(-value, tube.slope_down), 0.0, tube.down.cost);
  if (moved == value) return;
  tube.up.multiplier = std::max(moved, 0.0);
  tube.down.multiplier = std::max(-moved, 0.0);
  move(row, moved - value);
}

template <class T>
void CoordinateDescent<T>::prefetch(int64_t row) const {
  __builtin_prefetch(&constraints_[row * program_.sides]);
  roster_.prefetch(row);
  data_.prefetch(row);
}

template <class T>
auto CoordinateDescent<T>::sweep() -> Sweep {
  Sweep sweep;
  const bool has_pairs = program_.sides == 2;
  std::vector<Roster::Point>& points = roster_.next_sweep();
  shuffle(points);
  for (size_t k = 0; k < points.size(); ++k) {
    if (k % 256 == 0) pacer_.checkpoint();
    if (k + ahead < points.size()) prefetch(points[k + ahead]);
    has_pairs ? visit_pair(points[k], sweep) : visit(points[k], sweep);
  }
  ++sweeps_;
  visits_ += static_cast<int64_t>(points.size());
  return sweep;
}

// Reduces the multipliers of one sign until the signed ones sum to zero.
template <class T>
void CoordinateDescent<T>::balance(std::vector<double>& multipliers) const {
  double up = 0, down = 0;
  for (size_t i = 0; i < multipliers.size(); ++i) {
    (program_.sign[i] > 0 ? up : down) += multipliers[i];
  }
  const double excess = up - down, share = 1 - std::abs(excess) / std::max(up, down);
  if (excess == 0) return;
  for (size_t i = 0; i < multipliers.size(); ++i) {
    if ((program_.sign[i] > 0) == (excess > 0)) multipliers[i] *= share;
  }
}

template <class T>
std::vector<double> CoordinateDescent<T>::multipliers() const {
  std::vector<double> found(program_.size());
  for (int64_t i = 0; i < program_.size(); ++i) found[i] = constraint(i).multiplier;
  return found;
}

// What the points cost in the primal and in the dual, beside the weights, and how they are pulled.
template <class T>
struct CoordinateDescent<T>::Look {
  double penalty = 0, pull = 0;
  Range range;

  Look& operator+=(const Look& other) {
    range.add(other.range.highest), range.add(other.range.lowest);
    return penalty += other.penalty, pull += other.pull, *this;
  }
};

// At all points, with all threads; it saves each a visit.
template <class T>
auto CoordinateDescent<T>::look() -> Look {
  const bool is_zero = std::all_of(weights_.begin(), weights_.end(), [](double w) { return w == 0; });
  scores_.resize(program_.n_points);
  const auto visit = [&](int64_t begin, int64_t end, Look& sum, threads::Worker& worker) {
    for (int64_t row = begin; row < end; ++row) {
      if (row % 256 == 0) worker.checkpoint();
      const double score = scores_[row] = bias_ + (is_zero ? 0.0 : data_.dot(row, weights_.data()));
      for (const Constraint& side : sides_of(row)) {
        sum.penalty += side.penalty(side.sign * (score + side.linear));
        sum.pull += side.pull(side.multiplier);
      }
      const Constraint& own = sides_of(row)[0];
      const double slope = own.sign * (score + own.linear) + own.ridge * own.multiplier;
      notes(row, program_.sides == 2 ? stand(tube_of(row, score)) : stand(own, slope), sum.range);
    }
  };
  const auto tasks = RowTasks::of(data_.n_rows, data_.n_entries(), 1);
  const Look found = sum_over_rows(tasks, Look{}, execution_, visit);
  range_of_all_ = found.range.width();
  roster_.recall();
  return found;
}

// Both objective values, at the cost of a pass over the data, or two with a free bias.
template <class T>
Progress CoordinateDescent<T>::measure() {
  const bool is_free = program_.bias_weight == 0;
  const Look seen = look();
  double pull = seen.pull;
  double norm = 0;
  for (const double w : weights_) norm += w * w;
  const double own = is_free || !program_.has_bias() ? 0.0 : program_.bias_weight * bias_ * bias_;
  const double primal = 0.5 * (norm + own) + seen.penalty;
  std::vector<double> feasible;
  if (is_free) {
    feasible = multipliers();
    balance(feasible);
    norm = squared_norm_and_pull(feasible, pull);
  }
  const double dual = -0.5 * (norm + own) - pull;
  const auto give_weights = [&](Machine& machine) {
    machine.weights = weights_;
    machine.bias = program_.has_bias() ? bias_ : 0.0;
  };
  best_.offer(primal, dual, give_weights,
              [&] { return is_free ? std::move(feasible) : multipliers(); });
  const Progress progress = best_.progress(sweeps_, smallest_value_);
  const double gap = progress.relative_gap();
  if (!is_free && gap <= worth_screening && gap > limits_.gap) screen(primal - dual);
  return progress;
}

// Of multipliers that differ from the current ones: the squared norm of their weights is returned.
template <class T>
double CoordinateDescent<T>::squared_norm_and_pull(const std::vector<double>& others,
                                                   double& pull) const {
  std::vector<double> weights = weights_;
  pull = 0;
  for (int64_t i = 0; i < program_.size(); ++i) {
    const Constraint& own = constraint(i);
    const double change = own.sign * (others[i] - own.multiplier);
    if (change != 0) data_.add(i % program_.n_points, change, weights.data());
    pull += own.pull(others[i]);
  }
  double norm = 0;
  for (const double w : weights) norm += w * w;
  return norm;
}

// The primal is strongly convex: no optimal weights are further away than the root of twice the
// gap. Multipliers that are at a bound for all weights within that distance need no more visits
// (Ndiaye, Fercoq, Gramfort, Salmon 2017).
template <class T>
void CoordinateDescent<T>::screen(double gap) {
  const double radius = std::sqrt(2 * std::max(gap, 0.0)) * (1 + 1e-9);
  const auto is_settled = [&](int64_t row) {
    const double reach = radius * std::sqrt(squared_norms_[row] + stiffness_);
    return std::ranges::all_of(sides_of(row), [&](const Constraint& side) {
      const double margin = side.sign * (scores_[row] + side.linear);
      const bool is_at_zero = side.multiplier == 0 && margin > reach;
      return is_at_zero || (side.multiplier == side.cost && margin < -reach);
    });
  };
  roster_.close_where(is_settled);
  roster_.recall();
}

template <class T>
Outcome CoordinateDescent<T>::run(const std::vector<double>& multipliers) {
  Progress progress;
  try {
    start(multipliers);
    progress = measure();
    report_(progress);
    const bool is_free = program_.bias_weight == 0;
    double believed = infinity, least = infinity;
    for (int64_t in_vain = 0, measured = 0;;) {
      if (progress.relative_gap() <= limits_.gap) return {Ending::converged, progress};
      if (is_over()) return {Ending::iterations, progress};
      if (in_vain >= patience) return {Ending::stalled, progress};
      const Sweep seen = sweep();
      const double range = seen.range.width();
      const bool has_settled = range <= settled * limits_.gap;
      const double imbalance = is_free ? stiffness_ * sum_ * sum_ : 0.0;
      const bool moves_bias =
          is_free && (seen.gap < balanced_enough * imbalance || (has_settled && sum_ != 0));
      const double size = std::max(std::abs(progress.primal), std::abs(progress.dual));
      const double wanted = std::min(sure_enough * limits_.gap * size, next_try * believed);
      const bool is_near = seen.gap + imbalance <= wanted || (has_settled && !moves_bias);
      if (moves_bias) {
        bias_ += stiffness_ * sum_;
        shrink_above_ = infinity;
        shrink_below_ = -infinity;
      }
      // What is measured is what an interrupt leaves.
      const bool may_wait = visits_ - measured < program_.n_points + measured;
      if (!is_near && may_wait && !is_over()) {
        if (!moves_bias) {
          shrink_above_ = seen.range.highest > 0 ? seen.range.highest : infinity;
          shrink_below_ = seen.range.lowest < 0 ? seen.range.lowest : -infinity;
        }
        if (moves_bias || range < much_less * range_of_all_) look();
        continue;
      }
      progress = measure();
      report_(progress);
      measured = visits_;
      believed = seen.gap;
      const bool is_stuck = has_settled && !moves_bias && !(progress.relative_gap() < 0.999 * least);
      in_vain = is_stuck ? in_vain + 1 : 0;
      least = std::min(least, progress.relative_gap());
    }
  } catch (const threads::Interrupted&) {
    return {Ending::interrupted, progress};
  }
}

template class CoordinateDescent<float>;
template class CoordinateDescent<double>;

}  // namespace maxmargin::linear
