// A primal-dual interior-point method for linear machines with many more points than features.
//
// Mehrotra's predictor and corrector (Mehrotra 1992; Ferris, Munson 2003): each iteration factorises
// one matrix of the size of w, R + X'DX, and reads the data three times, however large C is.
#pragma once

#include "../dual_value.h"
#include "../solution.h"

namespace maxmargin::linear {

// Weights and bias to start from, and how far the margins are likely to be from the solution's.
struct Guess {
  std::vector<double> weights;
  double movement;
};

// `fixed`, unless null, sums up multipliers of further points that are fixed.
template <class T>
Solution solve_by_interior_point(const Task<T>& task, const Guess* guess = nullptr,
                                 const DualSums* fixed = nullptr);

}  // namespace maxmargin::linear
