// Programs over the same points, solved round by round together: each works on a set of its own, and
// the rows that several of them add are read, or computed, once.
#pragma once

#include <span>
#include <vector>

#include "decomposition.h"

namespace maxmargin::decomposition {

// Runs all of them, each from its known similarities; none keeps parts of them apart.
template <class T>
std::vector<Outcome> run_in_step(std::span<Decomposition<T>* const> solvers,
                                 std::vector<std::vector<double>> known,
                                 const rows::Execution& execution);

}  // namespace maxmargin::decomposition
