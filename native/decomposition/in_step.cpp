#include "in_step.h"

#include <algorithm>
#include <vector>

namespace maxmargin::decomposition {
namespace {

// They begin near their ends, which may come before a kept row has paid.
constexpr int caution_in_step = 4;

// Returns the solvers whose working sets were solved, and have changed something.
template <class T>
std::vector<Decomposition<T>*> solve_side_by_side(const std::vector<Decomposition<T>*>& solvers,
                                                  int64_t most_steps,
                                                  const rows::Execution& execution) {
  std::vector<char> goes_on(solvers.size());
  const auto solve = [&](int64_t k, threads::Worker&) { goes_on[k] = solvers[k]->solve(most_steps); };
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
  std::vector<Expansion<T>*> expansions;
  std::vector<std::vector<Change>> changes;
  for (Decomposition<T>* solver : solvers) {
    expansions.push_back(&solver->expansion());
    changes.push_back(solver->changes());
  }
  Expansion<T>::add_to_all(expansions, changes, execution, caution_in_step);
}

}  // namespace

template <class T>
void run_in_step(std::span<Decomposition<T>* const> solvers, int64_t most_steps,
                 const rows::Execution& execution) {
  std::vector<Decomposition<T>*> left(solvers.begin(), solvers.end());
  try {
    for (;;) {
      std::erase_if(left, [&](Decomposition<T>* solver) { return !solver->choose(most_steps); });
      left = solve_side_by_side(left, most_steps, execution);
      if (left.empty()) break;
      add_changes(left, execution);
      for (Decomposition<T>* solver : left) solver->adopt();
    }
  } catch (const threads::Interrupted&) {
  }
  for (Decomposition<T>* solver : solvers) solver->end();
}

template void run_in_step(std::span<Decomposition<float>* const>, int64_t, const rows::Execution&);
template void run_in_step(std::span<Decomposition<double>* const>, int64_t, const rows::Execution&);

}  // namespace maxmargin::decomposition
