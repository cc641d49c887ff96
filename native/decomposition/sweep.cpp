#include "sweep.h"

#include <algorithm>
#include <cmath>

namespace maxmargin::decomposition {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Above this share of the points a machine works in place.
constexpr double most_of_all = 0.5;

// A value within this share of its new one is there already, up to rounding.
constexpr double rounding = 1e-13;

// As in the solver of one machine: a round ends at this share of the violation, after so many
// rounds it must have halved.
constexpr double enough = 0.1;
constexpr int64_t patience = 32;
int64_t most_steps_a_round(int64_t n_slots) { return 50'000 + 64 * n_slots; }

// Columns of one pass over many rows.
constexpr int64_t pass_columns = 1024;

// sums[c] += sum over r of weights[r] rows[r][c]
template <class T>
void add_rows(const std::vector<const T*>& rows, const std::vector<double>& weights, int64_t n,
              double* sums) {
  const auto& loops = simd::active_loops<T>();
  for (int64_t begin = 0; begin < n; begin += pass_columns) {
    loops.add_weighted(rows.data(), weights.data(), static_cast<int64_t>(rows.size()), begin,
                       std::min(pass_columns, n - begin), sums + begin);
  }
}

}  // namespace

template <class T>
Sweep<T>::Sweep(const SharedGram<T>& gram, std::vector<int64_t> points, int32_t n_groups, bool loose,
                bool precise)
    : gram_(gram),
      points_(std::move(points)),
      n_groups_(n_groups),
      loose_(loose),
      in_place_(static_cast<double>(points_.size()) >
                most_of_all * static_cast<double>(gram.n_points)),
      n_slots_((in_place_ ? gram.n_points : n_variables()) + (loose ? 1 : 0)),
      subproblem_(in_place_ ? Subproblem<T>({gram.values, gram.stride}, n_slots_, n_groups, precise)
                            : Subproblem<T>(n_slots_, n_groups, precise)),
      linear_(n_slots_) {
  if (!in_place_) take_matrix();
  if (loose_) {
    subproblem_.scores.low.back() = -infinity;
    subproblem_.scores.high.back() = infinity;
  }
}

template <class T>
void Sweep<T>::take_matrix() {
  const int64_t m = n_variables();
  for (int64_t i = 0; i < n_slots_; ++i) {
    T* to = subproblem_.row(i);
    const T* from = gram_.row(i < m ? points_[i] : gram_.n_points);
    for (int64_t j = 0; j < m; ++j) to[j] = from[points_[j]];
    std::fill(to + m, to + n_slots_, T(0));
  }
}

template <class T>
void Sweep<T>::begin(const Stage& stage) {
  Scores& scores = subproblem_.scores;
  for (int64_t s = 0; s < n_slots_; ++s) {
    scores.score[s] = -stage.factor * similarity(s);
    scores.value[s] *= stage.factor;
    linear_[s] = 0;
  }
  std::vector<int32_t> moved;
  std::vector<double> changes;
  for (int64_t v = 0; v < n_variables(); ++v) {
    const int64_t s = slot(v);
    linear_[s] = stage.linear[v];
    scores.score[s] -= stage.linear[v];
    scores.low[s] = stage.low[v];
    scores.high[s] = stage.high[v];
    scores.group[s] = static_cast<int32_t>(stage.group[v]);
    const double change = stage.start[v] - scores.value[s];
    if (std::abs(change) > rounding * std::abs(stage.start[v])) {
      moved.push_back(static_cast<int32_t>(s));
      changes.push_back(change);
    }
    scores.value[s] = stage.start[v];
  }
  apply(moved, changes);
}

template <class T>
void Sweep<T>::apply(const std::vector<int32_t>& slots, const std::vector<double>& changes) {
  std::vector<const T*> rows;
  std::vector<double> weights;
  for (size_t k = 0; k < slots.size(); ++k) {
    rows.push_back(subproblem_.view().row(slots[k]));
    weights.push_back(-changes[k]);
  }
  add_rows(rows, weights, n_slots_, subproblem_.scores.score.data());
}

template <class T>
Outcome Sweep<T>::solve(const Stage& stage, const rows::Execution& execution) {
  begin(stage);
  Scores& scores = subproblem_.scores;
  threads::Pacer pacer(execution.should_stop);
  Progress progress{.steps = 0, .rounds = 0, .violation = infinity, .primal = infinity,
                    .dual = -infinity};
  double before = infinity;
  try {
    for (;; ++progress.rounds) {
      const double now = violation(scores.ends(n_slots_, n_groups_));
      progress.violation = now;
      if (now <= stage.tolerance) {
        // Infinities in the kernel leave scores that compare with nothing, and so violate nothing.
        const bool is_sound = std::all_of(scores.score.begin(), scores.score.end(),
                                          [](double score) { return std::isfinite(score); });
        return {is_sound ? Ending::converged : Ending::stalled, progress};
      }
      if (progress.steps >= stage.most_steps) return {Ending::steps, progress};
      if (progress.rounds % patience == patience - 1) {
        if (now > 0.5 * before) return {Ending::stalled, progress};
        before = now;
      }
      pacer.checkpoint();
      const typename Subproblem<T>::Task task{
          n_slots_,         std::max(0.9 * stage.tolerance, enough * now),
          stage.tolerance,  std::min(stage.most_steps - progress.steps, most_steps_a_round(n_slots_)),
          execution,        pacer};
      int64_t taken = 0;
      if (now > stage.coarse * stage.tolerance) taken = subproblem_.solve_nested(task);
      if (taken == 0) taken = subproblem_.solve_whole(task);
      if (taken == 0) return {Ending::stalled, progress};
      progress.steps += taken;
    }
  } catch (const threads::Interrupted&) {
    return {Ending::interrupted, progress};
  }
}

template <class T>
std::vector<double> Sweep<T>::values() const {
  std::vector<double> values(n_variables());
  for (int64_t v = 0; v < n_variables(); ++v) values[v] = subproblem_.scores.value[slot(v)];
  return values;
}

template <class T>
std::vector<double> Sweep<T>::gradient() const {
  std::vector<double> gradient(n_variables());
  for (int64_t v = 0; v < n_variables(); ++v) gradient[v] = -subproblem_.scores.score[slot(v)];
  return gradient;
}

template <class T>
std::vector<double> Sweep<T>::similarities(std::span<const int64_t> at) const {
  std::vector<double> found(at.size());
  if (in_place_) {
    for (size_t k = 0; k < at.size(); ++k) found[k] = similarity(at[k]);
    return found;
  }
  if (at.empty()) return found;
  const auto [first, last] = std::ranges::minmax(at);
  std::vector<const T*> rows;
  std::vector<double> weights;
  for (int64_t v = 0; v < n_variables(); ++v) {
    const double value = subproblem_.scores.value[v];
    if (value == 0) continue;
    rows.push_back(gram_.row(points_[v]) + first);
    weights.push_back(value);
  }
  std::vector<double> sums(last - first + 1);
  add_rows(rows, weights, last - first + 1, sums.data());
  for (size_t k = 0; k < at.size(); ++k) found[k] = sums[at[k] - first];
  return found;
}

template <class T>
void Sweep<T>::set_similarities(std::span<const double> known) {
  for (int64_t s = 0; s < n_slots_ - (loose_ ? 1 : 0); ++s) {
    subproblem_.scores.score[s] = -(known[in_place_ ? s : points_[s]] + linear_[s]);
  }
}

template class Sweep<float>;
template class Sweep<double>;

}  // namespace maxmargin::decomposition
