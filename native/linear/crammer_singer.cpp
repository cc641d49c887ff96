#include "crammer_singer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace maxmargin::linear {
namespace {

// Slopes nearer than this are the same.
constexpr double same_slope = 1e-12;

// Up to this many classes are scored one by one, with no padding of their weights.
constexpr int32_t few_classes = 4;

// The estimated gap must fall to this share of the one asked for before it is measured, and to this
// share of the last estimate if a measurement has said no.
constexpr double sure_enough = 0.9;
constexpr double next_try = 0.5;

// Sweeps without a measurement at most; and measurements with nothing left to move.
constexpr int64_t rarely = 50;
constexpr int64_t patience = 3;

int32_t stride_for(int32_t n_classes) {
  return n_classes <= few_classes ? n_classes : (n_classes + 7) / 8 * 8;
}

}  // namespace

template <class T>
CrammerSinger<T>::CrammerSinger(const Matrix<T>& data, const ClassProgram& program,
                                const Limits& limits, uint64_t seed, const Execution& execution,
                                const Report& report)
    : data_(data),
      program_(program),
      limits_(limits),
      execution_(execution),
      report_(report),
      pacer_(execution.should_stop),
      order_(seed),
      n_(data.n_rows),
      n_classes_(program.n_classes),
      stride_(stride_for(program.n_classes)),
      n_weights_(data.n_columns + (program.bias_scale > 0 ? 1 : 0)) {}

template <class T>
void CrammerSinger<T>::load(int64_t i, Entries& entries) const {
  const bool is_sparse = data_.is_sparse();
  const int64_t begin = is_sparse ? data_.starts[i] : 0;
  const int64_t end = is_sparse ? data_.starts[i + 1] : data_.n_columns;
  const T* own = is_sparse ? data_.values : data_.values + i * data_.row_stride;
  entries.make_room(end - begin + 1);
  for (int64_t e = begin; e < end; ++e) {
    if (own[e] == 0) continue;
    entries.add(weights_.get() + (is_sparse ? data_.columns[e] : e) * stride_,
                static_cast<double>(own[e]));
  }
  if (program_.bias_scale > 0) {
    entries.add(weights_.get() + data_.n_columns * stride_, program_.bias_scale);
  }
}

// The scores of all classes, padding included.
template <class T>
void CrammerSinger<T>::score_all(const Entries& entries, double* scores) const {
  std::fill_n(scores, stride_, 0.0);
  simd::active_loops<double>().add_weighted(entries.weights.data(), entries.values.data(),
                                            entries.n, 0, stride_, scores);
}

// The scores of the classes in use, in their order, into slope_.
template <class T>
void CrammerSinger<T>::score(int32_t n_used, const int32_t* classes) {
  if (n_used > few_classes) {
    score_all(entries_, scores_.data());
    for (int32_t k = 0; k < n_used; ++k) slope_[k] = scores_[classes[k]];
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
    slope_[k] = even + odd;
  }
}

// The optimum of one point, into moved_: min(bound, (level - corner) / curvature), with the level at
// which the multipliers sum to zero.
template <class T>
void CrammerSinger<T>::solve_point(double curvature, double cost, int32_t label, int32_t n_used,
                                   const int32_t* classes) {
  const double reach = curvature * cost;
  for (int32_t k = 0; k < n_used; ++k) {
    sorted_[k] = corner_[k] + (classes[k] == label ? reach : 0.0);
  }
  std::sort(sorted_.begin(), sorted_.begin() + n_used, std::greater<>());
  double level = sorted_[0] - reach;
  int32_t n_free = 1;
  for (; n_free < n_used && level < n_free * sorted_[n_free]; ++n_free) level += sorted_[n_free];
  level /= n_free;
  for (int32_t k = 0; k < n_used; ++k) {
    const double bound = classes[k] == label ? cost : 0.0;
    moved_[k] = std::min(bound, (level - corner_[k]) / curvature);
  }
}

