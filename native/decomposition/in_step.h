// QPs over the same points, solved round by round together: each works on a set of its own, and the
// rows that several of them add are read, or computed, once.
#pragma once

#include <span>

#include "decomposition.h"

namespace maxmargin::decomposition {

// Runs all of them; each has started, and none keeps parts of its expansion apart.
template <class T>
void run_in_step(std::span<Decomposition<T>* const> solvers, int64_t most_steps,
                 const rows::Execution& execution);

}  // namespace maxmargin::decomposition
