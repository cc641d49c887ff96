// Sifting: interior points for a hinge or a tube with very many points, most of which are settled
// early.
//
// Weights near the optimum, from a warm start or a sample, tell for nearly every point on which side
// of its margin it lies, and so whether its multiplier is zero or its cost. Only the points close to
// their margin stay in the working set; the other multipliers are fixed, which makes them one constant
// vector in a small QP. Its dual value is one of the whole QP. One pass over the data then gives the
// primal value and the points that were fixed on the wrong side, which join the working set; without
// such points the small QP's solution is that of the whole.
#pragma once

#include "../solution.h"

namespace maxmargin::linear {

// Whether there are enough points, and weights to begin with or a sample to get them from.
template <class T>
bool may_sift(const Task<T>& task, const WarmStart& start);

// Improves the best solution so far and adds its iterations. `stalled` means that the whole QP should
// be solved at once, because too many points would have to be in the working set.
template <class T>
Status sift(const Task<T>& task, const WarmStart& start, Incumbent& best, int64_t& iterations);

}  // namespace maxmargin::linear