// Takes the multipliers from where they are to moved_, and the weights along.
template <class T>
void CrammerSinger<T>::move(int32_t n_used, const int32_t* classes, double* multipliers) {
  for (int32_t k = 0; k < n_used; ++k) {
    const int32_t m = classes[k];
    const double change = moved_[k] - multipliers[m];
    if (change == 0) continue;
    multipliers[m] = moved_[k];
    entries_.add_to_weights(m, change);
  }
}

// Returns whether the point is to be left out from now on.
template <class T>
bool CrammerSinger<T>::visit(int64_t i, Sweep& sweep) {
  int32_t* classes = classes_.data() + i * n_classes_;
  int32_t& n_used = n_used_[i];
  double* multipliers = multipliers_.data() + i * n_classes_;
  const int32_t label = program_.label[i];
  const double cost = program_.cost[i], curvature = curvature_[i];
  load(i, entries_);
  score(n_used, classes);

  // All multipliers may fall, those below their bound may rise.
  double highest = -std::numeric_limits<double>::infinity(), lowest_to_rise = -highest, share = 0;
  for (int32_t k = 0; k < n_used; ++k) {
    const bool is_label = classes[k] == label;
    if (!is_label) slope_[k] += 1;
    const double a = multipliers[classes[k]], bound = is_label ? cost : 0.0;
    highest = std::max(highest, slope_[k]);
    if (a < bound) lowest_to_rise = std::min(lowest_to_rise, slope_[k]);
    share += (a - bound) * slope_[k];
  }
  sweep.gap += cost * highest + share;
  for (int32_t k = 0; k < n_used;) {
    const double bound = classes[k] == label ? cost : 0.0;
    if (multipliers[classes[k]] == bound && slope_[k] < lowest_to_rise) {
      --n_used;
      std::swap(classes[k], classes[n_used]);
      std::swap(slope_[k], slope_[n_used]);
    } else {
      ++k;
    }
  }
  if (n_used <= 1) return true;
  const double wrong = highest - lowest_to_rise;
  if (wrong <= same_slope) return false;
  sweep.worst = std::max(sweep.worst, wrong);
  for (int32_t k = 0; k < n_used; ++k) {
    corner_[k] = slope_[k] - curvature * multipliers[classes[k]];
  }
  solve_point(curvature, cost, label, n_used, classes);
  move(n_used, classes, multipliers);
  return false;
}

