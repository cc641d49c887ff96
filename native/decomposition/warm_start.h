// The warm start of a QP that follows another one: its solution scaled with the bounds, moved to
// satisfy the equality constraints (DeCoste, Wagstaff 2000).
#pragma once

#include <vector>

#include "qp.h"

namespace maxmargin::decomposition {

struct WarmStart {
  // The values of the start are near this many times those of the solution.
  double factor;
};

// Sets next.value, which must be feasible before. `gradient` is that of the solved QP, which has the
// same variables.
WarmStart start_from(const QP& solved, const std::vector<double>& gradient, QP& next);

// The same where both have the same Hessian and differ in all bounds alike: where most values are
// between their bounds, which does not change with the bounds, they start unscaled.
WarmStart start_along_path(const QP& solved, const std::vector<double>& gradient, QP& next);

}  // namespace maxmargin::decomposition
