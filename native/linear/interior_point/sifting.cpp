#include "sifting.h"

#include <algorithm>
#include <cmath>

#include "interior_point.h"
#include "sampling.h"

namespace maxmargin::linear {
namespace {

// With fewer points all are taken at once.
constexpr int64_t smallest = 8192;

// The first sample has at least this share of the points, and 40 points per weight; if that is more
// than the second share, sifting does not pay.
constexpr double least_sample = 1.0 / 16, most_sample = 1.0 / 4;
constexpr double points_per_weight = 40;

// The relative gap to which a sample is solved.
constexpr double rough_gap = 1e-3;

// How far the weights of a sample are assumed to be off: in margins, and as a relative gap.
constexpr double first_movement = 0.05, first_goal = 2e-4;

// The share of the fixed points that guard the others.
constexpr double guarded_share = 1.0 / 16;

// The working set as a share of the points: at first, and at least; above the last share the whole QP
// is solved at once.
constexpr double first_share = 1.0 / 8, least_share = 1.0 / 64, most_share = 1.0 / 3;

// Points stay in the working set up to this many times the distance from the margin at which points
// were fixed on the wrong side.
constexpr double caution = 4;

// Small QPs are solved to this share of the whole QP's gap, but not below this share of the tolerance,
// and directly to the latter if it is at least 1/16 of the goal.
constexpr double share_of_gap = 0.02, share_of_goal = 0.25, not_much_less = 1.0 / 16;

// A round that does not divide the gap by this keeps the whole working set for the next.
constexpr double good_progress = 4;
constexpr int64_t most_rounds = 20;

template <class T>
double sampled_share(const Matrix<T>& data) {
  const double wanted = points_per_weight * static_cast<double>(data.n_columns + 1);
  return std::max(least_sample, wanted / static_cast<double>(data.n_rows));
}

template <class T>
class Sifting {
 public:
  Sifting(const Task<T>& task, Incumbent& best, int64_t& iterations)
      : task_(task), best_(best), iterations_(iterations) {}

  Status run(const WarmStart& start) try {
    offer_zero();
    weights_ = start.weights;
    weights_.push_back(start.bias);
    leverage_ = leverages(data_, tasks_, task_.execution);
    if (start.weights.empty()) solve_sample();
    is_working_.assign(n_, 1);
    double before = judge(0), distance = distance_of_share(first_share), goal = first_goal;
    movement_ = first_movement;
    bool keeps_all = false;
    for (int64_t round = 0, in_vain = 0; round < most_rounds; ++round) {
      if (before <= task_.stop.tolerance) return Status::converged;
      if (iterations_ >= task_.stop.max_iter) return Status::max_iter;
      choose_working_set(distance, keeps_all);
      const auto share = static_cast<double>(working_.size()) / static_cast<double>(n_);
      if (share == 0 || share > most_share) break;
      const double gap = judge(refine(std::max(goal, share_of_goal * task_.stop.tolerance)));
      goal = std::min(first_goal, share_of_gap * gap);
      if (share_of_goal * task_.stop.tolerance > not_much_less * goal) goal = 0;
      movement_ = std::max(movement_, gap);
      in_vain = gap > 0.9 * before ? in_vain + 1 : 0;
      if (in_vain > 2) break;
      keeps_all = gap * good_progress > before;
      distance = std::clamp(caution * depth_, distance_of_share(least_share),
                            distance_of_share(first_share));
      before = gap;
    }
    return Status::stalled;
  } catch (const threads::Interrupted&) {
    return Status::interrupted;
  }

 private:
  // Zero weights need no look at the data: something to leave behind at an early end.
  void offer_zero() {
    double penalty = 0;
    for (int64_t i = 0; i < qp_.size(); ++i) penalty += qp_.penalty(i, qp_.sign[i] * qp_.linear[i]);
    const std::vector<double> zero(data_.n_columns);
    best_.offer_weights(penalty, zero.data(), 0);
    best_.offer_multipliers(0, [&] { return multiplier_; });
  }

  void solve_sample() {
    const Sample sample = draw({}, is_working_, leverage_, sampled_share(data_));
    SubsetQP own(qp_, sample.points);
    for (size_t k = 0; k < own.cost.size(); ++k) own.cost[k] *= sample.weights[k % sample.size()];
    solve_small(own, sample, {rough_gap, task_.stop.max_iter}, nullptr, nullptr);
  }

