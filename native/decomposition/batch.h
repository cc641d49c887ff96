// Many QPs over the rows of one store: pairs of classes, folds, values of C.
//
// QPs that follow another one start from its solution: along C each goes on where the last one ended,
// with its working set; folds of the same points are solved in step. Those that need no rows of the
// store, or whose rows lie in memory, run side by side; the others use all threads in turn.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "../run/listener.h"
#include "decomposition.h"
#include "exact.h"
#include "turn.h"

namespace maxmargin::decomposition {

struct Result {
  run::Status status = run::Status::interrupted;
  bool is_late = false;  // whether its share of the time ended it
  run::Progress progress = run::not_begun;
  double wanted = 0;  // what the violation was to reach
  std::vector<double> gradient;   // in u; empty where it is not known
  std::vector<double> expansion;  // at all points, where it was kept
  std::vector<double> parts;      // of the expansion, part by part
};

template <class T>
struct Work {
  rows::RowStore<T>& store;
  std::span<QP* const> qps;
  Tuning tuning;
  int64_t most_steps;
  int n_threads;
  const Exact& exact;
  // Rows in float64, made when they are first needed.
  std::function<rows::RowStore<double>&()> fine_store;
};

template <class T>
class Batch {
 public:
  Batch(const Work<T>& work, run::Listener& listener);

  std::vector<Result> run();

 private:
  using Solver = Decomposition<T>;

  bool is_small(int64_t k) const { return work_.qps[k]->size() <= work_.tuning.whole_up_to; }
  bool is_independent(int64_t root) const;
  void solve_path(int64_t first, Turn& turn);
  void solve_followers(int64_t leader, Turn& turn);
  void solve_in_step(std::span<const int64_t> which, Turn& turn);
  std::unique_ptr<Solver> started(int64_t k, const Tuning& tuning, Turn& turn);
  void finish(int64_t k, Solver& solver, std::vector<double>& settled, Turn& turn);
  void finish_by_fine_rows(int64_t k, const std::vector<double>& expansion, Turn& turn);
  template <class U>
  void keep(int64_t k, Decomposition<U>& solver, Turn& turn);
  Tuning tuning_near(const QP& qp) const;
  int64_t n_in_step(const QP& qp) const;
  void check_rounding_of_the_rest();
  void go_on(int64_t k, std::vector<double> expansion, Turn& turn);
  void spend_time_left();

  Work<T> work_;
  run::Listener& listener_;
  std::vector<run::Report> reports_;              // by QP
  std::vector<std::vector<int64_t>> followers_;   // by QP
  std::vector<Result> results_;
  std::vector<char> is_checked_;  // whether rounding was looked at
  std::atomic<int64_t> n_left_;
};

}  // namespace maxmargin::decomposition
