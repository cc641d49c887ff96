#include "decomposition.h"

#include <algorithm>
#include <cmath>

namespace maxmargin::decomposition {
namespace {

// A working set has an eighth of the variables, but no fewer than this.
constexpr int64_t smallest_working_set = 1024;

// A working set is left when the violation has fallen to this share; near a solution fewer variables
// come and go, and rounds that do more are worth it.
constexpr double enough = 0.1, enough_near = 0.03;

// The matrix of a large wide set pays only in a long run: variables up to which it pays at once.
constexpr int64_t soon_wide = 4096;

// A wide working set is cut down when less than this share of it may still move.
constexpr double most_idle = 0.8;

// Steps in float32 lose too many digits below this.
bool is_precise(const Limits& limits) { return limits.tolerance < 5e-5; }

// The most steps of one round.
int64_t most_steps_a_round(int64_t n_variables) { return 50'000 + 64 * n_variables; }

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

template <class T>
Decomposition<T>::Decomposition(Program& program, rows::RowStore<T>& store, const Limits& limits,
                                const rows::Execution& execution, const Report& report)
    : program_(program),
      limits_(limits),
      execution_(execution),
      report_(report),
      pacer_(execution_.should_stop),
      similarities_(store, program),
      scores_(program.size()),
      working_set_(capacity(), program.size()),
      subproblem_(capacity(), program.n_groups, is_precise(limits)) {
  scores_.value = program.value;
  scores_.low = program.low;
  scores_.high = program.high;
  scores_.group = program.group;
  is_directed_ = std::any_of(program.direction.begin(), program.direction.end(),
                             [](double direction) { return direction < 0; });
}

template <class T>
int64_t Decomposition<T>::capacity() const {
  if (takes_all()) return program_.size();
  const int64_t share = std::max(smallest_working_set, program_.size() / 8);
  return std::min({limits_.working_set, share, program_.size()});
}

template <class T>
Outcome Decomposition<T>::run(std::vector<double> similarities) {
  try {
    start(std::move(similarities));
    while (choose() && solve()) {
      if (!takes_all()) similarities_.add(changes(), execution_);
      adopt();
    }
  } catch (const threads::Interrupted&) {
  }
  return end();
}

template <class T>
void Decomposition<T>::start(std::vector<double> similarities) {
  const bool are_known = !similarities.empty();
  if (are_known) similarities_.set(std::move(similarities));
  // A run that goes on from an earlier one is past the opening, and long already.
  if (are_known) opening_rounds_ = rounds_until_long_ = 0;
  is_near_ = are_known;
  if (takes_all()) load_matrix(working_set_.take_all());
  if (takes_all() && !are_known) {
    score_by_matrix();
  } else {
    if (!are_known) apply_start();
    score_all();
  }
  has_started_ = true;
}

template <class T>
bool Decomposition<T>::choose() {
  const std::vector<Ends> ends = scores_.ends(program_.size(), program_.n_groups);
  Progress& progress = outcome_.progress;
  progress = measure(ends);
  report_(progress);
  // Infinities in the kernel leave scores that compare with nothing, and so violate nothing.
  if (!std::isfinite(progress.dual)) return end_by(Ending::stalled);
  if (progress.violation <= limits_.tolerance) return end_by(Ending::converged);
  if (steps_ >= limits_.most_steps) return end_by(Ending::steps);
  if (patience_.is_over(progress.rounds, progress.violation, progress.dual)) {
    return end_by(Ending::stalled);
  }
  pacer_.checkpoint();
  if (!takes_all()) load_matrix(choose_working_set(ends));
  return true;
}

template <class T>
bool Decomposition<T>::solve() {
  return solve_working_set(outcome_.progress.violation) > 0 || end_by(Ending::stalled);
}

template <class T>
void Decomposition<T>::apply_start() {
  std::vector<Change> changes;
  for (int64_t v = 0; v < program_.size(); ++v) {
    if (program_.value[v] == 0 || program_.point[v] == no_point) continue;
    changes.push_back({v, program_.point[v], program_.direction[v] * program_.value[v], false});
  }
  similarities_.add(changes, execution_);
}

template <class T>
void Decomposition<T>::score_by_matrix() {
  for (int64_t v = 0; v < program_.size(); ++v) scores_.score[v] = -program_.linear[v];
  for (int64_t w = 0; w < program_.size(); ++w) {
    const double value = scores_.value[w];
    if (value == 0) continue;
    const T* row = subproblem_.row(w);
    for (int64_t v = 0; v < program_.size(); ++v) scores_.score[v] -= value * row[v];
  }
}

template <class T>
void Decomposition<T>::score_all() {
  for (int64_t v = 0; v < program_.size(); ++v) {
    const double kernel_part = program_.direction[v] * similarities_.at(v);
    scores_.score[v] = -(kernel_part + program_.linear[v] + program_.ridge[v] * scores_.value[v]);
  }
}

// The gap is what each variable still has to gain, at the best offsets: the middles of the groups.
template <class T>
Progress Decomposition<T>::measure(const std::vector<Ends>& ends) const {
  double dual = 0, gap = 0;
  for (int64_t v = 0; v < program_.size(); ++v) {
    const double value = scores_.value[v], score = scores_.score[v];
    dual -= 0.5 * value * (program_.linear[v] - score);
    const double middle = ends[program_.group[v]].middle();
    const double gain = score - (std::isfinite(middle) ? middle : 0.0);
    const double room = gain > 0 ? scores_.high[v] - value : scores_.low[v] - value;
    if (room != 0 && gain != 0) gap += gain * room;
  }
  return {steps_, rounds_, violation(ends), dual + gap, dual};
}

template <class T>
const std::vector<int32_t>& Decomposition<T>::choose_working_set(const std::vector<Ends>& ends) {
  similarities_.store().tick();
  if (rounds_ < opening_rounds_ || !widen(ends)) {
    return working_set_.renew(scores_, program_.size(), ends);
  }
  return working_set_.admit(scores_, ends, active_margin * violation(ends));
}

// Sees to it that all variables that may still move have room in the working set, if they are few
// enough, and that not much of it is taken by others.
template <class T>
bool Decomposition<T>::widen(const std::vector<Ends>& ends) {
  const double margin = active_margin * violation(ends);
  int64_t n_active = 0, n_new = 0;
  for (int64_t v = 0; v < program_.size(); ++v) {
    const bool active = is_active(scores_, v, ends, margin);
    n_active += active;
    n_new += active && !working_set_.contains(v);
  }
  if (is_wide_ && working_set_.size() + n_new <= subproblem_.capacity() &&
      n_active > most_idle * static_cast<double>(working_set_.size())) {
    return true;
  }
  const int64_t capacity = n_active + n_active / 8 + 256;
  const bool is_worth_it = capacity <= soon_wide || rounds_ >= rounds_until_long_;
  is_wide_ = capacity <= limits_.widest && (is_worth_it || is_wide_);
  if (!is_wide_ && subproblem_.capacity() == this->capacity()) return false;
  subproblem_.resize(is_wide_ ? capacity : this->capacity());
  working_set_ = WorkingSet(subproblem_.capacity(), program_.size());
  return is_wide_;
}

template <class T>
int64_t Decomposition<T>::solve_working_set(double violation) {
  load_slots(working_set_.members());
  const double share = is_near_ ? enough_near : enough;
  const double limit = std::max(0.9 * limits_.tolerance, share * violation);
  const int64_t most_steps =
      std::min(limits_.most_steps - steps_, most_steps_a_round(working_set_.size()));
  const typename Subproblem<T>::Task task{working_set_.size(), limit, limits_.tolerance,
                                          most_steps, execution_, pacer_};
  const bool whole = is_wide_ || takes_all();
  const int64_t taken = whole ? subproblem_.solve_whole(task) : subproblem_.solve_nested(task);
  steps_ += taken;
  return taken;
}

template <class T>
void Decomposition<T>::load_slots(const std::vector<int32_t>& members) {
  for (size_t slot = 0; slot < members.size(); ++slot) {
    const int32_t v = members[slot];
    subproblem_.scores.score[slot] = scores_.score[v];
    subproblem_.scores.value[slot] = scores_.value[v];
    subproblem_.scores.low[slot] = scores_.low[v];
    subproblem_.scores.high[slot] = scores_.high[v];
    subproblem_.scores.group[slot] = scores_.group[v];
  }
}

// Fills the rows and columns of new members: from kept rows where there are any, else by the kernel.
template <class T>
void Decomposition<T>::load_matrix(const std::vector<int32_t>& slots) {
  std::vector<int32_t> with_point;  // slots, and their points
  std::vector<int64_t> points;
  for (int64_t slot = 0; slot < working_set_.size(); ++slot) {
    if (point_of(slot) == no_point) continue;
    with_point.push_back(static_cast<int32_t>(slot));
    points.push_back(point_of(slot));
  }
  const bool is_worth_gathering =
      !takes_all() && !similarities_.store().source().has_cheap_entries();
  std::vector<int32_t> kept, missing;
  std::vector<int64_t> missing_points;
  std::vector<T*> missing_rows;
  for (const int32_t slot : slots) {
    const int64_t point = point_of(slot);
    if (point == no_point) continue;
    if (is_worth_gathering && similarities_.is_kept(point)) {
      kept.push_back(slot);
      continue;
    }
    missing.push_back(slot);
    missing_points.push_back(point);
    missing_rows.push_back(subproblem_.row(slot));
  }
  if (!missing.empty()) {
    similarities_.store().source().fill_cross(missing_points, points, missing_rows.data(),
                                              execution_);
  }
  for_each_slot(kept, [&](int32_t slot) {
    similarities_.gather(point_of(slot), points, subproblem_.row(slot));
  });
  for_each_slot(slots, [&](int32_t slot) { finish_row(slot, with_point); });
  mirror(slots);
}

template <class T>
template <class Action>
void Decomposition<T>::for_each_slot(const std::vector<int32_t>& slots, const Action& action) {
  constexpr int64_t slots_a_task = 16;
  const auto n = static_cast<int64_t>(slots.size());
  const auto act = [&](int64_t task, threads::Worker&) {
    const int64_t begin = task * slots_a_task, end = std::min(begin + slots_a_task, n);
    for (int64_t k = begin; k < end; ++k) action(slots[k]);
  };
  threads::parallel_for((n + slots_a_task - 1) / slots_a_task, execution_.n_threads, act,
                        execution_.should_stop);
}

// Turns kernel values at the slots with points into a row of H at all slots.
template <class T>
void Decomposition<T>::finish_row(int32_t slot, const std::vector<int32_t>& with_point) {
  T* row = subproblem_.row(slot);
  const int64_t n = working_set_.size(), v = working_set_.member(slot);
  if (is_directed_ || static_cast<int64_t>(with_point.size()) < n) {
    // Last first, for the values move up.
    auto at = static_cast<int64_t>(with_point.size()) - 1;
    for (int64_t b = n - 1; b >= 0; --b) {
      const bool has_value = point_of(slot) != no_point && at >= 0 && with_point[at] == b;
      const double sign = program_.direction[v] * program_.direction[working_set_.member(b)];
      row[b] = has_value ? static_cast<T>(sign) * row[at] : T(0);
      at -= at >= 0 && with_point[at] == b;
    }
  }
  row[slot] += static_cast<T>(program_.ridge[v]);
}

// Copies the new rows into the columns of the others; those of new members are complete already.
template <class T>
void Decomposition<T>::mirror(const std::vector<int32_t>& slots) {
  const int64_t n = working_set_.size();
  if (static_cast<int64_t>(slots.size()) == n) return;
  std::vector<char> is_new(n);
  for (const int32_t slot : slots) is_new[slot] = 1;
  constexpr int64_t rows_a_task = 64;
  const auto copy = [&](int64_t task, threads::Worker&) {
    const int64_t begin = task * rows_a_task, end = std::min(begin + rows_a_task, n);
    for (const int32_t a : slots) {
      const T* row = subproblem_.row(a);
      for (int64_t b = begin; b < end; ++b) {
        if (!is_new[b]) subproblem_.row(b)[a] = row[b];
      }
    }
  };
  threads::parallel_for((n + rows_a_task - 1) / rows_a_task, execution_.n_threads, copy,
                        execution_.should_stop);
}

template <class T>
std::vector<Change> Decomposition<T>::changes() const {
  std::vector<Change> changes;
  for (int64_t slot = 0; slot < working_set_.size(); ++slot) {
    const int32_t v = working_set_.member(slot);
    const double value = subproblem_.scores.value[slot], change = value - scores_.value[v];
    if (change == 0 || program_.point[v] == no_point) continue;
    const bool is_free = value > scores_.low[v] && value < scores_.high[v];
    changes.push_back({v, program_.point[v], program_.direction[v] * change, is_free});
  }
  return changes;
}

template <class T>
void Decomposition<T>::adopt() {
  ++rounds_;
  if (takes_all()) {
    scores_ = subproblem_.scores;
    return;
  }
  for (int64_t slot = 0; slot < working_set_.size(); ++slot) {
    scores_.value[working_set_.member(slot)] = subproblem_.scores.value[slot];
  }
  score_all();
}

template <class T>
Outcome Decomposition<T>::end() {
  program_.value = scores_.value;
  return outcome_;
}

template <class T>
std::vector<double> Decomposition<T>::gradient() const {
  if (!has_started_) return {};
  std::vector<double> gradient(scores_.score);
  for (double& value : gradient) value = -value;
  return gradient;
}

template class Decomposition<float>;
template class Decomposition<double>;

}  // namespace maxmargin::decomposition
