// A dual as the solver sees it.
//
//   min 1/2 u'Hu + p'u,  low <= u <= high,  the sum of each group's variables fixed
//
// u_v = direction_v b_v, so that each equality constraint fixes a plain sum. H_vw = direction_v
// direction_w k(v, w), plus the ridge on the diagonal.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace maxmargin::decomposition {

// A variable without a point has kernel value zero with everything: it takes up what a group's
// other variables leave. Variables without an equality constraint are treated so.
inline constexpr int64_t no_point = -1;

struct QP {
  std::vector<int64_t> point;
  std::vector<double> direction, low, high, linear, ridge;
  std::vector<int32_t> group;
  std::vector<double> value;  // where it starts, then the solution
  int32_t n_groups = 1;

  double tolerance = 1e-3;  // of the violation
  // Whether the tolerance is a share of the margin rho that a nu form of two classes chooses.
  bool is_relative_to_margin = false;

  // The QP of the same batch whose solution this one starts from, scaled with the bounds, and the
  // part of its expansion whose variables can only be zero here; -1 for none.
  int64_t follows = -1;
  int32_t left_out = -1;

  // Parts of the expansion that are kept apart, and how much of each variable with a point belongs
  // to each, part by part: 1 in all.
  int32_t n_parts = 0;
  std::vector<double> shares;

  int64_t size() const { return static_cast<int64_t>(point.size()); }

  // The bound that is not zero.
  double cost(int64_t v) const { return std::max(high[v], -low[v]); }

  bool has_same_hessian(const QP& other) const {
    return point == other.point && direction == other.direction && ridge == other.ridge &&
           group == other.group;
  }

  int64_t n_free() const {
    int64_t count = 0;
    for (int64_t v = 0; v < size(); ++v) count += value[v] > low[v] && value[v] < high[v];
    return count;
  }

  void add_slack_variable() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    point.push_back(no_point);
    direction.push_back(1);
    low.push_back(-infinity);
    high.push_back(infinity);
    linear.push_back(0);
    ridge.push_back(0);
    group.push_back(0);
    value.push_back(0);
  }
};

}  // namespace maxmargin::decomposition
