// Sums over all rows that come out the same for any number of threads: the rows are cut into tasks
// by their number alone, each task sums for itself, and the parts are added up in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "../kernels/block.h"

namespace maxmargin::linear {

using kernels::Execution;

struct RowTasks {
  int64_t n_rows, n_tasks;

  // `n_sums` is what a task sums up for itself, which must not be more work than the entries it reads.
  static RowTasks of(int64_t n_rows, double n_entries, int64_t n_sums) {
    constexpr int64_t smallest = 512, few = 8, most = 64, most_sums = 1 << 25;
    const int64_t affordable = std::max<int64_t>(2, most_sums / n_sums);
    const auto worth = static_cast<int64_t>(n_entries / static_cast<double>(n_sums));
    const int64_t wanted = std::clamp(worth, few, std::min(most, std::max(few, affordable)));
    return {n_rows, std::clamp<int64_t>(n_rows / smallest, 1, std::min(wanted, affordable))};
  }

  int64_t begin(int64_t task) const { return n_rows * task / n_tasks; }
  int64_t end(int64_t task) const { return begin(task + 1); }
};

// A sum that is taken again and again; its parts keep their memory.
template <class Sums>
class RepeatedSum {
 public:
  RepeatedSum(const RowTasks& tasks, Sums zero) : tasks_(tasks), zero_(std::move(zero)) {}

  // Calls visit(begin, end, sums, worker) for every task; returns the total of the sums, which need
  // +=. The total is valid until the next call.
  template <class Visit>
  Sums& over_rows(const Execution& execution, const Visit& visit) {
    parts_.resize(tasks_.n_tasks, zero_);
    const auto run = [&](int64_t task, threads::Worker& worker) {
      parts_[task] = zero_;
      visit(tasks_.begin(task), tasks_.end(task), parts_[task], worker);
    };
    threads::parallel_for(tasks_.n_tasks, execution.n_threads, run, execution.should_stop);
    for (int64_t task = 1; task < tasks_.n_tasks; ++task) parts_[0] += parts_[task];
    return parts_[0];
  }

 private:
  RowTasks tasks_;
  Sums zero_;
  std::vector<Sums> parts_;
};

template <class Sums, class Visit>
Sums sum_over_rows(const RowTasks& tasks, const Sums& zero, const Execution& execution,
                   const Visit& visit) {
  RepeatedSum<Sums> sum(tasks, zero);
  return std::move(sum.over_rows(execution, visit));
}

// For passes that add nothing up.
struct Nothing {
  Nothing& operator+=(const Nothing&) { return *this; }
};

inline void add_to(std::vector<double>& total, const std::vector<double>& part) {
  for (size_t k = 0; k < total.size(); ++k) total[k] += part[k];
}

}  // namespace maxmargin::linear
