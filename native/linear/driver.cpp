#include "driver.h"

#include <optional>

#include "coordinate_descent/coordinate_descent.h"
#include "interior_point/interior_point.h"
#include "interior_point/sifting.h"
#include "merging.h"
#include "newton/newton.h"

namespace maxmargin::linear {
namespace {

// With fewer points interior points take them all at once, without descent before.
constexpr int64_t many_points = 8192;

// Descent that reaches the first relative gap in time goes on, descent that stays above the second
// ends soon; below the third its weights are a warm start.
constexpr double promising = 1e-3, hopeless = 0.5, near = 1e-2;

// The likely cost of interior points: iterations over this share of the points, and how much cheaper a
// multiplication is there than in a visit, which waits for its row.
constexpr double likely_iterations = 12, working_share = 1.0 / 8, cheaper = 4;

// Visits of points in the time that interior points would take.
template <class T>
VisitBudget budget_before_interior_points(const Matrix<T>& data) {
  const auto n = static_cast<double>(data.n_rows), d = static_cast<double>(data.n_columns + 1);
  const double entries = 1 + data.n_entries() / n;
  const double iteration = d * d * d / 3 + working_share * n * entries * (entries + 12);
  const double visits_per_point = likely_iterations * iteration / (cheaper * entries * n);
  return {static_cast<int64_t>(visits_per_point * n), promising, hopeless};
}

// Interior points: by sifting where that pays, otherwise over all points at once.
template <class T>
Solution sift_or_solve(const Task<T>& task, const WarmStart& start, const Solution* known) {
  Incumbent best(task.qp, task.data.n_columns);
  int64_t iterations = 0;
  if (known != nullptr) best.offer(*known);
  if (may_sift(task, start)) {
    const Status status = sift(task, start, best, iterations);
    if (status != Status::stalled) return best.take(status, best.progress(iterations));
  }
  const Solution whole = solve_by_interior_point(task);
  best.offer(whole);
  return best.take(whole.status, best.progress(iterations + whole.progress.iterations));
}

template <class T>
class Driver {
 public:
  Driver(Method method, const Matrix<T>& data, uint64_t seed)
      : method_(method), data_(data), seed_(seed) {
    if (method == Method::coordinate_descent) norms_ = squared_norms(data);
  }

  Solution solve(const Task<T>& task, const WarmStart& start) {
    switch (method_) {
      case Method::newton: return solve_by_newton(task, start);
      case Method::coordinate_descent:
        return solve_by_coordinate_descent(task, norms_, start.multipliers, seed_);
      default: return solve_by_interior_points(task, start);
    }
  }

 private:
  // On sparse rows sweeps of coordinate descent go first: for small costs they are all it takes, and
  // otherwise they lead to weights to start from.
  Solution solve_by_interior_points(const Task<T>& task, const WarmStart& start) {
    const bool descends = start.weights.empty() && data_.is_sparse() && !task.qp.is_squared() &&
                          data_.n_rows >= many_points && data_.n_rows <= most_descent_points;
    if (!descends) return sift_merged(task, start, nullptr);
    if (norms_.empty()) norms_ = squared_norms(data_);
    const Solution known =
        solve_by_coordinate_descent(task, norms_, {}, 0, budget_before_interior_points(data_));
    if (known.status == Status::interrupted || known.progress.violation <= task.stop.tolerance ||
        known.progress.iterations >= task.stop.max_iter) {
      return known;
    }
    const bool is_near = known.progress.violation <= near;
    return sift_merged(task, is_near ? WarmStart{known.weights, {}, known.bias} : WarmStart{}, &known);
  }

