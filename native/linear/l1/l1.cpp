#include "l1.h"

#include <algorithm>
#include <cmath>

#include "../shuffler.h"
#include "iterate.h"
#include "model.h"

namespace maxmargin::linear {
namespace {

// A visit ends when the subgradient has fallen to this share, or after this many Newton steps.
constexpr double good_enough = 0.1;
constexpr int most_steps = 6;

// A free bias goes to its optimum, which balances the multipliers up to rounding.
constexpr double exact = 1e-14;
constexpr int most_bias_steps = 60;

// Work on a working set ends when its gap seems to be this share of the whole gap, or of the
// tolerance, or after this many sweeps.
constexpr double share_of_gap = 0.1, share_of_goal = 0.5;
constexpr int64_t most_sweeps = 50;

// Features whose slope is this share of their bound may join the working set; it grows by its own size
// or by this many.
constexpr double near_bound = 0.95;
constexpr size_t least_growth = 64;

// A feature at zero is shrunk when it is within its bound by this share of the largest excess.
constexpr double shrink_share = 0.5;

// Where all weights are zero, a slope larger than its bound by this share says that they should not be,
// however small the gap.
constexpr double slope_rounding = 1e-9;

// Measurements in a row that gain less than this share of the gap, which mean rounding.
constexpr int64_t patience = 10;
constexpr double notable = 1e-6;

// A model whose step is cut to less than this has to wait longer for its next turn.
constexpr double useful_length = 1e-10;
constexpr int most_turns = 5;  // in a row, while steps are cut
constexpr int most_halvings = 50;
constexpr double flat_enough = 0.1;

template <class T>
class L1Descent {
 public:
  L1Descent(const Matrix<T>& columns, const L1Problem& problem, const run::Stop& stop, uint64_t seed,
            const threads::ShouldStop& should_stop, const run::Report& report)
      : columns_(columns), problem_(problem), stop_(stop), report_(report), pacer_(should_stop),
        order_(seed) {}

  Solution run(const WarmStart& start) {
    best_.status = iterate(start);
    return std::move(best_);
  }

 private:
  Status iterate(const WarmStart& start) try {
    std::copy(start.weights.begin(), start.weights.end(), at_.weights.begin());
    if (problem_.has_bias()) at_.weights[bias_] = start.bias;
    const Progress& now = best_.progress;
    measure();
    for (int64_t in_vain = 0;;) {
      const double gap = now.primal - now.dual, primal = least_primal_;
      if (now.violation <= stop_.tolerance && !is_empty_too_early_) return Status::converged;
      if (sweeps_ >= stop_.max_iter) return Status::max_iter;
      if (in_vain >= patience) return Status::stalled;
      select();
      const double asked = stop_.tolerance * std::max(now.primal, now.dual);
      improve(std::max(share_of_goal * asked, share_of_gap * gap));
      measure();
      const double gained = gap - (now.primal - now.dual) + primal - least_primal_;
      in_vain = gained > notable * gap ? 0 : in_vain + 1;
    }
  } catch (const threads::Interrupted&) {
    // Descent has gone on since the last measurement.
    const double primal = best_.weights.empty() ? infinity : at_.primal_value();
    if (primal < best_.progress.primal) keep_weights(primal, best_.progress.dual);
    return Status::interrupted;
  }

  // Offers the weights and the multipliers made from them, and finds the slopes of all features, at the
  // cost of a pass over the data.
  void measure() {
    at_.rebuild_residuals();
    if (problem_.has_free_bias()) {
      at_.descend(bias_, at_.slope(bias_), exact, most_bias_steps, infinity);
    }
    const double primal = at_.primal_value();
    least_primal_ = std::min(least_primal_, primal);

    std::vector<double> feasible = at_.multipliers(), combination(at_.n);
    if (problem_.has_free_bias()) balance(problem_.sign, feasible);
    double total = 0;
    gain_ = loss_ = 0;
    for (int64_t i = 0; i < at_.n; ++i) {
      if (feasible[i] == 0) continue;
      combination[i] = problem_.sign[i] * feasible[i];
      total += combination[i];
      gain_ += feasible[i];
      loss_ += feasible[i] * feasible[i] / (4 * problem_.cost[i]);
    }
    const bool has_bound = problem_.has_bias() && !problem_.has_free_bias();
    double largest = has_bound ? std::abs(total) / problem_.bias_penalty : 0.0;
    for (int64_t j = 0; j < bias_; ++j) {
      slope_[j] = -columns_.dot(j, combination.data());
      largest = std::max(largest, std::abs(slope_[j]));
      at_.count_work(at_.n_entries(j));
    }
    double scale = loss_ > 0 ? gain_ / (2 * loss_) : 0.0;
    if (scale * largest > 1) scale = 1 / largest;
    const double dual = scale * (gain_ - scale * loss_);
    if (primal - dual < best_.progress.primal - best_.progress.dual) {
      keep_weights(primal, dual);
      is_empty_too_early_ = largest > 1 + slope_rounding && at_.is_empty();
      for (double& a : feasible) a *= scale;
      best_.multipliers = std::move(feasible);
    }
    best_.progress.iterations = sweeps_;
    report_(best_.progress);
  }

