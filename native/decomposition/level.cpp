#include "level.h"

#include <algorithm>
#include <numeric>

namespace maxmargin::decomposition {
namespace {

template <class Action>
void for_each_slot(const std::vector<int32_t>& slots, const rows::Execution& execution,
                   const Action& action) {
  constexpr int64_t slots_per_task = 16;
  const auto n = static_cast<int64_t>(slots.size());
  const auto act = [&](int64_t task, threads::Worker&) {
    const int64_t begin = task * slots_per_task, end = std::min(begin + slots_per_task, n);
    for (int64_t k = begin; k < end; ++k) action(slots[k]);
  };
  threads::parallel_for((n + slots_per_task - 1) / slots_per_task, execution.n_threads, act,
                        execution.should_stop);
}

}  // namespace

template <class T>
void Level<T>::load_scores(const Scores& scores) {
  for (int64_t slot = 0; slot < members.size(); ++slot) {
    const int32_t v = members.member(slot);
    problem.scores.score[slot] = scores.score[v];
    problem.scores.value[slot] = scores.value[v];
    problem.scores.low[slot] = scores.low[v];
    problem.scores.high[slot] = scores.high[v];
    problem.scores.group[slot] = scores.group[v];
  }
}

template <class T>
void Level<T>::load_matrix(const std::vector<int32_t>& slots, const QP& qp, Expansion<T>& expansion,
                           bool may_gather, const rows::Execution& execution) {
  std::vector<int32_t> with_point;  // slots, and their points
  std::vector<int64_t> points;
  for (int64_t slot = 0; slot < members.size(); ++slot) {
    if (point_of(qp, slot) == no_point) continue;
    with_point.push_back(static_cast<int32_t>(slot));
    points.push_back(point_of(qp, slot));
  }
  const rows::RowSource<T>& source = expansion.store().source();
  std::vector<int32_t> kept, missing;
  std::vector<int64_t> missing_points;
  std::vector<T*> missing_rows;
  for (const int32_t slot : slots) {
    const int64_t point = point_of(qp, slot);
    if (point == no_point) continue;
    if (may_gather && !source.has_cheap_entries() && expansion.is_kept(point)) {
      kept.push_back(slot);
      continue;
    }
    missing.push_back(slot);
    missing_points.push_back(point);
    missing_rows.push_back(problem.row(slot));
  }
  if (!missing.empty()) source.fill_cross(missing_points, points, missing_rows.data(), execution);
  if (!kept.empty()) {
    std::vector<int32_t> in_memory_order(points.size());
    std::iota(in_memory_order.begin(), in_memory_order.end(), 0);
    std::ranges::sort(in_memory_order, {}, [&](int32_t k) { return points[k]; });
    for_each_slot(kept, execution, [&](int32_t slot) {
      expansion.gather(point_of(qp, slot), points, in_memory_order, problem.row(slot));
    });
  }
  // H has the kernel's own values if all directions agree.
  const bool is_directed = std::ranges::any_of(members.members(), [&](int32_t v) {
    return qp.direction[v] != qp.direction[members.member(0)];
  });
  const bool has_gaps = static_cast<int64_t>(with_point.size()) < members.size();
  for_each_slot(slots, execution, [&](int32_t slot) {
    if (is_directed || has_gaps) place_values(slot, with_point, qp);
    problem.row(slot)[slot] += static_cast<T>(qp.ridge[members.member(slot)]);
  });
  mirror(slots, execution);
}

// Turns kernel values at the slots with points into values of H at all slots.
template <class T>
void Level<T>::place_values(int32_t slot, const std::vector<int32_t>& with_point, const QP& qp) {
  T* row = problem.row(slot);
  const int64_t n = members.size(), v = members.member(slot);
  const bool has_point = qp.point[v] != no_point;
  const double own = qp.direction[v];
  // Last first, because the values move up.
  auto at = static_cast<int64_t>(with_point.size()) - 1;
  for (int64_t b = n - 1; b >= 0; --b) {
    const bool is_next = at >= 0 && with_point[at] == b;
    const auto sign = static_cast<T>(own * qp.direction[members.member(b)]);
    row[b] = has_point && is_next ? sign * row[at] : T(0);
    at -= is_next;
  }
}

// Copies the new rows into the columns of the others; those of new members are complete already.
template <class T>
void Level<T>::mirror(const std::vector<int32_t>& slots, const rows::Execution& execution) {
  const int64_t n = members.size();
  if (static_cast<int64_t>(slots.size()) == n) return;
  std::vector<char> is_new(n);
  for (const int32_t slot : slots) is_new[slot] = 1;
  constexpr int64_t rows_per_task = 64;
  const auto copy = [&](int64_t task, threads::Worker&) {
    const int64_t begin = task * rows_per_task, end = std::min(begin + rows_per_task, n);
    for (const int32_t a : slots) {
      const T* row = problem.row(a);
      for (int64_t b = begin; b < end; ++b) {
        if (!is_new[b]) problem.row(b)[a] = row[b];
      }
    }
  };
  threads::parallel_for((n + rows_per_task - 1) / rows_per_task, execution.n_threads, copy,
                        execution.should_stop);
}

template class Level<float>;
template class Level<double>;

}  // namespace maxmargin::decomposition
