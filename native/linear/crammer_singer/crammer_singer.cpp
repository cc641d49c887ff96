#include "crammer_singer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../../kernels/memory.h"
#include "../../run/pacer.h"
#include "../row_sums.h"
#include "../shuffler.h"
#include "point_problem.h"

namespace maxmargin::linear {
namespace {

// Slopes that differ by less are equal.
constexpr double same_slope = 1e-12;

// Up to this many classes are scored one by one, with no padding of their weights.
constexpr int32_t few_classes = 4;

// The estimated gap must fall to this share of the tolerance before it is measured, and to this share
// of the last estimate after a measurement that was too large.
constexpr double sure_enough = 0.9;
constexpr double next_try = 0.5;

// Sweeps without a measurement at most; and measurements with nothing left to move.
constexpr int64_t rarely = 50;
constexpr int64_t patience = 3;

// A point's entries that are not zero: the weights of all classes and the value.
struct Entries {
  int64_t n = 0;
  std::vector<double*> weights;
  std::vector<double> values;

  void reserve(int64_t most) {
    n = 0;
    if (static_cast<int64_t>(values.size()) >= most) return;
    weights.resize(most);
    values.resize(most);
  }
  void add(double* weight, double value) {
    weights[n] = weight;
    values[n++] = value;
  }
  void add_to_weights(int32_t m, double change) const {
    for (int64_t e = 0; e < n; ++e) weights[e][m] += change * values[e];
  }
};

struct Sweep {
  double worst = 0, gap = 0;
  bool is_whole = false;
};

template <class T>
class CrammerSinger {
 public:
  CrammerSinger(const Matrix<T>& data, const ClassProblem& problem, const run::Stop& stop,
                uint64_t seed, int n_threads, run::Listener& listener)
      : data_(data), problem_(problem), stop_(stop), listener_(listener),
        execution_{n_threads, [this] { return listener_.should_stop(); }}, order_(seed) {}

  ClassSolution run(std::vector<double> multipliers) {
    ClassSolution solution;
    solution.status = iterate(std::move(multipliers));
    solution.progress = progress_;
    if (!is_ready_) return solution;
    const int64_t d = data_.n_columns;
    solution.multipliers = std::move(multipliers_);
    solution.biases.assign(n_classes_, 0.0);
    solution.weights.resize(d * n_classes_);
    for (int32_t m = 0; m < n_classes_; ++m) {
      for (int64_t f = 0; f < d; ++f) solution.weights[m * d + f] = weights_[f * stride_ + m];
      if (has_bias_) solution.biases[m] = problem_.bias_scale * weights_[d * stride_ + m];
    }
    return solution;
  }

 private:
  Status iterate(std::vector<double> multipliers) try {
    start(std::move(multipliers));
    measure();
    double believed = infinity;
    for (int64_t in_vain = 0, unmeasured = 0;;) {
      if (progress_.violation <= stop_.tolerance) return Status::converged;
      if (sweeps_ >= stop_.max_iter) return Status::max_iter;
      if (in_vain >= patience) return Status::stalled;
      const Sweep seen = sweep();
      const double size = std::max(std::abs(progress_.primal), std::abs(progress_.dual));
      const double wanted = std::min(sure_enough * stop_.tolerance * size, next_try * believed);
      const bool is_still = seen.is_whole && seen.worst == 0;
      const bool is_promising = seen.is_whole && (seen.gap <= wanted || is_still);
      if (is_promising || ++unmeasured >= rarely || sweeps_ >= stop_.max_iter) {
        measure();
        unmeasured = 0;
        if (is_promising) believed = seen.gap;
        in_vain = is_still ? in_vain + 1 : 0;
      }
      if (seen.worst < reactivate_below_) {
        reactivate_below_ = std::max(0.5 * reactivate_below_, same_slope);
        activate_all();
      }
    }
  } catch (const threads::Interrupted&) {
    return Status::interrupted;
  }