  // The same over points without repeats, where many rows are equal. Only for interior points: descent
  // would visit a multiplier that stands for many points as rarely as the others, and Newton's method
  // takes too few steps to make up for the search.
  Solution sift_merged(const Task<T>& task, const WarmStart& start, const Solution* known) {
    if (task.qp.sides > 1) return sift_or_solve(task, start, known);
    if (!repeats_) repeats_ = repeated_rows(data_);
    if (repeats_->empty()) return sift_or_solve(task, start, known);
    const MergedPoints<T> points(data_, task.qp, *repeats_);
    const BoxQP qp = points.qp();
    Solution merged = known == nullptr ? Solution{} : *known;
    merged.multipliers = points.merge(merged.multipliers);
    Solution solution =
        sift_or_solve<T>({points.data(), qp, task.stop, task.execution, task.report}, start, &merged);
    solution.multipliers = points.split(solution.multipliers);
    return solution;
  }

  const Method method_;
  const Matrix<T>& data_;
  const uint64_t seed_;
  std::vector<double> norms_;                    // squared, where coordinate descent takes part
  std::optional<std::vector<int64_t>> repeats_;  // once they were looked for
};

// Calls solve(k, execution) for every problem until the listener ends the run: one per thread, or one
// after the other with all threads.
template <class Solve>
void for_each_problem(size_t n_problems, bool is_side_by_side, int n_threads,
                      run::Listener& listener, const Solve& solve) {
  const Execution execution{is_side_by_side ? 1 : n_threads, [&] { return listener.should_stop(); }};
  const auto solve_one = [&](int64_t k, threads::Worker&) {
    if (listener.should_stop()) return;
    solve(k, execution);
    listener.problem_done();
  };
  try {
    threads::parallel_for(static_cast<int64_t>(n_problems), is_side_by_side ? n_threads : 1,
                          solve_one, execution.should_stop);
  } catch (const threads::Interrupted&) {
  }
}

}  // namespace

template <class T>
std::vector<Solution> solve_all(Method method, const Matrix<T>& data, const std::vector<BoxQP>& qps,
                                const std::vector<const WarmStart*>& starts, const run::Stop& stop,
                                uint64_t seed, int n_threads, run::Listener& listener) {
  std::vector<Solution> solutions(qps.size());
  Driver<T> driver(method, data, seed);
  const bool is_side_by_side = method == Method::coordinate_descent && qps.size() > 1;
  for_each_problem(qps.size(), is_side_by_side, n_threads, listener,
                   [&](int64_t k, const Execution& execution) {
    const run::Report report = [&](const Progress& now) {
      listener.report_at_once(k, now);
      if (listener.has_stopped()) throw threads::Interrupted();
    };
    solutions[k] = driver.solve({data, qps[k], stop, execution, report}, *starts[k]);
  });
  return solutions;
}

template <class T>
std::vector<Solution> solve_all(const Matrix<T>& columns, const std::vector<const L1Problem*>& problems,
                                const std::vector<WarmStart>& starts, const run::Stop& stop,
                                uint64_t seed, int n_threads, run::Listener& listener) {
  std::vector<Solution> solutions(problems.size());
  for_each_problem(problems.size(), true, n_threads, listener,
                   [&](int64_t k, const Execution& execution) {
    const run::Report report = [&](const Progress& now) { listener.report_at_once(k, now); };
    solutions[k] =
        solve_l1(columns, *problems[k], starts[k], stop, seed, execution.should_stop, report);
  });
  return solutions;
}

template std::vector<Solution> solve_all(Method, const Matrix<float>&, const std::vector<BoxQP>&,
                                         const std::vector<const WarmStart*>&, const run::Stop&,
                                         uint64_t, int, run::Listener&);
template std::vector<Solution> solve_all(Method, const Matrix<double>&, const std::vector<BoxQP>&,
                                         const std::vector<const WarmStart*>&, const run::Stop&,
                                         uint64_t, int, run::Listener&);
template std::vector<Solution> solve_all(const Matrix<float>&, const std::vector<const L1Problem*>&,
                                         const std::vector<WarmStart>&, const run::Stop&, uint64_t,
                                         int, run::Listener&);
template std::vector<Solution> solve_all(const Matrix<double>&, const std::vector<const L1Problem*>&,
                                         const std::vector<WarmStart>&, const run::Stop&, uint64_t,
                                         int, run::Listener&);

}  // namespace maxmargin::linear