  // Takes over the weights of a QP over some points and returns its multipliers.
  std::vector<double> solve_small(const SubsetQP& own, const Sample& sample, run::Stop stop,
                                  const Guess* guess, const DualSums* fixed) {
    // Small QPs report nothing, but their iterations are too short to ask often enough otherwise.
    const run::Report silent = [this](const Progress&) {
      if (task_.execution.should_stop && task_.execution.should_stop()) throw threads::Interrupted();
    };
    rows_.assign(data_, sample.points);
    const BoxQP qp = own.view();
    const Task<T> small{rows_.view(), qp, stop, task_.execution, silent};
    Solution solution = solve_by_interior_point(small, guess, fixed);
    if (solution.status == Status::interrupted) throw threads::Interrupted();
    iterations_ += solution.progress.iterations;
    weights_ = std::move(solution.weights);
    weights_.push_back(solution.bias);
    return std::move(solution.multipliers);
  }

  // Finds all margins and offers the primal value of the weights and the dual value that belongs to
  // the multipliers; returns the relative gap.
  double judge(double dual) {
    struct Seen {
      double penalty = 0, moved = 0, wrong = 0, depth = 0;
      Seen& operator+=(const Seen& other) {
        penalty += other.penalty, moved += other.moved;
        return wrong += other.wrong, depth += other.depth, *this;
      }
    };
    const auto visit = [&](const Matrix<T>& rows, int64_t first, int64_t last, Seen& seen) {
      for (int64_t r = first; r < last; ++r) {
        const double score = rows.dot(r - first, weights_.data()) + weights_.back();
        distance_[r] = infinity;
        for (int64_t i = r; i < qp_.size(); i += n_) {
          const double before = margin_[i];
          margin_[i] = qp_.sign[i] * (score + qp_.linear[i]);
          if (is_working_[r]) seen.moved += std::abs(margin_[i] - before);
          seen.penalty += qp_.penalty(i, margin_[i]);
          const double distance = std::abs(margin_[i]) / leverage_[r];
          distance_[r] = std::min(distance_[r], distance);
          if (!is_working_[r] && is_on_wrong_side(i)) {
            seen.depth += distance;
            seen.wrong += 1;
          }
        }
      }
    };
    const Seen seen = sum_over_windows(data_, tasks_, Seen{}, task_.execution, visit);
    depth_ = seen.depth / std::max(seen.wrong, 1.0);
    movement_ = seen.moved / static_cast<double>(std::max<size_t>(working_.size(), 1));
    const double regularisation = qp_.regularisation({weights_.data(), weights_.size() - 1},
                                                     weights_.back());
    best_.offer_weights(regularisation + seen.penalty, weights_.data(), weights_.back());
    best_.offer_multipliers(dual, [&] { return multiplier_; });
    const Progress progress = best_.progress(iterations_);
    task_.report(progress);
    return progress.violation;
  }

  bool is_on_wrong_side(int64_t i) const { return (margin_[i] < 0) != (multiplier_[i] > 0); }

  double distance_of_share(double share) const {
    std::vector<double> distances = distance_;
    const auto rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(distances.size()));
    std::nth_element(distances.begin(), distances.begin() + rank, distances.end());
    return distances[rank];
  }

  // The points close to their margin and those fixed on the wrong side.
  void choose_working_set(double distance, bool keeps_all) {
    working_.clear();
    for (int64_t r = 0; r < n_; ++r) {
      bool is_wrong = false;
      for (int64_t i = r; i < qp_.size() && !is_working_[r]; i += n_) {
        is_wrong = is_wrong || is_on_wrong_side(i);
      }
      is_working_[r] = distance_[r] <= distance || is_wrong || (keeps_all && is_working_[r]);
      if (is_working_[r]) working_.push_back(r);
    }
  }

