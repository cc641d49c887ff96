// Sums over all rows that come out the same for any number of threads: the rows are cut into tasks
// by their number alone, each task sums for itself, and the parts are added up in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "../data/subset.h"
#include "../kernels/block.h"

namespace maxmargin::linear {

using data::Matrix;
using data::window_rows;
using kernels::Execution;

inline void add_to(std::vector<double>& total, const std::vector<double>& part) {
  for (size_t k = 0; k < total.size(); ++k) total[k] += part[k];
}

template <class Sum>
void add_to(Sum& total, const Sum& part) {
  total += part;
}

// The sum for passes that add nothing up.
struct Nothing {
  Nothing& operator+=(const Nothing&) { return *this; }
};

struct RowTasks {
  int64_t n_rows, n_tasks;

  // `n_sums` is how many numbers a task sums up, which must not be more work than the entries it
  // reads. There are at most 64 tasks of at least 512 rows, and their sums fit in 256 MiB.
  template <class T>
  static RowTasks of(const Matrix<T>& data, int64_t n_sums) {
    constexpr int64_t smallest = 512, few = 8, most = 64, most_sums = 1 << 25;
    const int64_t affordable = std::max<int64_t>(2, most_sums / n_sums);
    const auto worth = static_cast<int64_t>(data.n_entries() / static_cast<double>(n_sums));
    const int64_t wanted = std::clamp(worth, few, std::min(most, std::max(few, affordable)));
    return {data.n_rows,
            std::clamp<int64_t>(data.n_rows / smallest, 1, std::min(wanted, affordable))};
  }

  int64_t begin(int64_t task) const { return n_rows * task / n_tasks; }
  int64_t end(int64_t task) const { return begin(task + 1); }
};

// A sum that is taken again and again; its parts keep their memory.
template <class Sum>
class RepeatedSum {
 public:
  RepeatedSum(const RowTasks& tasks, Sum zero) : tasks_(tasks), zero_(std::move(zero)) {}

  // Calls visit(begin, end, sum, worker) for every task; returns the total, which is valid until the
  // next call.
  template <class Visit>
  Sum& over_rows(const Execution& execution, const Visit& visit) {
    parts_.resize(tasks_.n_tasks, zero_);
    const auto run = [&](int64_t task, threads::Worker& worker) {
      parts_[task] = zero_;
      visit(tasks_.begin(task), tasks_.end(task), parts_[task], worker);
    };
    threads::parallel_for(tasks_.n_tasks, execution.n_threads, run, execution.should_stop);
    for (int64_t task = 1; task < tasks_.n_tasks; ++task) add_to(parts_[0], parts_[task]);
    return parts_[0];
  }

  // The same for visit(window, first, last, sum), a few rows at a time.
  template <class T, class Visit>
  Sum& over_windows(const Matrix<T>& data, const Execution& execution, const Visit& visit) {
    return over_rows(execution, [&](int64_t begin, int64_t end, Sum& sum, threads::Worker& worker) {
      data::for_each_window(data, begin, end, worker, [&](const Matrix<T>& rows, int64_t first,
                                                          int64_t last) {
        visit(rows, first, last, sum);
      });
    });
  }

 private:
  RowTasks tasks_;
  Sum zero_;
  std::vector<Sum> parts_;
};

template <class Sum, class Visit>
Sum sum_over_rows(const RowTasks& tasks, const Sum& zero, const Execution& execution,
                  const Visit& visit) {
  return std::move(RepeatedSum<Sum>(tasks, zero).over_rows(execution, visit));
}

template <class T, class Sum, class Visit>
Sum sum_over_windows(const Matrix<T>& data, const RowTasks& tasks, const Sum& zero,
                     const Execution& execution, const Visit& visit) {
  return std::move(RepeatedSum<Sum>(tasks, zero).over_windows(data, execution, visit));
}

}  // namespace maxmargin::linear