  void keep_weights(double primal, double dual) {
    best_.progress = {best_.progress.iterations, relative_gap(primal, dual), primal, dual};
    best_.weights.assign(at_.weights.begin(), at_.weights.end() - 1);
    best_.bias = at_.weights[bias_];
  }

  // The working set: the weights that are not zero, and the features whose constraints are violated
  // most.
  void select() {
    active_.clear();
    std::vector<int64_t> candidates;
    for (int64_t j = 0; j < bias_; ++j) {
      if (at_.weights[j] != 0) {
        active_.push_back(j);
      } else if (std::abs(slope_[j]) > near_bound) {
        candidates.push_back(j);
      }
    }
    const size_t growth = std::max(least_growth, active_.size());
    if (candidates.size() > growth) {
      const auto is_steeper = [this](int64_t a, int64_t b) {
        const double steep_a = std::abs(slope_[a]), steep_b = std::abs(slope_[b]);
        return steep_a != steep_b ? steep_a > steep_b : a < b;
      };
      std::nth_element(candidates.begin(), candidates.begin() + static_cast<int64_t>(growth),
                       candidates.end(), is_steeper);
      candidates.resize(growth);
    }
    active_.insert(active_.end(), candidates.begin(), candidates.end());
    if (problem_.has_bias()) active_.push_back(bias_);
    n_active_ = active_.size();
    shrink_ = infinity;
  }

  // Works on the active set until its gap seems small enough.
  void improve(double wanted) {
    for (int64_t k = 0; k < most_sweeps && sweeps_ < stop_.max_iter; ++k) {
      const GapEstimate seen = sweep();
      if (seen.gap(gain_, loss_) <= wanted) return;
      shrink_ = shrink_share * std::min(1.0, seen.excess);
      if (!model_pays()) continue;
      for (int turns = 0; turns < most_turns && sweeps_ < stop_.max_iter; ++turns) {
        if (follow_model() == 1) break;
      }
    }
  }

  GapEstimate sweep() {
    GapEstimate seen;
    order_.shuffle(active_.data(), n_active_);
    for (size_t k = 0; k < n_active_;) {
      if (k + 1 < n_active_ && active_[k + 1] != bias_) columns_.prefetch(active_[k + 1]);
      if (visit(active_[k], seen)) {
        std::swap(active_[k], active_[--n_active_]);
      } else {
        ++k;
      }
    }
    ++sweeps_;
    return seen;
  }

  // Returns whether the feature is to be shrunk.
  bool visit(int64_t j, GapEstimate& seen) {
    const Slope slope = at_.slope(j);
    const double w = at_.weights[j], penalty = at_.penalty(j);
    seen.see(w, slope.first, penalty);
    if (w == 0 && std::abs(slope.first) < penalty - shrink_) return j != bias_;
    at_.descend(j, slope, good_enough, most_steps, penalty > 0 ? least_primal_ / penalty : infinity);
    return false;
  }

  bool model_pays() {
    const auto n_features = static_cast<int64_t>(n_active_);
    if (n_features > L1Model<T>::most_features) return false;
    double entries = 0;
    for (size_t k = 0; k < n_active_; ++k) entries += static_cast<double>(at_.n_entries(active_[k]));
    const double cost = L1Model<T>::cost(columns_.is_sparse(), entries, n_features, at_.n);
    return at_.work - modelled_at_ >= reluctance_ * cost;
  }