  void start(std::vector<double> multipliers) {
    const bool is_warm = !multipliers.empty();
    multipliers_ = std::move(multipliers);
    if (!is_warm) multipliers_.assign(n_ * n_classes_, 0.0);
    weights_ = kernels::allocate<double>(n_weights_ * stride_);
    std::fill_n(weights_.get(), n_weights_ * stride_, 0.0);
    classes_.resize(n_ * n_classes_);
    for (int64_t i = 0; i < n_; ++i) {
      if (i % 64 == 0) pacer_.checkpoint();
      double* own = multipliers_.data() + i * n_classes_;
      std::iota(classes_.begin() + i * n_classes_, classes_.begin() + (i + 1) * n_classes_, 0);
      curvature_[i] = data_.squared_norm(i) + problem_.bias_scale * problem_.bias_scale;
      if (problem_.cost[i] == 0 || curvature_[i] == 0) {
        // No weights can help such a point: it pays its cost, and its multipliers say so.
        const int32_t label = problem_.label[i];
        std::fill_n(own, n_classes_, 0.0);
        own[label] = problem_.cost[i];
        own[label == 0 ? 1 : 0] = -problem_.cost[i];
        continue;
      }
      active_.push_back(i);
      if (!is_warm) continue;
      make_feasible(i, own);
      load(i, entries_);
      for (int32_t m = 0; m < n_classes_; ++m) {
        if (own[m] != 0) entries_.add_to_weights(m, own[m]);
      }
    }
    activate_all();
    is_ready_ = true;
  }

  // Bounds, then the sum: what the label's multiplier cannot take back is taken from all others alike.
  void make_feasible(int64_t i, double* multipliers) const {
    const int32_t label = problem_.label[i];
    double fallen = 0;
    for (int32_t m = 0; m < n_classes_; ++m) {
      if (m == label) continue;
      multipliers[m] = std::min(multipliers[m], 0.0);
      fallen -= multipliers[m];
    }
    const double share = fallen > problem_.cost[i] ? problem_.cost[i] / fallen : 1.0;
    for (int32_t m = 0; m < n_classes_; ++m) {
      if (m != label) multipliers[m] *= share;
    }
    multipliers[label] = std::min(fallen, problem_.cost[i]);
  }

  void activate_all() {
    n_active_ = active_.size();
    std::fill(n_used_.begin(), n_used_.end(), n_classes_);
    is_whole_ = true;
  }

  Sweep sweep() {
    Sweep sweep{.is_whole = is_whole_};
    order_.shuffle(active_.data(), n_active_);
    for (size_t k = 0; k < n_active_;) {
      if (++visits_ % 64 == 0) pacer_.checkpoint();
      if (k + 1 < n_active_) data_.prefetch(active_[k + 1]);
      if (visit(active_[k], sweep)) {
        std::swap(active_[k], active_[--n_active_]);
      } else {
        ++k;
      }
    }
    ++sweeps_;
    is_whole_ = false;
    return sweep;
  }

  // Returns whether the point is to be shrunk.
  [[gnu::noinline]] bool visit(int64_t i, Sweep& sweep) {
    int32_t* classes = classes_.data() + i * n_classes_;
    int32_t& n_used = n_used_[i];
    double* multipliers = multipliers_.data() + i * n_classes_;
    const int32_t label = problem_.label[i];
    const double cost = problem_.cost[i];
    load(i, entries_);
    score(n_used, classes);
    point_.look(label, cost, multipliers, classes, n_used);
    sweep.gap += point_.gap;
    if (n_used <= 1) return true;
    if (point_.violation <= same_slope) return false;
    sweep.worst = std::max(sweep.worst, point_.violation);
    point_.solve(curvature_[i], label, cost, multipliers, classes, n_used);
    for (int32_t k = 0; k < n_used; ++k) {
      const int32_t m = classes[k];
      const double change = point_.moved[k] - multipliers[m];
      if (change == 0) continue;
      multipliers[m] = point_.moved[k];
      entries_.add_to_weights(m, change);
    }
    return false;
  }

  void load(int64_t i, Entries& entries) const {
    entries.reserve(data_.row(i).n_entries + 1);
    data_.for_each_entry(i, [&](int64_t feature, double x) {
      if (x != 0) entries.add(weights_.get() + feature * stride_, x);
    });
    if (has_bias_) entries.add(weights_.get() + data_.n_columns * stride_, problem_.bias_scale);
  }

  // The scores of all classes, padding included.
  void score_all(const Entries& entries, double* scores) const {
    std::fill_n(scores, stride_, 0.0);
    simd::active_loops<double>().add_weighted(entries.weights.data(), entries.values.data(),
                                              entries.n, 0, stride_, scores);
  }

