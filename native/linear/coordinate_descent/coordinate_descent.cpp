#include "coordinate_descent.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "../../run/pacer.h"
#include "../row_sums.h"
#include "../shuffler.h"
#include "constraint.h"
#include "projected_gradient.h"
#include "shrinking.h"

namespace maxmargin::linear {
namespace {

// The estimated gap must fall to this share of the last estimate after a measurement that was too
// large.
constexpr double next_try = 0.7;

// Active variables have converged when their projected gradient is this share of the tolerance.
constexpr double settled = 0.01;

// A free bias moves when the gap is down to this share of what its sum costs.
constexpr double balanced_enough = 0.5;

// All points are looked at again when the gradient of those visited has fallen to this share.
constexpr double much_less = 0.1;

// Bytes that the cache of one core holds; points visited together where it does not hold all; how
// many visits ahead a point is fetched.
constexpr double cache_bytes = 1 << 19;
constexpr size_t neighbours = 8;
constexpr size_t ahead = 8;

// An infinite penalty; times any slack it is still finite.
constexpr double largest_penalty = 1e200;

// At larger relative gaps screening proves next to nothing.
constexpr double worth_screening = 1e-2;

// Measurements without progress, of multipliers that have converged, that mean rounding.
constexpr int64_t patience = 5;

struct Sweep {
  Range range;
  double gap = 0;  // of the points visited, each at the time of its visit
};

// A pass over all points: what they cost in the primal and in the dual, beside the weights.
struct Pass {
  double loss = 0, dual_cost = 0;
  Range range;

  Pass& operator+=(const Pass& other) {
    range.add(other.range.highest), range.add(other.range.lowest);
    return loss += other.loss, dual_cost += other.dual_cost, *this;
  }
};

template <class T>
class CoordinateDescent {
 public:
  CoordinateDescent(const Task<T>& task, const std::vector<double>& squared_norms, uint64_t seed,
                    const VisitBudget& budget)
      : task_(task), squared_norms_(squared_norms), budget_(budget), shuffler_(seed) {}

  Solution run(const std::vector<double>& multipliers) {
    const Status status = iterate(multipliers);
    return best_.take(status, progress_);
  }

 private:
  Status iterate(const std::vector<double>& multipliers) try {
    start(multipliers);
    measure();
    double believed = infinity, least = infinity;
    for (int64_t in_vain = 0, measured = 0;;) {
      if (progress_.violation <= task_.stop.tolerance) return Status::converged;
      if (is_over()) return Status::max_iter;
      if (in_vain >= patience) return Status::stalled;
      const Sweep seen = sweep();
      const double range = seen.range.width();
      const bool has_settled = range <= settled * task_.stop.tolerance;
      const double imbalance = is_free_ ? bias_step_ * sum_ * sum_ : 0.0;
      const bool moves_bias =
          is_free_ && (seen.gap < balanced_enough * imbalance || (has_settled && sum_ != 0));
      const double size = std::max(std::abs(progress_.primal), std::abs(progress_.dual));
      const double wanted = std::min(task_.stop.tolerance * size, next_try * believed);
      const bool is_near = seen.gap + imbalance <= wanted || (has_settled && !moves_bias);
      if (moves_bias) {
        bias_ += bias_step_ * sum_;
        shrink_ = {};
      }
      // An interrupt leaves what was measured last, so that is done now and then.
      const bool may_wait = visits_ - measured < qp_.n_points + measured;
      if (!is_near && may_wait && !is_over()) {
        if (!moves_bias) shrink_ = ShrinkBounds::of(seen.range);
        if (moves_bias || range < much_less * range_of_all_) pass_over_all();
        continue;
      }
      measure();
      measured = visits_;
      believed = seen.gap;
      const bool is_stuck = has_settled && !moves_bias && !(progress_.violation < 0.999 * least);
      in_vain = is_stuck ? in_vain + 1 : 0;
      least = std::min(least, progress_.violation);
    }
  } catch (const threads::Interrupted&) {
    return Status::interrupted;
  }

