// How far variables are from optimal.
//
// A variable's score is minus its derivative: it wants to rise if the score is above the lowest
// score of a variable of its group that can fall in exchange. At the optimum no group has such a
// pair; the largest difference of one is the violation (LIBSVM's stopping rule).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace maxmargin::decomposition {

// Of one group.
struct Ends {
  double top = -std::numeric_limits<double>::infinity();    // highest score that can rise
  double bottom = std::numeric_limits<double>::infinity();  // lowest score that can fall

  double violation() const { return top > bottom ? top - bottom : 0.0; }
  double middle() const { return 0.5 * (top + bottom); }
};

// Some variables, by index.
struct Scores {
  std::vector<double> score, value, low, high;
  std::vector<int32_t> group;

  explicit Scores(int64_t n) : score(n), value(n), low(n), high(n), group(n) {}

  int64_t size() const { return static_cast<int64_t>(score.size()); }
  bool can_rise(int64_t v) const { return value[v] < high[v]; }
  bool can_fall(int64_t v) const { return value[v] > low[v]; }

  // Of the first n variables.
  std::vector<Ends> ends(int64_t n, int32_t n_groups) const {
    std::vector<Ends> ends(n_groups);
    for (int64_t v = 0; v < n; ++v) {
      Ends& own = ends[group[v]];
      if (can_rise(v)) own.top = std::max(own.top, score[v]);
      if (can_fall(v)) own.bottom = std::min(own.bottom, score[v]);
    }
    return ends;
  }
};

inline double violation(const std::vector<Ends>& ends) {
  double worst = 0;
  for (const Ends& own : ends) worst = std::max(worst, own.violation());
  return worst;
}

}  // namespace maxmargin::decomposition