  // Fixes the multipliers of all other points where their margins put them; returns their sums.
  DualSums fix_others() {
    const auto visit = [&](const Matrix<T>& rows, int64_t first, int64_t last, DualSums& sums) {
      double up[window_rows], down[window_rows];
      for (int64_t r = first; r < last; ++r) {
        up[r - first] = down[r - first] = 0;
        for (int64_t i = r; i < qp_.size() && !is_working_[r]; i += n_) {
          multiplier_[i] = margin_[i] < 0 ? qp_.cost[i] : 0.0;
          (qp_.sign[i] > 0 ? up : down)[r - first] += multiplier_[i];
          sums.side(qp_.sign[i]).linear += qp_.linear[i] * multiplier_[i];
        }
        sums.up.combination.back() += up[r - first];
        sums.down.combination.back() += down[r - first];
      }
      rows.add_all(up, sums.up.combination.data());
      rows.add_all(down, sums.down.combination.data());
    };
    return sum_over_windows(data_, tasks_, DualSums::of(data_.n_columns + 1), task_.execution, visit);
  }

  // Solves the QP of the working set from the present weights; returns the dual value of all
  // multipliers. A sample of the fixed points guards the others: its constraints keep such points where
  // they are, at the cost of the many points that each stands for.
  double refine(double goal) {
    DualSums sums = fix_others();
    const Sample sample = draw(working_, is_working_, leverage_, guarded_share);
    SubsetQP own(qp_, sample.points);
    const auto n_working = static_cast<int64_t>(working_.size());
    const auto is_guard = [&](int64_t k) { return k % sample.size() >= n_working; };
    const auto variable = [&](int64_t k) {
      return k / sample.size() * n_ + sample.points[k % sample.size()];
    };
    for (int64_t k = 0; k < static_cast<int64_t>(own.cost.size()); ++k) {
      if (!is_guard(k)) continue;
      own.cost[k] *= sample.weights[k % sample.size()];
      if (multiplier_[variable(k)] > 0) own.sign[k] = -own.sign[k];
    }
    const Guess guess{weights_, movement_};
    const std::vector<double> multipliers =
        solve_small(own, sample, {goal, task_.stop.max_iter - iterations_}, &guess, &sums);
    for (int64_t k = 0; k < static_cast<int64_t>(multipliers.size()); ++k) {
      const int64_t i = variable(k);
      const double before = is_guard(k) ? multiplier_[i] : 0.0;
      const double direction = before > 0 ? -1.0 : 1.0;
      multiplier_[i] = std::clamp(before + direction * multipliers[k], 0.0, qp_.cost[i]);
      const double change = multiplier_[i] - before;
      if (change == 0) continue;
      SideSum& side = sums.side(qp_.sign[i]);
      rows_.view().add(k % sample.size(), change, side.combination.data());
      side.combination.back() += change;
      side.linear += qp_.linear[i] * change;
    }
    return sums.dual(qp_);
  }

  const Task<T>& task_;
  Incumbent& best_;
  int64_t& iterations_;
  const Matrix<T>& data_ = task_.data;
  const BoxQP& qp_ = task_.qp;
  const int64_t n_ = qp_.n_points;
  const RowTasks tasks_ = RowTasks::of(data_, 2 * (data_.n_columns + 1));
  data::RowSubset<T> rows_;
  std::vector<double> weights_;                                      // w and b
  std::vector<double> multiplier_ = std::vector<double>(qp_.size());
  std::vector<double> margin_ = std::vector<double>(qp_.size());
  std::vector<double> leverage_;
  std::vector<double> distance_ = std::vector<double>(n_);  // least margin over leverage, per point
  std::vector<int64_t> working_;                            // points
  std::vector<uint8_t> is_working_ = std::vector<uint8_t>(n_);
  double movement_ = 0;  // mean change of the working set's margins in the last round
  double depth_ = 0;     // mean distance of the points that were fixed on the wrong side
};

}  // namespace

template <class T>
bool may_sift(const Task<T>& task, const WarmStart& start) {
  return !task.qp.is_squared() && task.data.n_rows >= smallest &&
         (!start.weights.empty() || sampled_share(task.data) <= most_sample);
}

template <class T>
Status sift(const Task<T>& task, const WarmStart& start, Incumbent& best, int64_t& iterations) {
  return Sifting<T>(task, best, iterations).run(start);
}

template bool may_sift(const Task<float>&, const WarmStart&);
template bool may_sift(const Task<double>&, const WarmStart&);
template Status sift(const Task<float>&, const WarmStart&, Incumbent&, int64_t&);
template Status sift(const Task<double>&, const WarmStart&, Incumbent&, int64_t&);

}  // namespace maxmargin::linear