  bool is_over() const {
    const double gap = best_.progress(0).violation;
    const double share = gap <= budget_.promising ? 2 : gap > budget_.hopeless ? 0.25 : 1;
    return sweeps_ >= task_.stop.max_iter ||
           static_cast<double>(visits_) >= share * static_cast<double>(budget_.visits);
  }

  void start(const std::vector<double>& multipliers) {
    const int64_t n = qp_.n_points, m = qp_.size();
    bias_step_ = bias_step();
    for (int64_t i = 0; i < m; ++i) {
      const double ridge = qp_.ridge[i];
      Constraint& own = constraint(i);
      own = {qp_.sign[i], qp_.linear[i], qp_.cost[i], ridge};
      own.curvature = squared_norms_[i % n] + bias_step_ + ridge;
      own.penalty = ridge > 0 ? 0.0 : std::min(qp_.cost[i], largest_penalty);
      own.squared_penalty = ridge > 0 ? 0.5 / ridge : 0.0;
      if (multipliers.empty() || multipliers[i] == 0) continue;
      // What both multipliers of a tube have in common cancels out.
      const double opposite = qp_.sides == 2 ? multipliers[(i + n) % m] : 0.0;
      const double left = multipliers[i] - std::min(std::max(opposite, 0.0), multipliers[i]);
      own.multiplier = std::clamp(left, 0.0, own.cost);
      data_.add(i % n, own.sign * own.multiplier, weights_.data());
      sum_ += own.sign * own.multiplier;
    }
    if (!is_free_) bias_ = bias_step_ * sum_;
  }

  // How far the bias moves per signed multiplier: the square of its constant feature. A free bias must
  // be able to move by a margin, however small features and costs are.
  double bias_step() const {
    if (!qp_.has_bias()) return 0;
    if (!is_free_) return 1 / qp_.bias_weight;
    double norms = 0, costs = 0, ridges = 0, margin = 0;
    for (const double norm : squared_norms_) norms += norm;
    for (int64_t i = 0; i < qp_.size(); ++i) {
      costs += std::isfinite(qp_.cost[i]) ? qp_.cost[i] : 0.0;
      ridges += qp_.ridge[i];
      margin = std::max(margin, std::abs(qp_.linear[i]));
    }
    const double from_costs = costs > 0 ? margin / costs : 0.0;
    return std::max({norms / static_cast<double>(qp_.n_points),
                     ridges / static_cast<double>(qp_.size()), from_costs, 1e-300});
  }

  // The constraints of a point lie side by side.
  int64_t place(int64_t i) const {
    return qp_.sides == 1 ? i : i % qp_.n_points * qp_.sides + i / qp_.n_points;
  }
  const Constraint& constraint(int64_t i) const { return constraints_[place(i)]; }
  Constraint& constraint(int64_t i) { return constraints_[place(i)]; }
  std::span<const Constraint> sides_of(int64_t row) const {
    return {&constraints_[row * qp_.sides], static_cast<size_t>(qp_.sides)};
  }
  Tube tube_of(int64_t row, double score) {
    Constraint &first = constraints_[2 * row], &second = constraints_[2 * row + 1];
    Constraint &up = first.sign > 0 ? first : second, &down = first.sign > 0 ? second : first;
    return {up, down, score + up.linear, -(score + down.linear)};
  }

  // Not inlined, so that the loop has the registers to itself.
  [[gnu::noinline]] Sweep sweep() {
    Sweep sweep;
    const bool has_tubes = qp_.sides == 2;
    std::vector<Shrinking::Point>& points = shrinking_.next_sweep();
    shuffle(points);
    for (size_t k = 0; k < points.size(); ++k) {
      if (k % 256 == 0) pacer_.checkpoint();
      if (k + ahead < points.size()) prefetch(points[k + ahead]);
      has_tubes ? visit_tube(points[k], sweep) : visit(points[k], sweep);
    }
    ++sweeps_;
    visits_ += static_cast<int64_t>(points.size());
    return sweep;
  }

