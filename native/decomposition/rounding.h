// Making up for the rounding of rows, above all those in float32.
//
// It moves the gradient by an amount that grows with the multipliers, and so could hide a violation.
// The error is measured in float64 on a sample of the variables: those with the largest values, those
// of points far from the centre, where distances lose most digits, and some of all others. A small
// error is met by a tighter tolerance; for a large one the gradient is computed again in float64 and
// the run goes on from there, with float64 rows if that does not help either.
#pragma once

#include "decomposition.h"
#include "exact.h"

namespace maxmargin::decomposition {

enum class Settled {
  yes,         // the solver's end can be trusted
  by_no_rows,  // rows of this precision do not get there
};

// Goes on with a solver whose run has ended until rounding cannot hide a violation. `settled` are the
// values at which the expansion was last exact, zeros if it never was; they are kept up to date.
template <class T>
Settled settle(Decomposition<T>& solver, const QP& qp, const Exact& exact, int64_t most_steps,
               std::vector<double>& settled);

// The most that a gradient is off, in a sample of the variables; n_points are those of the store.
double gradient_error(const QP& qp, const std::vector<double>& gradient, const Exact& exact,
                      const std::vector<double>& settled, int64_t n_points);

}  // namespace maxmargin::decomposition
