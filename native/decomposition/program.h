// A dual program as the solver sees it.
//
//   min 1/2 u'Hu + p'u,  low <= u <= high,  the sum of each group's variables fixed
//
// u_v = direction_v b_v, so that every sum is a plain one. H_vw = direction_v direction_w k(v, w),
// plus the ridge on the diagonal.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace maxmargin::decomposition {

// A variable without a point has kernel value zero with everything: it takes up what a group's
// other variables leave, which is how variables in no sum are treated.
inline constexpr int64_t no_point = -1;

struct Program {
  std::vector<int64_t> point;
  std::vector<double> direction, low, high, linear, ridge;
  std::vector<int32_t> group;
  std::vector<double> value;
  int32_t n_groups = 1;
  // Parts of the kernel's sums that are kept apart, and how much of each variable with a point
  // belongs to each, part by part: 1 in all.
  int32_t n_parts = 0;
  std::vector<double> shares;

  int64_t size() const { return static_cast<int64_t>(point.size()); }

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
