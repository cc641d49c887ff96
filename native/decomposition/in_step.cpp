#include "in_step.h"

#include <algorithm>
#include <utility>

namespace maxmargin::decomposition {
namespace {

// Returns the solvers whose working sets were solved, and have changed something.
template <class T>
std::vector<Decomposition<T>*> solve_side_by_side(const std::vector<Decomposition<T>*>& solvers,
                                                  const rows::Execution& execution) {
  std::vector<char> goes_on(solvers.size());
  const auto solve = [&](int64_t k, threads::Worker&) { goes_on[k] = solvers[k]->solve(); };
  threads::parallel_for(static_cast<int64_t>(solvers.size()), execution.n_threads, solve,
                        execution.should_stop);
  std::vector<Decomposition<T>*> left;
  for (size_t k = 0; k < solvers.size(); ++k) {
    if (goes_on[k]) left.push_back(solvers[k]);
  }
  return left;
}

template <class T>
void add_changes(const std::vector<Decomposition<T>*>& solvers, const rows::Execution& execution) {
  std::vector<Similarities<T>*> similarities;
  std::vector<std::vector<Change>> changes;
  for (Decomposition<T>* solver : solvers) {
    similarities.push_back(&solver->similarities_to_change());
    changes.push_back(solver->changes());
  }
  Similarities<T>::add_to_all(similarities, changes, execution);
}

}  // namespace

template <class T>
std::vector<Outcome> run_in_step(std::span<Decomposition<T>* const> solvers,
                                 std::vector<std::vector<double>> known,
                                 const rows::Execution& execution) {
  std::vector<Decomposition<T>*> left(solvers.begin(), solvers.end());
  try {
    for (size_t k = 0; k < solvers.size(); ++k) solvers[k]->start(std::move(known[k]));
    for (;;) {
      std::erase_if(left, [](Decomposition<T>* solver) { return !solver->choose(); });
      left = solve_side_by_side(left, execution);
      if (left.empty()) break;
      add_changes(left, execution);
      for (Decomposition<T>* solver : left) solver->adopt();
    }
  } catch (const threads::Interrupted&) {
  }
  std::vector<Outcome> outcomes;
  for (Decomposition<T>* solver : solvers) outcomes.push_back(solver->end());
  return outcomes;
}

template std::vector<Outcome> run_in_step(std::span<Decomposition<float>* const>,
                                          std::vector<std::vector<double>>, const rows::Execution&);
template std::vector<Outcome> run_in_step(std::span<Decomposition<double>* const>,
                                          std::vector<std::vector<double>>, const rows::Execution&);

}  // namespace maxmargin::decomposition
