// Dual coordinate descent with shrinking, for sparse data with many features.
//
// One multiplier at a time goes to its optimum with all others fixed, which costs two passes over
// one row (Hsieh, Chang, Lin, Keerthi, Sundararajan 2008). Every visit adds its point's share of the
// duality gap, so that the gap is measured, by a pass over the data, only when it seems small enough.
// A free bias is found by the method of multipliers: it moves by a multiple of the sum that should
// vanish.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "../solution.h"

namespace maxmargin::linear {

// Coordinate descent takes at most this many points.
inline constexpr int64_t most_descent_points = int64_t{1} << 32;

// Visits of points that a run may take: twice as many once the gap is below `promising`, a quarter
// while it is above `hopeless`.
struct VisitBudget {
  int64_t visits = std::numeric_limits<int64_t>::max();
  double promising = 0, hopeless = infinity;
};

template <class T>
std::vector<double> squared_norms(const Matrix<T>& data);

// The rows must be contiguous; QPs over the same data share their squared norms. Threads help only to
// measure, because each visit needs the result of the one before.
template <class T>
Solution solve_by_coordinate_descent(const Task<T>& task, const std::vector<double>& squared_norms,
                                     const std::vector<double>& multipliers, uint64_t seed,
                                     const VisitBudget& budget = {});

}  // namespace maxmargin::linear