  // Where rows are short and too many for the cache, visits wait for memory: neighbours stay together,
  // because reading in order is several times as fast. Otherwise they do not, because a freer order
  // needs fewer sweeps.
  void shuffle(std::vector<Shrinking::Point>& points) {
    const double entries_per_point = data_.n_entries() / static_cast<double>(data_.n_rows);
    const double bytes_per_point = sizeof(Constraint) + sizeof(T) * entries_per_point;
    const bool is_cached = static_cast<double>(points.size()) * bytes_per_point < cache_bytes;
    const bool waits = !is_cached && entries_per_point <= Matrix<T>::short_row;
    shuffler_.shuffle(points.data(), points.size(), waits ? neighbours : 1);
  }

  void prefetch(int64_t row) const {
    __builtin_prefetch(&constraints_[row * qp_.sides]);
    shrinking_.prefetch(row);
    data_.prefetch(row);
  }

  void visit(int64_t row, Sweep& sweep) {
    Constraint& own = constraints_[row];
    const double margin = own.sign * (data_.dot(row, weights_.data()) + bias_ + own.linear);
    const double a = own.multiplier, slope = margin + own.ridge * a;
    sweep.gap += own.share_of_gap(margin);
    if (!note(row, shrink_.pull(own, slope), sweep.range)) return;
    const double moved = std::min(std::max(own.optimum(a, slope), 0.0), own.cost);
    if (moved == a) return;
    own.multiplier = moved;
    move(row, own.sign * (moved - a));
  }

  [[gnu::noinline]] void visit_tube(int64_t row, Sweep& sweep) {
    const Tube tube = tube_of(row, data_.dot(row, weights_.data()) + bias_);
    sweep.gap += tube.up.share_of_gap(tube.margin_up) + tube.down.share_of_gap(tube.margin_down);
    if (!note(row, shrink_.pull(tube), sweep.range)) return;
    const double value = tube.value;
    double moved = std::min(tube.up.optimum(value, tube.slope_up), tube.up.cost);
    if (moved <= 0) {
      moved = -std::clamp(tube.down.optimum(-value, tube.slope_down), 0.0, tube.down.cost);
    }
    if (moved == value) return;
    tube.up.multiplier = std::max(moved, 0.0);
    tube.down.multiplier = std::max(-moved, 0.0);
    move(row, moved - value);
  }

  void move(int64_t row, double change) {
    data_.add(row, change, weights_.data());
    bias_ += bias_step_ * change;
    sum_ += change;
  }

  // Returns whether the point is to move.
  bool note(int64_t row, const Pull& pull, Range& range) {
    const bool moves = pull.slope != 0;
    shrinking_.note(row, !moves & pull.is_bound, pull.is_hopeless);
    range.add(pull.slope);
    return moves;
  }

  // With all threads; it saves each point a visit.
  Pass pass_over_all() {
    const bool is_zero = std::ranges::all_of(weights_, [](double w) { return w == 0; });
    const auto visit = [&](int64_t begin, int64_t end, Pass& sum, threads::Worker& worker) {
      for (int64_t row = begin; row < end; ++row) {
        if (row % 256 == 0) worker.checkpoint();
        const double score = scores_[row] = bias_ + (is_zero ? 0.0 : data_.dot(row, weights_.data()));
        for (const Constraint& side : sides_of(row)) {
          sum.loss += side.loss(side.sign * (score + side.linear));
          sum.dual_cost += side.dual_cost(side.multiplier);
        }
        const Constraint& own = sides_of(row)[0];
        const double slope = own.sign * (score + own.linear) + own.ridge * own.multiplier;
        note(row, qp_.sides == 2 ? shrink_.pull(tube_of(row, score)) : shrink_.pull(own, slope),
             sum.range);
      }
    };
    const Pass found = sum_over_rows(RowTasks::of(data_, 1), Pass{}, task_.execution, visit);
    range_of_all_ = found.range.width();
    shrinking_.recall();
    return found;
  }

