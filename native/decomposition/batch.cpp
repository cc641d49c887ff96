#include "batch.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "in_step.h"
#include "rounding.h"
#include "warm_start.h"

namespace maxmargin::decomposition {
namespace {

// Among QPs that run side by side, one of at most this many variables is worked on as a whole.
constexpr int64_t whole_among_many = 1536;

// Sizes of QPs that start near a solution: their runs are short, and memory is expensive. If there
// are more free variables, the widest level has room for this many times as many.
constexpr int64_t working_set_near = 2048, widest_near = 2048;
constexpr double widest_per_free = 1.5;

// Of many QPs those with the largest multipliers are checked for rounding first, this many of them:
// the error grows with the multipliers, so that if these are fine the others are too.
constexpr int64_t n_checked_first = 8;

// How often, and from how many seconds on, time that some QPs left is given to the others.
constexpr int most_second_helpings = 8;
constexpr double worth_going_on = 0.005;

double norm(const QP& qp) {
  return std::sqrt(std::inner_product(qp.value.begin(), qp.value.end(), qp.value.begin(), 0.0));
}

}  // namespace

template <class T>
Batch<T>::Batch(const Work<T>& work, run::Listener& listener)
    : work_(work),
      listener_(listener),
      followers_(work.qps.size()),
      results_(work.qps.size()),
      is_checked_(work.qps.size()),
      n_left_(static_cast<int64_t>(work.qps.size())) {
  int64_t n_roots = 0;
  for (int64_t k = 0; k < static_cast<int64_t>(work.qps.size()); ++k) {
    reports_.push_back([this, k](const run::Progress& now) { listener_.report(k, now); });
    const int64_t leader = work.qps[k]->follows;
    if (leader >= 0) followers_[leader].push_back(k);
    n_roots += leader < 0 ? 1 : 0;
  }
  if (!work.tuning.is_resident && n_roots > 1) work_.tuning.whole_up_to = whole_among_many;
}

template <class T>
std::vector<Result> Batch<T>::run() {
  std::vector<int64_t> side_by_side, in_turn;
  for (int64_t k = 0; k < static_cast<int64_t>(work_.qps.size()); ++k) {
    if (work_.qps[k]->follows >= 0) continue;
    (is_independent(k) ? side_by_side : in_turn).push_back(k);
  }
  // A single tree may as well use all threads.
  if (side_by_side.size() == 1) in_turn.push_back(std::exchange(side_by_side, {})[0]);
  const auto solve_one = [&](int64_t task, threads::Worker&) {
    Turn turn(listener_, 1);
    solve_path(side_by_side[task], turn);
  };
  try {
    const threads::ShouldStop should_stop = [&] { return listener_.should_stop(); };
    threads::parallel_for(static_cast<int64_t>(side_by_side.size()), work_.n_threads, solve_one,
                          should_stop);
    for (const int64_t root : in_turn) {
      Turn turn(listener_, work_.n_threads);
      solve_path(root, turn);
    }
    spend_time_left();
    check_rounding_of_the_rest();
  } catch (const threads::Interrupted&) {
  }
  return std::move(results_);
}

// Whether a QP and its followers can run beside others.
template <class T>
bool Batch<T>::is_independent(int64_t root) const {
  if (work_.tuning.is_resident) return true;
  return is_small(root) && std::ranges::all_of(followers_[root],
                                               [&](int64_t k) { return is_independent(k); });
}

// Solves a QP and then all that follow it.
template <class T>
void Batch<T>::solve_path(int64_t first, Turn& turn) {
  std::unique_ptr<Solver> solver;
  std::vector<double> settled;
  for (int64_t k = first;;) {
    if (listener_.has_stopped()) return;
    QP& qp = *work_.qps[k];
    // QPs that run at the same time need not share it.
    const bool alone = turn.execution.n_threads > 1 || work_.n_threads == 1;
    const int64_t n_left = std::max<int64_t>(n_left_--, 1);
    const int64_t in_turn = alone ? n_left : (n_left + work_.n_threads - 1) / work_.n_threads;
    const double left = listener_.seconds_left();
    turn.begin(left < 0 ? -1.0 : left / static_cast<double>(std::max<int64_t>(in_turn, 1)));
    try {
      if (solver == nullptr) {
        solver = started(k, work_.tuning, turn);
        settled.assign(qp.size(), 0.0);
      } else {
        const QP& last = *work_.qps[qp.follows];
        const WarmStart start = start_along_path(last, results_[qp.follows].gradient, qp);
        solver->restart(qp, start.factor, reports_[k]);
        for (double& value : settled) value *= start.factor;
      }
    } catch (const threads::Interrupted&) {
      results_[k].is_late = turn.is_late();
      return;
    }
    solver->run(work_.most_steps);
    finish(k, *solver, settled, turn);
    listener_.problem_done();
    const std::vector<int64_t>& next = followers_[k];
    const bool goes_on = next.size() == 1 && results_[k].gradient.size() > 0 &&
                         qp.n_parts == 0 && work_.qps[next[0]]->has_same_hessian(qp);
    if (!goes_on) {
      solver.reset();
      solve_followers(k, turn);
      return;
    }
    k = next[0];
  }
}

template <class T>
void Batch<T>::solve_followers(int64_t leader, Turn& turn) {
  const std::vector<int64_t>& all = followers_[leader];
  for (size_t begin = 0; begin < all.size();) {
    const QP& first = *work_.qps[all[begin]];
    // Over the same points, from a known expansion, they can be solved in step.
    const bool has_expansion = !results_[leader].expansion.empty() && !is_small(all[begin]);
    const auto most = static_cast<size_t>(has_expansion ? n_in_step(first) : 1);
    size_t end = begin + 1;
    while (end < all.size() && end - begin < most && followers_[all[end]].empty() &&
           work_.qps[all[end]]->point == first.point) {
      ++end;
    }
    if (end - begin == 1 || !followers_[all[begin]].empty()) {
      solve_path(all[begin], turn);
      ++begin;
    } else {
      solve_in_step({all.data() + begin, end - begin}, turn);
      begin = end;
    }
  }
}

template <class T>
void Batch<T>::solve_in_step(std::span<const int64_t> which, Turn& turn) {
  if (listener_.has_stopped()) return;
  const auto count = static_cast<int64_t>(which.size());
  const double left = listener_.seconds_left();
  const double per_qp = left / static_cast<double>(std::max<int64_t>(n_left_, 1));
  turn.begin(left < 0 ? -1.0 : static_cast<double>(count) * per_qp);
  n_left_ -= count;
  std::vector<std::unique_ptr<Solver>> held;
  std::vector<Solver*> solvers;
  try {
    for (const int64_t k : which) {
      held.push_back(started(k, tuning_near(*work_.qps[k]), turn));
      solvers.push_back(held.back().get());
    }
  } catch (const threads::Interrupted&) {
    for (const int64_t k : which) results_[k].is_late = turn.is_late();
    return;
  }
  run_in_step<T>(solvers, work_.most_steps, turn.execution);
  for (int64_t i = 0; i < count; ++i) {
    std::vector<double> settled(work_.qps[which[i]]->size());
    finish(which[i], *solvers[i], settled, turn);
    listener_.problem_done();
    held[i].reset();
  }
}

// A solver at its start: from the solution of the QP that it follows, if there is one.
template <class T>
auto Batch<T>::started(int64_t k, const Tuning& tuning, Turn& turn) -> std::unique_ptr<Solver> {
  QP& qp = *work_.qps[k];
  const Result* leader = qp.follows < 0 ? nullptr : &results_[qp.follows];
  double factor = 0;
  if (leader != nullptr && !leader->gradient.empty()) {
    factor = start_from(*work_.qps[qp.follows], leader->gradient, qp).factor;
  }
  const bool is_near = factor > 0 && !leader->expansion.empty() && !is_small(k);
  const Tuning& own = is_near ? tuning_near(qp) : tuning;
  auto solver = std::make_unique<Solver>(qp, work_.store, own, turn.execution, reports_[k]);
  if (!is_near) {
    solver->start();
    return solver;
  }
  const QP& solved = *work_.qps[qp.follows];
  std::vector<double> expansion = leader->expansion, coefficients(expansion.size());
  const bool leaves_out = qp.left_out >= 0 && !leader->parts.empty();
  const auto n_columns = static_cast<int64_t>(expansion.size());
  for (int64_t v = 0; v < solved.size(); ++v) {
    if (solved.point[v] == no_point) continue;
    const double kept =
        leaves_out ? 1.0 - solved.shares[qp.left_out * (solved.shares.size() / solved.n_parts) + v]
                   : 1.0;
    coefficients[solved.point[v]] += factor * kept * solved.direction[v] * solved.value[v];
  }
  for (int64_t c = 0; c < n_columns; ++c) {
    const double out = leaves_out ? leader->parts[qp.left_out * n_columns + c] : 0.0;
    expansion[c] = factor * (expansion[c] - out);
  }
  solver->start_near(std::move(expansion), coefficients);
  return solver;
}

template <class T>
Tuning Batch<T>::tuning_near(const QP& qp) const {
  Tuning tuning = work_.tuning;
  if (tuning.is_resident) return tuning;
  const auto for_free = static_cast<int64_t>(widest_per_free * static_cast<double>(qp.n_free()));
  tuning.working_set = working_set_near;
  tuning.widest = std::min(tuning.widest, std::max(widest_near, for_free));
  return tuning;
}

// QPs that may be solved in step: the matrices of their levels take no more memory than the widest.
template <class T>
int64_t Batch<T>::n_in_step(const QP& qp) const {
  const auto widest = static_cast<double>(work_.tuning.widest);
  const auto own = static_cast<double>(std::max(tuning_near(qp).widest, working_set_near));
  return std::max<int64_t>(1, static_cast<int64_t>(widest * widest / (own * own)));
}

template <class T>
void Batch<T>::finish(int64_t k, Solver& solver, std::vector<double>& settled, Turn& turn) {
  const bool is_leader = !followers_[k].empty() || work_.qps[k]->follows >= 0;
  const bool is_cheap = !work_.exact.row_errors.empty();
  const bool checks_now = is_leader || is_cheap || is_checked_[k] != 0 ||
                          static_cast<int64_t>(work_.qps.size()) <= n_checked_first;
  is_checked_[k] = checks_now || !work_.exact.is_needed();
  if (work_.exact.is_needed() && checks_now) {
    try {
      const Settled how = settle(solver, *work_.qps[k], work_.exact, work_.most_steps, settled);
      if (how == Settled::by_no_rows) {
        solver.give_up();
        keep(k, solver, turn);
        finish_by_fine_rows(k, solver.expansion().values(), turn);
        return;
      }
    } catch (const threads::Interrupted&) {
    }
  }
  keep(k, solver, turn);
}

template <class T>
void Batch<T>::finish_by_fine_rows(int64_t k, const std::vector<double>& expansion, Turn& turn) {
  QP& qp = *work_.qps[k];
  Tuning tuning = work_.tuning;
  tuning.is_resident = false;
  const int64_t before = results_[k].progress.iterations;
  Decomposition<double> solver(qp, work_.fine_store(), tuning, turn.execution, reports_[k]);
  try {
    if (!results_[k].parts.empty()) solver.expansion().set_parts(results_[k].parts);
    solver.start(expansion);
    solver.run(work_.most_steps - before);
    std::vector<double> settled(qp.size());
    settle(solver, qp, work_.exact, work_.most_steps - before, settled);
  } catch (const threads::Interrupted&) {
  }
  if (!std::isfinite(solver.progress().violation)) return;
  keep(k, solver, turn);
  results_[k].progress.iterations += before;
}

template <class T>
template <class U>
void Batch<T>::keep(int64_t k, Decomposition<U>& solver, Turn& turn) {
  Result& result = results_[k];
  result.status = solver.status();
  result.is_late = turn.is_late();
  result.progress = solver.progress();
  result.wanted = solver.wanted();
  result.gradient = solver.gradient();
  result.expansion.clear();
  result.parts.clear();
  if (solver.takes_all() || work_.store.n_segments() > 1) return;
  result.expansion = solver.expansion().values();
  result.parts = solver.expansion().parts();
}

// Goes on with a QP from its values, whose expansion is known by column.
template <class T>
void Batch<T>::go_on(int64_t k, std::vector<double> expansion, Turn& turn) {
  const int64_t before = results_[k].progress.iterations;
  QP& qp = *work_.qps[k];
  Solver solver(qp, work_.store, work_.tuning, turn.execution, reports_[k]);
  std::vector<double> settled(qp.size());
  try {
    if (expansion.empty()) {
      solver.start();
    } else {
      if (!results_[k].parts.empty()) solver.expansion().set_parts(results_[k].parts);
      solver.start(std::move(expansion));
    }
  } catch (const threads::Interrupted&) {
    return;
  }
  solver.run(work_.most_steps - before);
  if (!std::isfinite(solver.progress().violation)) return;
  finish(k, solver, settled, turn);
  results_[k].progress.iterations += before;
}

// Looks for rounding that hides a violation in QPs whose run has ended; all of them if one of those
// with the largest multipliers shows some.
template <class T>
void Batch<T>::check_rounding_of_the_rest() {
  if (!work_.exact.is_needed()) return;
  std::vector<int64_t> open;
  for (int64_t k = 0; k < static_cast<int64_t>(work_.qps.size()); ++k) {
    const bool has_ended = results_[k].status == run::Status::converged ||
                           results_[k].status == run::Status::stalled;
    if (has_ended && !is_checked_[k]) open.push_back(k);
  }
  std::ranges::stable_sort(open, {}, [&](int64_t k) { return -norm(*work_.qps[k]); });
  Turn turn(listener_, work_.n_threads);
  bool all_fine = true;
  for (size_t rank = 0; rank < open.size() && (rank < n_checked_first || !all_fine); ++rank) {
    const int64_t k = open[rank];
    const Result& found = results_[k];
    const std::vector<double> nowhere(work_.qps[k]->size());
    const double error = 2 * gradient_error(*work_.qps[k], found.gradient, work_.exact, nowhere,
                                            work_.store.source().n_points());
    const bool is_fine = found.status == run::Status::converged &&
                         found.progress.violation + error <= found.wanted;
    if (is_fine) continue;
    all_fine = false;
    turn.begin(listener_.seconds_left());
    is_checked_[k] = true;
    go_on(k, found.expansion, turn);
  }
}

template <class T>
void Batch<T>::spend_time_left() {
  if (listener_.seconds_left() < 0) return;
  for (int round = 0; round < most_second_helpings; ++round) {
    std::vector<int64_t> late;
    for (int64_t k = 0; k < static_cast<int64_t>(results_.size()); ++k) {
      if (results_[k].is_late && !results_[k].gradient.empty()) late.push_back(k);
    }
    if (late.empty() || late.size() == results_.size()) return;
    for (size_t i = 0; i < late.size(); ++i) {
      const double left = listener_.seconds_left();
      if (left < worth_going_on || listener_.has_stopped()) return;
      Turn turn(listener_, work_.n_threads);
      turn.begin(left / static_cast<double>(late.size() - i));
      go_on(late[i], results_[late[i]].expansion, turn);
    }
  }
}

template class Batch<float>;
template class Batch<double>;

}  // namespace maxmargin::decomposition
