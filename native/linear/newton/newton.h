// Newton's method on the primal of squared losses.
//
// The objective has a piecewise constant Hessian, R + X'DX over the points with slack; steps with an
// exact line search reach its optimum after finitely many iterations (Keerthi, DeCoste 2005; Chapelle
// 2007). A step solves the problem over the points with slack as if slacks could be negative; points
// whose slack comes out negative are dropped before the step is taken. The solution of the system
// also gives multipliers: their dual value is close to the optimum long before that of the current
// slacks, which any remaining gradient spoils.
#pragma once

#include "../solution.h"

namespace maxmargin::linear {

template <class T>
Solution solve_by_newton(const Task<T>& task, const WarmStart& start);

}  // namespace maxmargin::linear