  // Returns the length of the step.
  double follow_model() {
    std::vector<int64_t> features(active_.begin(), active_.begin() + static_cast<int64_t>(n_active_));
    std::erase(features, bias_);
    std::sort(features.begin(), features.end());
    model_.build(columns_, features, at_.points, pacer_);
    features.push_back(bias_);
    std::vector<double> weights, penalties;
    for (const int64_t j : features) {
      weights.push_back(at_.weights[j]);
      penalties.push_back(at_.penalty(j));
    }
    const std::vector<double> step = model_.minimise(weights, penalties, pacer_);
    std::vector<double> change(at_.n, step.back());
    for (size_t k = 0; k + 1 < features.size(); ++k) {
      if (step[k] != 0) columns_.add(features[k], step[k], change.data());
    }
    const double length = best_length(weights, penalties, step, change);
    for (size_t k = 0; k < features.size(); ++k) {
      // A whole step to zero must end there.
      const double next = weights[k] + length * step[k];
      at_.weights[features[k]] = length == 1 && weights[k] == -step[k] ? 0.0 : next;
    }
    for (int64_t i = 0; i < at_.n; ++i) at_.points[i].residual -= length * change[i];
    reluctance_ = length < useful_length ? 4 * reluctance_ : std::max(1.0, 0.5 * reluctance_);
    modelled_at_ = at_.work;
    ++sweeps_;
    return length;
  }

  // The best length up to one, by bisection: the derivative along the step is increasing.
  double best_length(const std::vector<double>& weights, const std::vector<double>& penalties,
                     const std::vector<double>& step, const std::vector<double>& change) const {
    const auto derivative = [&](double length) {
      double sum = 0;
      for (int64_t i = 0; i < at_.n; ++i) {
        const L1Point moved{at_.points[i].residual - length * change[i], at_.points[i].signed_cost};
        sum -= 2 * moved.active_cost() * moved.residual * change[i];
      }
      for (size_t k = 0; k < step.size(); ++k) {
        if (step[k] == 0) continue;
        const double moved = weights[k] + length * step[k];
        const double before = moved != 0 ? moved : -step[k];
        sum += penalties[k] * std::copysign(step[k], step[k] * before);
      }
      return sum;
    };
    if (derivative(1) <= 0) return 1;
    const double enough = -flat_enough * std::abs(derivative(0));
    double low = 0, high = 1;
    for (int k = 0; k < most_halvings; ++k) {
      const double middle = 0.5 * (low + high), steep = derivative(middle);
      (steep > 0 ? high : low) = middle;
      if (steep <= 0 && steep >= enough) break;
    }
    return low;
  }

  const Matrix<T>& columns_;
  const L1Problem& problem_;
  const run::Stop stop_;
  const run::Report& report_;
  run::Pacer pacer_;
  Shuffler order_;
  L1Iterate<T> at_{columns_, problem_, pacer_};
  const int64_t bias_ = at_.bias;
  std::vector<double> slope_ = std::vector<double>(bias_);  // of the features, when last measured
  std::vector<int64_t> active_;                             // the working set, and the bias
  size_t n_active_ = 0;                                     // the rest of it is shrunk
  double shrink_ = 0;
  L1Model<T> model_;
  double modelled_at_ = 0, reluctance_ = 1;
  Solution best_;  // of the smallest gap
  bool is_empty_too_early_ = false;
  // The dual value of t times the multipliers made from the weights is t gain - t^2 loss.
  double least_primal_ = infinity, gain_ = 0, loss_ = 0;
  int64_t sweeps_ = 0;
};

}  // namespace

template <class T>
Solution solve_l1(const Matrix<T>& columns, const L1Problem& problem, const WarmStart& start,
                  const run::Stop& stop, uint64_t seed, const threads::ShouldStop& should_stop,
                  const run::Report& report) {
  return L1Descent<T>(columns, problem, stop, seed, should_stop, report).run(start);
}

template Solution solve_l1(const Matrix<float>&, const L1Problem&, const WarmStart&, const run::Stop&,
                           uint64_t, const threads::ShouldStop&, const run::Report&);
template Solution solve_l1(const Matrix<double>&, const L1Problem&, const WarmStart&,
                           const run::Stop&, uint64_t, const threads::ShouldStop&,
                           const run::Report&);

}  // namespace maxmargin::linear
