// The problem of one point of Crammer and Singer's machine: its multipliers over all classes.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "../solution.h"

namespace maxmargin::linear {

class PointProblem {
 public:
  explicit PointProblem(int32_t n_classes)
      : slope(n_classes), moved(n_classes), corner_(n_classes), sorted_(n_classes) {}

  // By place in `classes`: first the scores, then the slopes; then where the multipliers go.
  std::vector<double> slope, moved;

  double gap = 0;        // the point's share of the duality gap
  double violation = 0;  // by how much the optimality conditions are missed

  // Turns scores into slopes and shrinks the classes that push against their bound: they go behind the
  // first n_used.
  void look(int32_t label, double cost, const double* multipliers, int32_t* classes,
            int32_t& n_used) {
    // All multipliers may fall, those below their bound may rise.
    double highest = -infinity, lowest_to_rise = infinity, share = 0;
    for (int32_t k = 0; k < n_used; ++k) {
      const bool is_label = classes[k] == label;
      if (!is_label) slope[k] += 1;
      const double a = multipliers[classes[k]], bound = is_label ? cost : 0.0;
      highest = std::max(highest, slope[k]);
      if (a < bound) lowest_to_rise = std::min(lowest_to_rise, slope[k]);
      share += (a - bound) * slope[k];
    }
    gap = cost * highest + share;
    violation = highest - lowest_to_rise;
    for (int32_t k = 0; k < n_used;) {
      const double bound = classes[k] == label ? cost : 0.0;
      if (multipliers[classes[k]] == bound && slope[k] < lowest_to_rise) {
        --n_used;
        std::swap(classes[k], classes[n_used]);
        std::swap(slope[k], slope[n_used]);
      } else {
        ++k;
      }
    }
  }

  // The optimum: min(bound, (level - corner) / curvature), with the level at which the multipliers sum
  // to zero.
  void solve(double curvature, int32_t label, double cost, const double* multipliers,
             const int32_t* classes, int32_t n_used) {
    const double reach = curvature * cost;
    for (int32_t k = 0; k < n_used; ++k) {
      corner_[k] = slope[k] - curvature * multipliers[classes[k]];
      sorted_[k] = corner_[k] + (classes[k] == label ? reach : 0.0);
    }
    std::sort(sorted_.begin(), sorted_.begin() + n_used, std::greater<>());
    double level = sorted_[0] - reach;
    int32_t n_free = 1;
    for (; n_free < n_used && level < n_free * sorted_[n_free]; ++n_free) level += sorted_[n_free];
    level /= n_free;
    for (int32_t k = 0; k < n_used; ++k) {
      const double bound = classes[k] == label ? cost : 0.0;
      moved[k] = std::min(bound, (level - corner_[k]) / curvature);
    }
  }

 private:
  std::vector<double> corner_, sorted_;
};

}  // namespace maxmargin::linear