template <class T>
auto CrammerSinger<T>::sweep() -> Sweep {
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

template <class T>
void CrammerSinger<T>::activate_all() {
  n_active_ = active_.size();
  std::fill(n_used_.begin(), n_used_.end(), n_classes_);
  is_whole_ = true;
}

// Bounds, then the sum: what the label's multiplier cannot take back is taken from all others alike.
template <class T>
void CrammerSinger<T>::make_feasible(int64_t i, double* multipliers) const {
  const int32_t label = program_.label[i];
  double fallen = 0;
  for (int32_t m = 0; m < n_classes_; ++m) {
    if (m == label) continue;
    multipliers[m] = std::min(multipliers[m], 0.0);
    fallen -= multipliers[m];
  }
  const double share = fallen > program_.cost[i] ? program_.cost[i] / fallen : 1.0;
  for (int32_t m = 0; m < n_classes_; ++m) {
    if (m != label) multipliers[m] *= share;
  }
  multipliers[label] = std::min(fallen, program_.cost[i]);
}

template <class T>
void CrammerSinger<T>::start(std::vector<double> multipliers) {
  const bool is_warm = !multipliers.empty();
  multipliers_ = std::move(multipliers);
  if (!is_warm) multipliers_.assign(n_ * n_classes_, 0.0);
  weights_ = kernels::allocate<double>(n_weights_ * stride_);
  std::fill_n(weights_.get(), n_weights_ * stride_, 0.0);
  scores_.resize(stride_);
  slope_.resize(n_classes_);
  corner_.resize(n_classes_);
  sorted_.resize(n_classes_);
  moved_.resize(n_classes_);
  classes_.resize(n_ * n_classes_);
  n_used_.resize(n_);
  curvature_.resize(n_);
  active_.clear();
  for (int64_t i = 0; i < n_; ++i) {
    if (i % 64 == 0) pacer_.checkpoint();
    double* own = multipliers_.data() + i * n_classes_;
    std::iota(classes_.begin() + i * n_classes_, classes_.begin() + (i + 1) * n_classes_, 0);
    curvature_[i] = data_.squared_norm(i) + program_.bias_scale * program_.bias_scale;
    if (program_.cost[i] == 0 || curvature_[i] == 0) {
      // No weights can help such a point: it pays its cost, and its multipliers say so.
      const int32_t label = program_.label[i];
      std::fill_n(own, n_classes_, 0.0);
      own[label] = program_.cost[i];
      own[label == 0 ? 1 : 0] = -program_.cost[i];
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

// Both objective values, at the cost of a pass over the data.
template <class T>
Progress CrammerSinger<T>::measure() {
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
      const int32_t label = program_.label[i];
      const double* own = multipliers_.data() + i * n_classes_;
      load(i, entries);
      score_all(entries, scores.data());
      double highest = scores[label];
      for (int32_t m = 0; m < n_classes_; ++m) {
        if (m == label) continue;
        highest = std::max(highest, scores[m] + 1);
        sum.linear -= own[m];
      }
      sum.loss += program_.cost[i] * (highest - scores[label]);
    }
  };
  const RowTasks tasks = RowTasks::of(n_, data_.n_entries(), 1);
  const Values values = sum_over_rows(tasks, Values{}, execution_, visit_rows);
  double norm = 0;
  for (int64_t k = 0; k < n_weights_ * stride_; ++k) norm += weights_[k] * weights_[k];
  return {sweeps_, 0.5 * norm + values.loss, values.linear - 0.5 * norm};
}

template <class T>
Outcome CrammerSinger<T>::run(std::vector<double> multipliers) {
  Progress progress;
  try {
    start(std::move(multipliers));
    progress = measure();
    report_(progress);
    double believed = std::numeric_limits<double>::infinity();
    for (int64_t in_vain = 0, unmeasured = 0;;) {
      if (progress.relative_gap() <= limits_.gap) return {Ending::converged, progress};
      if (sweeps_ >= limits_.most_iterations) return {Ending::iterations, progress};
      if (in_vain >= patience) return {Ending::stalled, progress};
      const Sweep seen = sweep();
      const double size = std::max(std::abs(progress.primal), std::abs(progress.dual));
      const double wanted = std::min(sure_enough * limits_.gap * size, next_try * believed);
      const bool is_still = seen.is_whole && seen.worst == 0;
      const bool is_promising = seen.is_whole && (seen.gap <= wanted || is_still);
      if (is_promising || ++unmeasured >= rarely || sweeps_ >= limits_.most_iterations) {
        progress = measure();
        report_(progress);
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
    return {Ending::interrupted, progress};
  }
}

template <class T>
ClassMachine CrammerSinger<T>::take_machine() {
  ClassMachine machine;
  if (!is_ready_) return machine;
  const int64_t d = data_.n_columns;
  machine.multipliers = std::move(multipliers_);
  machine.bias.assign(n_classes_, 0.0);
  machine.weights.resize(d * n_classes_);
  for (int64_t f = 0; f < d; ++f) {
    for (int32_t m = 0; m < n_classes_; ++m) machine.weights[m * d + f] = weights_[f * stride_ + m];
  }
  if (program_.bias_scale > 0) {
    for (int32_t m = 0; m < n_classes_; ++m) {
      machine.bias[m] = program_.bias_scale * weights_[d * stride_ + m];
    }
  }
  return machine;
}

template class CrammerSinger<float>;
template class CrammerSinger<double>;

}  // namespace maxmargin::linear
