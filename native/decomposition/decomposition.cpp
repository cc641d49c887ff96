#include "decomposition.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace maxmargin::decomposition {
namespace {

// The coarse level has an eighth of the variables, but no fewer than this.
constexpr int64_t smallest_working_set = 1024;

// Steps in float32 lose too many digits below this tolerance.
constexpr double coarsest_precise = 5e-5;

// A margin below this counts as this: the classes are then not separable at that nu.
constexpr double smallest_margin = 1e-4;

// Steps towards a share of a tiny margin, in all and per step that the tolerance itself took. A run
// that starts near its end takes few of those: they count as at least this many per variable.
constexpr int64_t least_tries = 100'000, most_tries = 10, usual_steps = 32;

// Changes below this share of the value are rounding.
constexpr double rounding = 1e-13;

// Rows that are wanted for a start alone are not kept until they were wanted this many times.
constexpr int caution_at_start = 32;

// The most steps of one round.
int64_t most_steps_per_round(int64_t n_variables) { return 50'000 + 64 * n_variables; }

}  // namespace

template <class T>
Decomposition<T>::Decomposition(QP& qp, rows::RowStore<T>& store, const Tuning& tuning,
                                const rows::Execution& execution, const run::Report& report)
    : qp_(&qp),
      tuning_(tuning),
      execution_(execution),
      report_(&report),
      pacer_(execution_.should_stop),
      expansion_(store, qp),
      scores_(qp.size()),
      ends_(qp.n_groups),
      asked_(qp.tolerance),
      opening_rounds_(tuning.opening_rounds),
      long_rounds_(tuning.long_rounds) {
  scores_.value = qp.value;
  scores_.low = qp.low;
  scores_.high = qp.high;
  scores_.group = qp.group;
}

template <class T>
int64_t Decomposition<T>::coarse_capacity() const {
  const int64_t share = std::max(smallest_working_set, qp_->size() / 8);
  return std::min({tuning_.working_set, share, qp_->size()});
}

template <class T>
void Decomposition<T>::begin() {
  be_precise_if_needed();
  if (takes_all()) {
    wide_.emplace(qp_->size(), *qp_, is_precise_);
    // QPs that are worked on as a whole may run side by side, and so leave the store alone.
    wide_->load_matrix(wide_->members.take_all(), *qp_, expansion_, tuning_.is_resident, execution_);
  }
}

template <class T>
void Decomposition<T>::start() {
  begin();
  if (takes_all()) {
    score_by_matrix();
  } else {
    apply_start(1);
    score_all();
  }
  has_started_ = true;
}

template <class T>
void Decomposition<T>::start(std::vector<double> expansion) {
  // A run that goes on from another is past the opening, and long already.
  opening_rounds_ = long_rounds_ = 0;
  is_near_ = true;
  expansion_.set(std::move(expansion));
  begin();
  score_all();
  has_started_ = true;
}

template <class T>
void Decomposition<T>::start_near(std::vector<double> expansion,
                                  const std::vector<double>& coefficients) {
  std::vector<double> own(coefficients.size());
  for (int64_t v = 0; v < qp_->size(); ++v) {
    if (qp_->point[v] != no_point) own[qp_->point[v]] += qp_->direction[v] * qp_->value[v];
  }
  double largest = 0;
  for (const double value : own) largest = std::max(largest, std::abs(value));
  std::vector<Change> changes;
  int64_t n_used = 0;
  for (size_t point = 0; point < own.size(); ++point) {
    const double change = own[point] - coefficients[point];
    n_used += own[point] != 0;
    if (std::abs(change) <= rounding * largest) continue;
    changes.push_back({0, static_cast<int64_t>(point), change, false});
  }
  if (takes_all() || static_cast<int64_t>(changes.size()) >= n_used) {
    start();
    return;
  }
  expansion_.set(std::move(expansion));
  expansion_.add(changes, execution_, caution_at_start);
  start(expansion_.values());
}

template <class T>
void Decomposition<T>::restart(QP& next, double factor, const run::Report& report) {
  std::vector<double> changes(scores_.value.size());
  std::vector<Change> moved;
  for (int64_t v = 0; v < next.size(); ++v) {
    const double before = factor * scores_.value[v], change = next.value[v] - before;
    if (next.point[v] == no_point || std::abs(change) <= rounding * std::abs(next.value[v])) continue;
    changes[v] = change;
    moved.push_back({v, next.point[v], next.direction[v] * change, false});
  }
  if (takes_all()) {
    // What is left of the scores without the old linear terms and ridges.
    for (int64_t v = 0; v < next.size(); ++v) {
      const double kernel_part =
          -(scores_.score[v] + qp_->linear[v] + qp_->ridge[v] * scores_.value[v]);
      scores_.score[v] = -factor * kernel_part;
    }
    kernel_parts_by_matrix(changes);
    for (int64_t v = 0; v < next.size(); ++v) {
      scores_.score[v] -= next.linear[v] + next.ridge[v] * next.value[v];
    }
  } else {
    expansion_.scale(factor);
    expansion_.add(moved, execution_, caution_at_start);
  }
  qp_ = &next;
  report_ = &report;
  scores_.value = next.value;
  scores_.low = next.low;
  scores_.high = next.high;
  if (!takes_all()) score_all();
  asked_ = next.tolerance;
  steps_ = rounds_ = 0;
  ignores_margin_ = false;
  steps_to_tolerance_ = -1;
  if (!tuning_.is_resident) opening_rounds_ = long_rounds_ = 0;
  is_near_ = true;
  patience_ = Patience();
  status_ = run::Status::interrupted;
}

template <class T>
void Decomposition<T>::resume(double tolerance) {
  asked_ = tolerance;
  opening_rounds_ = long_rounds_ = 0;
  is_near_ = true;
  patience_ = Patience();
  rounds_ = 0;
  status_ = run::Status::interrupted;
}

template <class T>
void Decomposition<T>::resume(double tolerance, std::vector<double> expansion) {
  expansion_.set(std::move(expansion));
  score_all();
  ends_ = scores_.ends(qp_->size(), qp_->n_groups);
  progress_ = measure();
  resume(tolerance);
}

template <class T>
void Decomposition<T>::run(int64_t most_steps) {
  try {
    while (choose(most_steps) && solve(most_steps)) {
      if (!takes_all()) expansion_.add(changes(), execution_);
      adopt();
    }
  } catch (const threads::Interrupted&) {
  }
  end();
}

// An early end within the tolerance, though not within the margin's share of it, is a good one; a
// stall is not if finer rows may lead further.
template <class T>
bool Decomposition<T>::end_by(run::Status status) {
  constexpr bool has_finer_rows = sizeof(T) < sizeof(double);
  const bool is_final = !has_finer_rows || status != run::Status::stalled;
  const bool is_within =
      is_final && qp_->is_relative_to_margin && progress_.violation <= asked_;
  ignores_margin_ = ignores_margin_ || (is_within && status != run::Status::converged);
  status_ = is_within ? run::Status::converged : status;
  return false;
}

template <class T>
bool Decomposition<T>::has_tried_enough() {
  if (!qp_->is_relative_to_margin || progress_.violation > asked_) return false;
  if (steps_to_tolerance_ < 0) steps_to_tolerance_ = std::max(steps_, usual_steps * qp_->size());
  return steps_ > most_tries * steps_to_tolerance_ + least_tries;
}

template <class T>
bool Decomposition<T>::choose(int64_t most_steps) {
  ends_ = scores_.ends(qp_->size(), qp_->n_groups);
  progress_ = measure();
  (*report_)(progress_);
  // Infinities in the kernel leave scores that compare with nothing, and so violate nothing.
  if (!std::isfinite(progress_.dual)) return end_by(run::Status::stalled);
  if (progress_.violation <= tolerance()) return end_by(run::Status::converged);
  if (steps_ >= most_steps || has_tried_enough()) return end_by(run::Status::max_iter);
  if (patience_.is_over(rounds_, progress_.violation, progress_.dual)) {
    return end_by(run::Status::stalled);
  }
  pacer_.checkpoint();
  be_precise_if_needed();
  level_ = takes_all() ? &*wide_ : &choose_level();
  return true;
}

// The gap is what each variable still has to gain, at the best offsets: the middles of the groups.
template <class T>
run::Progress Decomposition<T>::measure() const {
  double dual = 0, gap = 0;
  for (int64_t v = 0; v < qp_->size(); ++v) {
    const double value = scores_.value[v], score = scores_.score[v];
    dual -= 0.5 * value * (qp_->linear[v] - score);
    const double middle = ends_[qp_->group[v]].middle();
    const double gain = score - (std::isfinite(middle) ? middle : 0.0);
    const double room = gain > 0 ? scores_.high[v] - value : scores_.low[v] - value;
    if (room != 0 && gain != 0) gap += gain * room;
  }
  return {steps_, violation(ends_), dual + gap, dual};
}

template <class T>
double Decomposition<T>::margin() const {
  if (!qp_->is_relative_to_margin || ignores_margin_) return 1.0;
  // The offsets are the middles up to a sign; the margin, which is not negative, is half the
  // difference of both, or the only one.
  const double rho = std::abs(qp_->n_groups == 1 ? ends_[0].middle()
                                                 : 0.5 * (ends_[1].middle() - ends_[0].middle()));
  return std::isfinite(rho) ? std::clamp(rho, smallest_margin, 1.0) : 1.0;
}

template <class T>
void Decomposition<T>::be_precise_if_needed() {
  if (is_precise_ || tolerance() >= coarsest_precise) return;
  is_precise_ = true;
  if (coarse_) coarse_->problem.be_precise();
  if (wide_) wide_->problem.be_precise();
}

template <class T>
Level<T>& Decomposition<T>::choose_level() {
  expansion_.store().tick();
  const double margin = active_margin * violation(ends_);
  int64_t n_active = 0, n_new = 0;
  for (int64_t v = 0; v < qp_->size(); ++v) {
    const bool active = is_active(scores_, v, ends_, margin);
    n_active += active;
    n_new += active && !(wide_ && wide_->members.contains(v));
  }
  const auto active = static_cast<double>(n_active);
  const int64_t capacity = n_active + static_cast<int64_t>(tuning_.wide_room * active) + 256;
  const int64_t n_members = wide_ ? wide_->members.size() : 0;
  const bool can_stay = wide_ && n_members + n_new <= wide_->problem.capacity() &&
                        active > tuning_.least_active * static_cast<double>(n_members);
  const bool is_cheap =
      can_stay ? n_new <= tuning_.few_new_members : capacity <= tuning_.small_wide;
  const bool is_long = rounds_ >= long_rounds_ || (wide_ && level_ == &*wide_);
  // Of a matrix in memory, a copy of nearly all of it costs more than a few rounds without.
  const int64_t soon = tuning_.is_resident ? std::min(tuning_.soon_wide, qp_->size())
                                           : tuning_.soon_wide;
  const int64_t largest = std::min(tuning_.widest, is_long ? tuning_.widest : soon);
  if ((rounds_ < opening_rounds_ && !is_cheap) || (!can_stay && capacity > largest)) {
    if (!coarse_) coarse_.emplace(coarse_capacity(), *qp_, is_precise_);
    coarse_->load_matrix(coarse_->members.renew(scores_, qp_->size(), ends_), *qp_, expansion_, true,
                         execution_);
    return *coarse_;
  }
  if (!can_stay && wide_) wide_->resize(std::min(capacity, qp_->size()), *qp_);
  if (!wide_) wide_.emplace(std::min(capacity, qp_->size()), *qp_, is_precise_);
  wide_->load_matrix(wide_->members.admit(scores_, ends_, margin), *qp_, expansion_, true,
                     execution_);
  return *wide_;
}

template <class T>
bool Decomposition<T>::solve(int64_t most_steps) {
  level_->load_scores(scores_);
  const double now = progress_.violation, wanted = tolerance();
  const double share = is_near_ ? tuning_.enough_near : tuning_.enough;
  const int64_t n = level_->members.size();
  const typename Subproblem<T>::Task task{
      n,
      std::max(0.9 * wanted, share * now),
      wanted,
      std::min(most_steps - steps_, most_steps_per_round(n)),
      execution_,
      pacer_};
  const bool is_wide = wide_ && level_ == &*wide_;
  const bool is_nested = !is_wide || (takes_all() && now > tuning_.nested_above * wanted);
  int64_t taken = is_nested ? level_->problem.solve_nested(task) : 0;
  if (taken == 0 && is_wide) taken = level_->problem.solve_whole(task);
  steps_ += taken;
  return taken > 0 || end_by(run::Status::stalled);
}

template <class T>
std::vector<Change> Decomposition<T>::changes() const {
  std::vector<Change> changes;
  const Scores& now = level_->problem.scores;
  for (int64_t slot = 0; slot < level_->members.size(); ++slot) {
    const int32_t v = level_->members.member(slot);
    const double value = now.value[slot], change = value - scores_.value[v];
    if (change == 0 || qp_->point[v] == no_point) continue;
    const bool is_free = value > scores_.low[v] && value < scores_.high[v];
    changes.push_back({v, qp_->point[v], qp_->direction[v] * change, is_free});
  }
  return changes;
}

template <class T>
void Decomposition<T>::adopt() {
  ++rounds_;
  const Scores& now = level_->problem.scores;
  for (int64_t slot = 0; slot < level_->members.size(); ++slot) {
    scores_.value[level_->members.member(slot)] = now.value[slot];
  }
  if (takes_all()) {
    scores_.score = now.score;
  } else {
    score_all();
  }
}

template <class T>
void Decomposition<T>::apply_start(int caution) {
  std::vector<Change> changes;
  for (int64_t v = 0; v < qp_->size(); ++v) {
    if (qp_->value[v] == 0 || qp_->point[v] == no_point) continue;
    changes.push_back({v, qp_->point[v], qp_->direction[v] * qp_->value[v], false});
  }
  expansion_.add(changes, execution_, caution);
}

// Adds the changes of the values to the kernel's part of the scores.
template <class T>
void Decomposition<T>::kernel_parts_by_matrix(const std::vector<double>& changes) {
  for (int64_t w = 0; w < qp_->size(); ++w) {
    if (changes[w] == 0) continue;
    const T* row = wide_->problem.row(w);
    for (int64_t v = 0; v < qp_->size(); ++v) scores_.score[v] -= changes[w] * row[v];
    scores_.score[w] += changes[w] * qp_->ridge[w];
  }
}

template <class T>
void Decomposition<T>::score_by_matrix() {
  for (int64_t v = 0; v < qp_->size(); ++v) scores_.score[v] = -qp_->linear[v];
  for (int64_t w = 0; w < qp_->size(); ++w) {
    const double value = scores_.value[w];
    if (value == 0) continue;
    const T* row = wide_->problem.row(w);
    for (int64_t v = 0; v < qp_->size(); ++v) scores_.score[v] -= value * row[v];
  }
}

template <class T>
void Decomposition<T>::score_all() {
  for (int64_t v = 0; v < qp_->size(); ++v) {
    const double kernel_part = qp_->direction[v] * expansion_.at(v);
    scores_.score[v] = -(kernel_part + qp_->linear[v] + qp_->ridge[v] * scores_.value[v]);
  }
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
