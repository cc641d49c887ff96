#include "subproblem.h"

#include <algorithm>
#include <numeric>

namespace maxmargin::decomposition {
namespace {

constexpr int64_t tile_capacity = 256;

// A tile is left when its violation has fallen to this share: the rest depends on the others.
constexpr double enough = 0.1;

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

template <class T>
void Subproblem<T>::load_tile() {
  const std::vector<int32_t>& slots = nested_.members();
  const size_t n = slots.size();
  for (size_t i = 0; i < n; ++i) {
    const T* from = row(slots[i]);
    T* to = tile_matrix_.get() + i * tile_capacity;
    for (size_t j = 0; j < n; ++j) to[j] = from[slots[j]];
    std::fill(to + n, to + tile_capacity, T(0));
  }
}

template <class T>
template <class U>
int64_t Subproblem<T>::solve_tile(Pairs<T, U>& pairs, const Task& task, int64_t most_steps) {
  load_tile();
  pairs.load(nested_.members(), scores, {tile_matrix_.get(), tile_capacity});
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
  for (const int32_t slot : changed_) changed_rows_.push_back(row(slot));
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
  if (!tile_matrix_) tile_matrix_ = kernels::allocate<T>(tile_capacity * tile_capacity);
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

template <class T>
template <class U>
int64_t Subproblem<T>::solve_all(const Task& task) {
  std::vector<int32_t> slots(task.n_slots);
  std::iota(slots.begin(), slots.end(), 0);
  Pairs<T, U> pairs(task.n_slots, n_groups_);
  for (const int32_t slot : slots) std::fill_n(row(slot) + task.n_slots, simd::lanes<T>, T(0));
  pairs.load(slots, scores, {matrix_.get(), stride_});
  const int64_t steps =
      pairs.solve(task.limit, task.most_steps, [&task] { task.pacer.checkpoint(); });
  pairs.unload(slots, scores, changed_, changes_);
  update_scores(task);
  return steps;
}

template <class T>
int64_t Subproblem<T>::solve_whole(const Task& task) {
  return precise_ ? solve_all<double>(task) : solve_all<T>(task);
}

template class Subproblem<float>;
template class Subproblem<double>;

}  // namespace maxmargin::decomposition