  // The scores of the classes in use, in their order.
  [[gnu::noinline]] void score(int32_t n_used, const int32_t* classes) {
    if (n_used > few_classes) {
      score_all(entries_, scores_.data());
      for (int32_t k = 0; k < n_used; ++k) point_.slope[k] = scores_[classes[k]];
      return;
    }
    const int64_t n = entries_.n;
    for (int32_t k = 0; k < n_used; ++k) {
      const int32_t m = classes[k];
      double even = 0, odd = 0;
      int64_t e = 0;
      for (; e + 2 <= n; e += 2) {
        even += entries_.values[e] * entries_.weights[e][m];
        odd += entries_.values[e + 1] * entries_.weights[e + 1][m];
      }
      if (e < n) even += entries_.values[e] * entries_.weights[e][m];
      point_.slope[k] = even + odd;
    }
  }

  // Both objective values, at the cost of a pass over the data.
  void measure() {
    struct Values {
      double loss = 0, linear = 0;
      Values& operator+=(const Values& other) {
        return loss += other.loss, linear += other.linear, *this;
      }
    };
    const auto visit_rows = [&](int64_t begin, int64_t end, Values& sum, threads::Worker& worker) {
      Entries entries;
      std::vector<double> scores(stride_);
      for (int64_t i = begin; i < end; ++i) {
        if (i % 64 == 0) worker.checkpoint();
        const int32_t label = problem_.label[i];
        const double* own = multipliers_.data() + i * n_classes_;
        load(i, entries);
        score_all(entries, scores.data());
        double highest = scores[label];
        for (int32_t m = 0; m < n_classes_; ++m) {
          if (m == label) continue;
          highest = std::max(highest, scores[m] + 1);
          sum.linear -= own[m];
        }
        sum.loss += problem_.cost[i] * (highest - scores[label]);
      }
    };
    const Values values = sum_over_rows(RowTasks::of(data_, 1), Values{}, execution_, visit_rows);
    double norm = 0;
    for (int64_t k = 0; k < n_weights_ * stride_; ++k) norm += weights_[k] * weights_[k];
    const double primal = 0.5 * norm + values.loss, dual = values.linear - 0.5 * norm;
    progress_ = {sweeps_, relative_gap(primal, dual), primal, dual};
    listener_.report_at_once(0, progress_);
  }

  const Matrix<T>& data_;
  const ClassProblem& problem_;
  const run::Stop stop_;
  run::Listener& listener_;
  const Execution execution_;
  run::Pacer pacer_{execution_.should_stop};
  Shuffler order_;
  const int64_t n_ = data_.n_rows;
  const int32_t n_classes_ = problem_.n_classes;
  const int32_t stride_ = n_classes_ <= few_classes ? n_classes_ : (n_classes_ + 7) / 8 * 8;
  const bool has_bias_ = problem_.bias_scale > 0;
  const int64_t n_weights_ = data_.n_columns + (has_bias_ ? 1 : 0);
  kernels::Memory<double> weights_;  // all classes of a feature side by side
  std::vector<double> multipliers_;
  std::vector<double> curvature_ = std::vector<double>(n_);
  std::vector<int32_t> classes_;  // of every point, those in use first
  std::vector<int32_t> n_used_ = std::vector<int32_t>(n_);
  std::vector<int64_t> active_;  // points, those to visit first
  size_t n_active_ = 0;
  double reactivate_below_ = 1;
  bool is_ready_ = false, is_whole_ = true;
  Entries entries_;
  PointProblem point_{n_classes_};
  std::vector<double> scores_ = std::vector<double>(stride_);
  Progress progress_ = run::not_begun;
  int64_t sweeps_ = 0, visits_ = 0;
};

}  // namespace

template <class T>
ClassSolution solve_crammer_singer(const Matrix<T>& data, const ClassProblem& problem,
                                   std::vector<double> multipliers, const run::Stop& stop,
                                   uint64_t seed, int n_threads, run::Listener& listener) {
  return CrammerSinger<T>(data, problem, stop, seed, n_threads, listener).run(std::move(multipliers));
}

template ClassSolution solve_crammer_singer(const Matrix<float>&, const ClassProblem&,
                                            std::vector<double>, const run::Stop&, uint64_t, int,
                                            run::Listener&);
template ClassSolution solve_crammer_singer(const Matrix<double>&, const ClassProblem&,
                                            std::vector<double>, const run::Stop&, uint64_t, int,
                                            run::Listener&);

}  // namespace maxmargin::linear
