// How far a solver has come, when it may stop, and what made it stop: the same for all engines.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

namespace maxmargin::run {

struct Progress {
  int64_t iterations = 0;  // in the solver's own unit
  double violation = 0;    // what the tolerance bounds: KKT violation or relative duality gap
  double primal = 0, dual = 0;
};

inline constexpr Progress not_begun{0, std::numeric_limits<double>::infinity(),
                                    std::numeric_limits<double>::infinity(),
                                    -std::numeric_limits<double>::infinity()};

using Report = std::function<void(const Progress&)>;

struct Stop {
  double tolerance;
  int64_t max_iter;
};

// `stalled` means that rounding leaves no progress.
enum class Status { converged, max_iter, stalled, interrupted };

}  // namespace maxmargin::run
