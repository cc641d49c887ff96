#include "pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace maxmargin::decomposition {
namespace {

// How much further than the best point between its two variables a step goes if they are the same;
// less as they are less alike. What steps do is undone in part by later ones on variables like
// these, and so they get there sooner (successive over-relaxation). Steps in float64 are for
// accuracies near that of rounding, where the last of them should hit.
template <class U>
constexpr double most_beyond = sizeof(U) == 4 ? 0.7 : 0.0;

// A step below this share of the value with the larger curvature is rounding.
constexpr double rounding = 2 * std::numeric_limits<double>::epsilon();

}  // namespace

template <class T, class U>
Pairs<T, U>::Pairs(int64_t capacity, int32_t n_groups)
    : stride_((capacity / simd::lanes<U> + 1) * simd::lanes<U>),
      n_groups_(n_groups),
      top_(n_groups),
      centre_(n_groups),
      group_(stride_),
      score_(kernels::allocate<U>(stride_)),
      diagonal_(kernels::allocate<U>(stride_)),
      closed_to_rise_(kernels::allocate<U>(stride_ * n_groups)),
      closed_to_fall_(kernels::allocate<U>(stride_ * n_groups)) {
  for (auto* values : {&value_, &start_, &low_, &high_}) values->resize(stride_);
}

template <class T, class U>
void Pairs<T, U>::set_openings(int64_t v) {
  constexpr U infinity = std::numeric_limits<U>::infinity();
  closed_to_rise(group_[v])[v] = value_[v] < high_[v] ? U(0) : -infinity;
  closed_to_fall(group_[v])[v] = value_[v] > low_[v] ? U(0) : infinity;
}

template <class T, class U>
void Pairs<T, U>::load(const std::vector<int32_t>& slots, const Scores& from, MatrixView<T> matrix) {
  constexpr U infinity = std::numeric_limits<U>::infinity();
  n_ = static_cast<int64_t>(slots.size());
  padded_ = (n_ + simd::lanes<U> - 1) / simd::lanes<U> * simd::lanes<U>;
  matrix_ = matrix;
  std::vector<Ends> ends(n_groups_);
  for (const int32_t slot : slots) {
    Ends& own = ends[from.group[slot]];
    if (from.can_rise(slot)) own.top = std::max(own.top, from.score[slot]);
    if (from.can_fall(slot)) own.bottom = std::min(own.bottom, from.score[slot]);
  }
  for (int32_t g = 0; g < n_groups_; ++g) {
    const double middle = ends[g].middle();
    centre_[g] = std::isfinite(middle) ? middle : 0.0;
    std::fill_n(closed_to_rise(g), padded_, -infinity);
    std::fill_n(closed_to_fall(g), padded_, infinity);
  }
  std::fill_n(score_.get(), padded_, U(0));
  std::fill_n(diagonal_.get(), padded_, U(1));
  for (int64_t v = 0; v < n_; ++v) {
    const int32_t slot = slots[v];
    group_[v] = from.group[slot];
    value_[v] = start_[v] = from.value[slot];
    low_[v] = from.low[slot];
    high_[v] = from.high[slot];
    score_[v] = static_cast<U>(from.score[slot] - centre_[group_[v]]);
    diagonal_[v] = static_cast<U>(matrix.row(v)[v]);
    set_openings(v);
  }
}

template <class T, class U>
double Pairs<T, U>::violation() const {
  std::vector<Ends> ends(n_groups_);
  for (int64_t v = 0; v < n_; ++v) {
    Ends& own = ends[group_[v]];
    if (value_[v] < high_[v]) own.top = std::max(own.top, static_cast<double>(score_[v]));
    if (value_[v] > low_[v]) own.bottom = std::min(own.bottom, static_cast<double>(score_[v]));
  }
  return decomposition::violation(ends);
}

