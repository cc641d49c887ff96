#include "interior_point.h"

#include <cmath>
#include <span>

#include "iterate.h"

namespace maxmargin::linear {
namespace {

// A step takes this share of the way to the nearest bound.
constexpr double short_of_the_bound = 0.995;

// Iterations without a smaller gap that mean rounding, once the gap is below this.
constexpr int64_t patience = 6;
constexpr double near = 1e-2;

// If the first step from a guess is shorter than this, the guess is started again with 10 times its
// movement, up to the second.
constexpr double blocked = 0.1, most_movement = 10;

template <class T>
class InteriorPoint {
 public:
  InteriorPoint(const Task<T>& task, const DualSums* fixed) : task_(task), fixed_(fixed) {}

  Solution run(const Guess* guess) {
    Progress progress = run::not_begun;
    const Status status = iterate(guess, progress);
    return best_.take(status, progress);
  }

 private:
  Status iterate(const Guess* guess, Progress& progress) try {
    double movement = guess == nullptr ? 0.0 : guess->movement, length = 0, least = infinity;
    if (guess == nullptr) {
      weights_.assign(size_, 0.0);
      at_.start();
    } else {
      weights_ = guess->weights;
      at_.start_at(weights_, movement);
    }
    const auto count = static_cast<double>(qp_.size() * (qp_.is_squared() ? 1 : 2));
    for (int64_t iteration = 0, in_vain = 0;; ++iteration) {
      const Assembly<T>& assembly = at_.advance(length);
      DualSums multipliers = assembly.multipliers;
      if (fixed_ != nullptr) multipliers += *fixed_;
      const double primal = primal_value(assembly.penalty), dual = multipliers.dual(qp_);
      if (!std::isfinite(best_.gap_of(primal, dual))) return Status::stalled;
      best_.offer_weights(primal, weights_.data(), weights_.back());
      best_.offer_multipliers(dual, [&] { return at_.multipliers(); });
      progress = best_.progress(iteration);
      const double gap = progress.violation;
      in_vain = gap < least ? 0 : in_vain + 1;
      least = std::min(least, gap);
      task_.report(progress);
      if (gap <= task_.stop.tolerance) return Status::converged;
      if (iteration >= task_.stop.max_iter) return Status::max_iter;
      if (in_vain >= patience && gap < near) return Status::stalled;
      if (!factorise(cholesky_, assembly.gram.matrix(), qp_, size_)) return Status::stalled;

      // What stationarity still lacks: R (w, b) - sum of sign a z.
      std::vector<double> right_side = assembly.right_side;
      const std::vector<double> combination = multipliers.combination();
      for (int64_t c = 0; c < size_; ++c) {
        right_side[c] += combination[c] - qp_.curvature(c + 1 == size_) * weights_[c];
      }
      const Prediction prediction = at_.predict(solved(right_side));
      const double straight = prediction.length.value;
      if (iteration == 0 && straight < blocked && movement > 0 && movement < most_movement) {
        at_.start_at(weights_, movement *= 10);
        --iteration;
        continue;
      }
      const double mean = assembly.complementarity / count;
      const double reached = ((1 - straight) * assembly.complementarity +
                              straight * straight * prediction.product) / count;
      const double target = std::pow(reached / mean, 3) * mean;
      for (int64_t c = 0; c < size_; ++c) {
        right_side[c] += prediction.second_order[c] + target * prediction.centring[c];
      }
      const std::vector<double> step = solved(right_side);
      length = std::min(1.0, short_of_the_bound * at_.correct(step, target));
      for (int64_t c = 0; c < size_; ++c) weights_[c] += length * step[c];
    }
  } catch (const threads::Interrupted&) {
    return Status::interrupted;
  }

  double primal_value(double penalty) const {
    const std::span<const double> w(weights_.data(), weights_.size() - 1);
    double primal = penalty + qp_.regularisation(w, weights_.back());
    if (fixed_ == nullptr) return primal;
    const std::vector<double> combination = fixed_->combination();
    for (int64_t c = 0; c < size_; ++c) primal -= weights_[c] * combination[c];
    return primal - (fixed_->up.linear - fixed_->down.linear);
  }

  std::vector<double> solved(std::vector<double> right_side) const {
    if (!qp_.has_bias()) right_side.back() = 0;
    cholesky_.solve(right_side);
    return right_side;
  }

  const Task<T>& task_;
  const BoxQP& qp_ = task_.qp;
  const DualSums* fixed_;
  const int64_t size_ = task_.data.n_columns + 1;  // features and bias
  Incumbent best_{qp_, size_ - 1, fixed_ == nullptr ? 0.0 : -infinity};
  Iterate<T> at_{task_};
  linalg::Cholesky cholesky_;
  std::vector<double> weights_;  // w and b
};

}  // namespace

template <class T>
Solution solve_by_interior_point(const Task<T>& task, const Guess* guess, const DualSums* fixed) {
  return InteriorPoint<T>(task, fixed).run(guess);
}

template Solution solve_by_interior_point(const Task<float>&, const Guess*, const DualSums*);
template Solution solve_by_interior_point(const Task<double>&, const Guess*, const DualSums*);

}  // namespace maxmargin::linear
