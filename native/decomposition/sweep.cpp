#include "sweep.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

// Variables from which levels pay, those of the coarse one, and the most of the fine one.
constexpr int64_t large = 2048;
constexpr int64_t coarse_members = 1024;
constexpr int64_t most_fine_members = 5120;

// The fine level is made anew when less than this share of it may still move. That, or many new
// members, pays after some rounds only, for most solutions are found before.
constexpr double most_idle = 0.4;
constexpr int64_t opening_rounds = 2;
constexpr int64_t soon_fine_members = 1536;
constexpr int64_t few_new_members = 512;

// Rounds after which all that may still move is taken however much that is.
constexpr int64_t rounds_until_long = 24;

// Columns of one pass over many rows.
constexpr int64_t pass_columns = 2048;

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
      linear_(n_slots_),
      has_matrix_(in_place_) {
  if (in_place_ && n_slots_ > large) {
    coarse_.emplace(coarse_members, n_slots_, n_groups, precise);
    fine_.emplace(0, n_slots_, n_groups, precise);
  }
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
  has_matrix_ = true;
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

// The level to work on next, with its members chosen; none where too many variables may move.
template <class T>
auto Sweep<T>::choose_level(const std::vector<Ends>& ends, int64_t rounds) -> Level* {
  const Scores& scores = subproblem_.scores;
  const double margin = active_margin * violation(ends);
  int64_t n_active = 0, n_new = 0;
  for (int64_t s = 0; s < n_slots_; ++s) {
    const bool active = is_active(scores, s, ends, margin);
    n_active += active;
    n_new += active && !fine_->members.contains(s);
  }
  const int64_t capacity = n_active + n_active / 4 + 256;
  const bool fits = capacity <= std::min(most_fine_members, n_slots_);
  if (!fits && rounds >= rounds_until_long) return nullptr;
  const int64_t n_members = fine_->members.size() + n_new;
  const bool is_idle = static_cast<double>(n_active) < most_idle * static_cast<double>(n_members);
  const bool can_stay = n_members <= fine_->problem.capacity() && !is_idle;
  const bool is_cheap = can_stay ? n_new <= few_new_members : capacity <= soon_fine_members;
  if (!fits || (!is_cheap && rounds < opening_rounds)) {
    load(*coarse_, coarse_->members.renew(scores, n_slots_, ends));
    return &*coarse_;
  }
  if (!can_stay) {
    fine_->problem.resize(capacity);
    fine_->members = WorkingSet(capacity, n_slots_);
  }
  load(*fine_, fine_->members.admit(scores, ends, margin));
  return &*fine_;
}

// Takes the rows and columns of new members out of the shared matrix.
template <class T>
void Sweep<T>::load(Level& level, const std::vector<int32_t>& fresh) {
  const std::vector<int32_t>& members = level.members.members();
  const auto n = static_cast<int64_t>(members.size());
  // Memory that is read in order comes faster.
  std::vector<int32_t> in_order(n);
  std::iota(in_order.begin(), in_order.end(), 0);
  std::ranges::sort(in_order, {}, [&](int32_t k) { return members[k]; });
  std::vector<char> is_fresh(n);
  for (const int32_t a : fresh) {
    is_fresh[a] = 1;
    const T* from = gram_.row(members[a]);
    T* to = level.problem.row(a);
    for (const int32_t b : in_order) to[b] = from[members[b]];
  }
  constexpr int64_t rows_at_once = 64;
  for (int64_t begin = 0; begin < n; begin += rows_at_once) {
    const int64_t end = std::min(begin + rows_at_once, n);
    for (const int32_t a : fresh) {
      const T* from = level.problem.row(a);
      for (int64_t b = begin; b < end; ++b) {
        if (!is_fresh[b]) level.problem.row(b)[a] = from[b];
      }
    }
  }
}

template <class T>
int64_t Sweep<T>::solve_level(Level& level, typename Subproblem<T>::Task task) {
  Scores& scores = subproblem_.scores;
  Scores& own = level.problem.scores;
  const std::vector<int32_t>& members = level.members.members();
  const auto n = static_cast<int64_t>(members.size());
  for (int64_t k = 0; k < n; ++k) {
    const int32_t s = members[k];
    own.score[k] = scores.score[s];
    own.value[k] = scores.value[s];
    own.low[k] = scores.low[s];
    own.high[k] = scores.high[s];
    own.group[k] = scores.group[s];
  }
  task.n_slots = n;
  const bool is_fine = &level == &*fine_;
  const int64_t taken =
      is_fine ? level.problem.solve_whole(task) : level.problem.solve_nested(task);
  std::vector<int32_t> moved;
  std::vector<double> changes;
  for (int64_t k = 0; k < n; ++k) {
    const double change = own.value[k] - scores.value[members[k]];
    if (change == 0) continue;
    moved.push_back(members[k]);
    changes.push_back(change);
    scores.value[members[k]] = own.value[k];
  }
  apply(moved, changes);
  return taken;
}

template <class T>
Outcome Sweep<T>::solve(const Stage& stage, const rows::Execution& execution) {
  if (!has_matrix_) take_matrix();
  begin(stage);
  Scores& scores = subproblem_.scores;
  threads::Pacer pacer(execution.should_stop);
  Progress progress{.steps = 0, .rounds = 0, .violation = infinity, .primal = infinity,
                    .dual = -infinity};
  double before = infinity;
  try {
    for (;; ++progress.rounds) {
      const std::vector<Ends> ends = scores.ends(n_slots_, n_groups_);
      const double now = violation(ends);
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
      Level* level = has_levels() ? choose_level(ends, progress.rounds) : nullptr;
      int64_t taken = 0;
      if (level != nullptr) {
        taken = solve_level(*level, task);
      } else if (now > stage.coarse * stage.tolerance) {
        taken = subproblem_.solve_nested(task);
      }
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
void Sweep<T>::similarities(std::span<const int64_t> at, double* found) const {
  if (in_place_) {
    for (size_t k = 0; k < at.size(); ++k) found[k] = similarity(at[k]);
    return;
  }
  if (at.empty()) return;
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