// One step for one group; none when its violation is within the limit.
template <class T, class U>
typename Pairs<T, U>::Step Pairs<T, U>::step(int32_t group, double limit) {
  constexpr U infinity = std::numeric_limits<U>::infinity();
  const simd::Highest<U> top = top_[group];
  if (!(top.value > -infinity)) return Step::none;
  const int64_t i = top.position;
  const T* raised = matrix_.row(i);
  const simd::Partner<U> partner = loops_.find_partner(score_.get(), closed_to_fall(group), raised,
                                                       diagonal_.get(), padded_, top.value,
                                                       diagonal_[i]);
  const double gap = static_cast<double>(top.value) - static_cast<double>(partner.lowest);
  if (!(gap > limit)) return Step::none;
  const int64_t j = partner.position;
  const T* lowered = matrix_.row(j);

  const double difference = static_cast<double>(score_[i]) - static_cast<double>(score_[j]);
  const double curvature = static_cast<double>(diagonal_[i]) + static_cast<double>(diagonal_[j]) -
                           2 * static_cast<double>(raised[j]);
  const double to_high = high_[i] - value_[i], to_low = value_[j] - low_[j];
  const double apart = static_cast<double>(diagonal_[i]) + static_cast<double>(diagonal_[j]);
  const double likeness = apart > 0 ? std::clamp(1 - curvature / apart, 0.0, 1.0) : 0.0;
  const double newton = (1 + most_beyond<U> * likeness) * difference /
                        std::max(curvature, static_cast<double>(simd::smallest_curvature<U>()));
  const double length = std::min({newton, to_high, to_low});
  const int64_t stiff = diagonal_[i] >= diagonal_[j] ? i : j;
  if (length < std::min({to_high, to_low, rounding * std::abs(value_[stiff])})) {
    // Values between which float64 has no other do not change the score as they should.
    if (stiff == i) {
      closed_to_rise(group)[i] = -infinity;
    } else {
      closed_to_fall(group)[j] = infinity;
    }
    find_tops();
    return Step::closed;
  }
  value_[i] = length == to_high ? high_[i] : value_[i] + length;
  value_[j] = length == to_low ? low_[j] : value_[j] - length;
  set_openings(i);
  set_openings(j);
  for (int32_t g = 0; g < n_groups_; ++g) {
    top_[g] = loops_.take_step(score_.get(), closed_to_rise(g), raised, lowered, padded_,
                               g == 0 ? static_cast<U>(length) : U(0));
  }
  return Step::moved;
}

template <class T, class U>
void Pairs<T, U>::find_tops() {
  for (int32_t g = 0; g < n_groups_; ++g) {
    top_[g] = loops_.take_step(score_.get(), closed_to_rise(g), matrix_.row(0), matrix_.row(0),
                               padded_, U(0));
  }
}

template <class T, class U>
int64_t Pairs<T, U>::solve(double limit, int64_t most_steps, const std::function<void()>& pause) {
  constexpr int64_t values_between_pauses = 1 << 23;
  const int64_t steps_between_pauses = values_between_pauses / std::max<int64_t>(padded_, 1) + 1;
  find_tops();
  int64_t steps = 0;
  for (int32_t at_rest = 0, group = 0; at_rest < n_groups_ && steps < most_steps;) {
    const Step taken = step(group, limit);
    at_rest = taken == Step::none ? at_rest + 1 : 0;
    if (taken == Step::moved && ++steps % steps_between_pauses == 0) pause();
    group = (group + 1) % n_groups_;
  }
  return steps;
}

template <class T, class U>
void Pairs<T, U>::unload(const std::vector<int32_t>& slots, Scores& to, std::vector<int32_t>& changed,
                         std::vector<double>& changes) const {
  changed.clear();
  changes.clear();
  for (int64_t v = 0; v < n_; ++v) {
    if (value_[v] == start_[v]) continue;
    to.value[slots[v]] = value_[v];
    changed.push_back(slots[v]);
    changes.push_back(value_[v] - start_[v]);
  }
}

template class Pairs<float, float>;
template class Pairs<float, double>;
template class Pairs<double, double>;

}  // namespace maxmargin::decomposition
