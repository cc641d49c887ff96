// The multi-class machine of Crammer and Singer, by the sequential dual method.
//
//   primal  min 1/2 sum_m |w_m|^2 + sum cost_i max_m (e_im + (w_m - w_{y_i})'x_i)
//   dual    max -1/2 sum_m |w_m|^2 - sum e_im a_im,   w_m = sum_i a_im x_i,
//           a_im <= cost_i [m = y_i],   sum_m a_im = 0,   with e_im = 1 - [m = y_i]
//
// One point's multipliers at a time go to their optimum over all classes, found by sorting; classes
// and points that push against their bounds are shrunk until the others have converged (Keerthi,
// Sundararajan, Chang, Hsieh, Lin 2008). Every visit adds its point's share of the duality gap. A
// bias is the weight of a constant feature, and regularised: a free one would ask that each class's
// multipliers sum to zero over all points, which no step of a single point can keep to.
#pragma once

#include <cstdint>
#include <vector>

#include "../../run/listener.h"
#include "../solution.h"

namespace maxmargin::linear {

struct ClassProblem {
  int32_t n_classes = 0;
  std::vector<int32_t> label;
  std::vector<double> cost;
  double bias_scale = 0;  // the constant feature; zero means none

  int64_t n_points() const { return static_cast<int64_t>(label.size()); }
};

// Weights are n_classes x n_features, multipliers n_points x n_classes, both empty if the run ended
// before its start; there is one bias per class.
struct ClassSolution : Solution {
  std::vector<double> biases;
};

// Starts from the given multipliers; empty for zero. The rows must be contiguous.
template <class T>
ClassSolution solve_crammer_singer(const Matrix<T>& data, const ClassProblem& problem,
                                   std::vector<double> multipliers, const run::Stop& stop,
                                   uint64_t seed, int n_threads, run::Listener& listener);

}  // namespace maxmargin::linear
