// Sums over all rows that come out the same for any number of threads: the rows are cut into tasks
// by their number alone, each task sums for itself, and the parts are added up in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../kernels/block.h"

namespace maxmargin::linear {

using kernels::Execution;

struct RowTasks {
  int64_t n_rows, n_tasks;

  // `bytes` is what a task's own sums take.
  static RowTasks of(int64_t n_rows, int64_t bytes) {
    constexpr int64_t smallest = 512, most = 64, most_bytes = 1 << 28;
    const int64_t affordable = std::max<int64_t>(2, most_bytes / std::max<int64_t>(bytes, 1));
    return {n_rows, std::clamp<int64_t>(n_rows / smallest, 1, std::min(most, affordable))};
  }

  int64_t begin(int64_t task) const { return n_rows * task / n_tasks; }
  int64_t end(int64_t task) const { return begin(task + 1); }
};

// Calls visit(begin, end, sums, worker) for every task; returns the total of the sums, which need +=.
template <class Sums, class Visit>
Sums sum_over_rows(const RowTasks& tasks, const Sums& zero, const Execution& execution,
                   const Visit& visit) {
  std::vector<Sums> parts(tasks.n_tasks, zero);
  const auto run = [&](int64_t task, threads::Worker& worker) {
    visit(tasks.begin(task), tasks.end(task), parts[task], worker);
  };
  threads::parallel_for(tasks.n_tasks, execution.n_threads, run, execution.should_stop);
  Sums total = std::move(parts[0]);
  for (int64_t task = 1; task < tasks.n_tasks; ++task) total += parts[task];
  return total;
}

inline void add_to(std::vector<double>& total, const std::vector<double>& part) {
  for (size_t k = 0; k < total.size(); ++k) total[k] += part[k];
}

}  // namespace maxmargin::linear