  // Offers the weights and the multipliers, at the cost of a pass over the data, or two with a free
  // bias.
  void measure() {
    const Pass seen = pass_over_all();
    const double regularisation = qp_.regularisation(weights_, bias_);
    const double primal = regularisation + seen.loss;
    double dual = -regularisation - seen.dual_cost;
    std::vector<double> multipliers(qp_.size());
    for (int64_t i = 0; i < qp_.size(); ++i) multipliers[i] = constraint(i).multiplier;
    if (is_free_) {
      balance(qp_.sign, multipliers);
      dual = dual_value(multipliers);
    }
    best_.offer_weights(primal, weights_.data(), bias_);
    best_.offer_multipliers(dual, [&] { return std::move(multipliers); });
    progress_ = best_.progress(sweeps_);
    const double gap = progress_.violation;
    if (!is_free_ && gap <= worth_screening && gap > task_.stop.tolerance) screen(primal - dual);
    task_.report(progress_);
  }

  // Of multipliers that differ from the current ones, with a free bias.
  double dual_value(const std::vector<double>& multipliers) const {
    std::vector<double> weights = weights_;
    double cost = 0;
    for (int64_t i = 0; i < qp_.size(); ++i) {
      const Constraint& own = constraint(i);
      const double change = own.sign * (multipliers[i] - own.multiplier);
      if (change != 0) data_.add(i % qp_.n_points, change, weights.data());
      cost += own.dual_cost(multipliers[i]);
    }
    return -qp_.regularisation(weights, 0) - cost;
  }

  // The primal is strongly convex: the optimal weights are no further away than the root of twice the
  // gap. Multipliers that are at a bound for all weights within that distance need no more visits
  // (Ndiaye, Fercoq, Gramfort, Salmon 2017).
  void screen(double gap) {
    const double radius = std::sqrt(2 * std::max(gap, 0.0)) * (1 + 1e-9);
    shrinking_.screen([&](int64_t row) {
      const double reach = radius * std::sqrt(squared_norms_[row] + bias_step_);
      return std::ranges::all_of(sides_of(row), [&](const Constraint& side) {
        const double margin = side.sign * (scores_[row] + side.linear);
        const bool is_at_zero = side.multiplier == 0 && margin > reach;
        return is_at_zero || (side.multiplier == side.cost && margin < -reach);
      });
    });
  }

  const Task<T>& task_;
  const Matrix<T>& data_ = task_.data;
  const BoxQP& qp_ = task_.qp;
  const std::vector<double>& squared_norms_;
  const VisitBudget budget_;
  const bool is_free_ = qp_.has_free_bias();
  Incumbent best_{qp_, data_.n_columns};
  Progress progress_ = run::not_begun;
  run::Pacer pacer_{task_.execution.should_stop};
  Shuffler shuffler_;
  Shrinking shrinking_{qp_.n_points};
  std::vector<double> weights_ = std::vector<double>(data_.n_columns);
  std::vector<double> scores_ = std::vector<double>(qp_.n_points);  // in the last pass over all
  std::vector<Constraint> constraints_ = std::vector<Constraint>(qp_.size());
  double bias_ = 0, bias_step_ = 0, sum_ = 0;  // the sum of the signed multipliers
  ShrinkBounds shrink_;
  double range_of_all_ = 0;  // in the last pass over all
  int64_t visits_ = 0, sweeps_ = 0;
};

}  // namespace

template <class T>
std::vector<double> squared_norms(const Matrix<T>& data) {
  std::vector<double> norms(data.n_rows);
  for (int64_t row = 0; row < data.n_rows; ++row) norms[row] = data.squared_norm(row);
  return norms;
}

template <class T>
Solution solve_by_coordinate_descent(const Task<T>& task, const std::vector<double>& squared_norms,
                                     const std::vector<double>& multipliers, uint64_t seed,
                                     const VisitBudget& budget) {
  return CoordinateDescent<T>(task, squared_norms, seed, budget).run(multipliers);
}

template std::vector<double> squared_norms(const Matrix<float>&);
template std::vector<double> squared_norms(const Matrix<double>&);
template Solution solve_by_coordinate_descent(const Task<float>&, const std::vector<double>&,
                                              const std::vector<double>&, uint64_t,
                                              const VisitBudget&);
template Solution solve_by_coordinate_descent(const Task<double>&, const std::vector<double>&,
                                              const std::vector<double>&, uint64_t,
                                              const VisitBudget&);

}  // namespace maxmargin::linear
