#include "subproblem.h"

#include <algorithm>
#include <numeric>

#include "newton.h"

namespace maxmargin::decomposition {
namespace {

constexpr int64_t tile_capacity = 384;

// A tile is left when its violation has fallen to this share: the rest depends on the others.
constexpr double enough = 0.1;

// Gathering the active variables' matrix pays below this share of all.
constexpr double worth_gathering = 0.7;

// The ridge of Newton steps, above the rounding of the matrix.
template <class T>
constexpr double newton_ridge = sizeof(T) == 4 ? 1e-6 : 1e-13;

// Steps after which a tile is left in any case.
constexpr int64_t most_tile_steps = 64 * tile_capacity;

// Columns of one task of an update, and the products below which one thread does it all.
constexpr int64_t update_columns = 1024;
constexpr int64_t update_alone = 400'000;

}  // namespace

template <class T>
Subproblem<T>::Subproblem(int64_t capacity, int32_t n_groups, bool precise)
    : scores(0), n_groups_(n_groups), precise_(precise), nested_(tile_capacity, 0) {
  resize(capacity);
}

template <class T>
void Subproblem<T>::resize(int64_t capacity) {
  scores = Scores(capacity);
  stride_ = stride_of(capacity);
  nested_ = WorkingSet(tile_capacity, capacity);
  if (capacity * stride_ <= allocated_) return;
  matrix_.reset();
  allocated_ = capacity * stride_;
  matrix_ = kernels::allocate<T>(allocated_);
}

// The rows and columns of some slots side by side.
template <class T>
MatrixView<T> Subproblem<T>::gather(const std::vector<int32_t>& slots, kernels::Memory<T>& memory,
                                    int64_t& allocated) {
  const auto n = static_cast<int64_t>(slots.size());
  const int64_t stride = (n / simd::lanes<T> + 1) * simd::lanes<T>;
  if (n * stride > allocated) {
    memory.reset();
    allocated = n * stride;
    memory = kernels::allocate<T>(allocated);
  }
  for (int64_t i = 0; i < n; ++i) {
    const T* from = view().row(slots[i]);
    T* to = memory.get() + i * stride;
    for (int64_t j = 0; j < n; ++j) to[j] = from[slots[j]];
    std::fill(to + n, to + stride, T(0));
  }
  return {memory.get(), stride};
}

template <class T>
template <class U>
int64_t Subproblem<T>::solve_tile(Pairs<T, U>& pairs, const Task& task, int64_t most_steps) {
  pairs.load(nested_.members(), scores, gather(nested_.members(), tile_matrix_, tile_allocated_));
  const double limit = std::max(0.5 * task.tolerance, enough * pairs.violation());
  const int64_t steps = pairs.solve(limit, std::min(most_steps, most_tile_steps), [] {});
  pairs.unload(nested_.members(), scores, changed_, changes_);
  return steps;
}

template <class T>
void Subproblem<T>::update_scores(const Task& task) {
  const auto& loops = simd::active_loops<T>();
  const auto n_changed = static_cast<int64_t>(changed_.size());
  changed_rows_.clear();
  for (const int32_t slot : changed_) changed_rows_.push_back(view().row(slot));
  for (double& change : changes_) change = -change;
  const auto update = [&](int64_t index, threads::Worker&) {
    const int64_t begin = index * update_columns;
    const int64_t n = std::min(update_columns, task.n_slots - begin);
    loops.add_weighted(changed_rows_.data(), changes_.data(), n_changed, begin, n,
                       scores.score.data() + begin);
  };
  const int n_threads = n_changed * task.n_slots < update_alone ? 1 : task.execution.n_threads;
  threads::parallel_for((task.n_slots + update_columns - 1) / update_columns, n_threads, update, {});
}

template <class T>
int64_t Subproblem<T>::solve_nested(const Task& task) {
  if (precise_ && !precise_tile_) precise_tile_.emplace(tile_capacity, n_groups_);
  if (!precise_ && !tile_) tile_.emplace(tile_capacity, n_groups_);
  nested_.clear();
  int64_t steps = 0;
  while (steps < task.most_steps) {
    task.pacer.checkpoint();
    const std::vector<Ends> ends = scores.ends(task.n_slots, n_groups_);
    if (violation(ends) <= task.limit) break;
    nested_.renew(scores, task.n_slots, ends);
    const int64_t left = task.most_steps - steps;
    const int64_t taken =
        precise_ ? solve_tile(*precise_tile_, task, left) : solve_tile(*tile_, task, left);
    if (taken == 0) break;
    steps += taken;
    update_scores(task);
  }
  return steps;
}

// What may still move, or everything where that is most.
template <class T>
void Subproblem<T>::find_active(const Task& task, const std::vector<Ends>& ends) {
  const double margin = active_margin * violation(ends);
  active_.clear();
  for (int64_t slot = 0; slot < task.n_slots; ++slot) {
    if (is_active(scores, slot, ends, margin)) active_.push_back(static_cast<int32_t>(slot));
  }
  if (static_cast<double>(active_.size()) > worth_gathering * static_cast<double>(task.n_slots)) {
    active_.resize(task.n_slots);
    std::iota(active_.begin(), active_.end(), 0);
  }
}

template <class T>
template <class U>
int64_t Subproblem<T>::solve_active(const Task& task, double violation, int64_t most_steps) {
  const auto n = static_cast<int64_t>(active_.size());
  const bool is_all = n == task.n_slots;
  const MatrixView<T> matrix =
      is_all ? view() : gather(active_, active_matrix_, active_allocated_);
  if (is_all) {
    for (int64_t slot = 0; slot < n; ++slot) std::fill_n(row(slot) + n, simd::lanes<T>, T(0));
  }
  Pairs<T, U> pairs(n, n_groups_);
  pairs.load(active_, scores, matrix);
  const double limit = std::max(task.limit, enough * violation);
  const int64_t steps = pairs.solve(limit, most_steps, [&task] { task.pacer.checkpoint(); });
  pairs.unload(active_, scores, changed_, changes_);
  return steps;
}

template <class T>
int64_t Subproblem<T>::solve_whole(const Task& task) {
  int64_t steps = 0;
  while (steps < task.most_steps) {
    const std::vector<Ends> ends = scores.ends(task.n_slots, n_groups_);
    const double now = violation(ends);
    if (now <= task.limit) break;
    find_active(task, ends);
    const auto n_active = static_cast<int64_t>(active_.size());
    const int64_t enough_steps = is_hard_ ? 1000 + 4 * n_active : 50'000 + 100 * n_active;
    const int64_t left = std::min(task.most_steps - steps, enough_steps);
    const int64_t taken =
        precise_ ? solve_active<double>(task, now, left) : solve_active<T>(task, now, left);
    if (taken == 0) break;
    steps += taken;
    update_scores(task);
    is_hard_ = is_hard_ || taken == enough_steps;
    if (is_hard_) take_newton_steps(task);
  }
  return steps;
}

template <class T>
void Subproblem<T>::take_newton_steps(const Task& task) {
  std::vector<int32_t> free;
  for (const int32_t slot : active_) {
    if (scores.can_rise(slot) && scores.can_fall(slot)) free.push_back(slot);
  }
  const auto n = static_cast<int64_t>(free.size());
  if (n < 2 || n > Newton::most_variables) return;
  task.pacer.checkpoint();
  Scores variables(n);
  std::vector<double> matrix(n * n);
  for (int64_t i = 0; i < n; ++i) {
    variables.score[i] = scores.score[free[i]];
    variables.value[i] = scores.value[free[i]];
    variables.low[i] = scores.low[free[i]];
    variables.high[i] = scores.high[free[i]];
    variables.group[i] = scores.group[free[i]];
    for (int64_t j = 0; j < n; ++j) matrix[i * n + j] = view().row(free[i])[free[j]];
  }
  Newton newton(std::move(matrix), std::move(variables), n_groups_, newton_ridge<T>);
  if (!newton.run()) return;
  changed_.clear();
  changes_.clear();
  for (int64_t i = 0; i < n; ++i) {
    changed_.push_back(free[i]);
    changes_.push_back(newton.values()[i] - scores.value[free[i]]);
    scores.value[free[i]] = newton.values()[i];
  }
  update_scores(task);
}

template class Subproblem<float>;
template class Subproblem<double>;

}  // namespace maxmargin::decomposition
