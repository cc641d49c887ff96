// The exact line search of Newton's method.
#pragma once

#include <cmath>
#include <vector>

#include "../row_sums.h"
#include "../solution.h"

namespace maxmargin::linear {

// The first two derivatives along a line.
struct Derivatives {
  double first = 0, second = 0;

  Derivatives& operator+=(const Derivatives& other) {
    return first += other.first, second += other.second, *this;
  }
};

// The penalties of all points along score + length change.
struct PenaltyLine {
  const BoxQP& qp;
  const std::vector<double>&inverse_ridge, &score, &change;

  // Of the points [begin, end): in several sums side by side, without branches.
  Derivatives at(double length, int64_t begin, int64_t end) const {
    constexpr int64_t width = 4;
    double first[width] = {}, second[width] = {};
    for (int64_t side = 0; side < qp.size(); side += qp.n_points) {
      const double* sign = qp.sign.data() + side;
      const double* linear = qp.linear.data() + side;
      const double* own = inverse_ridge.data() + side;
      const auto add = [&](int64_t r, int64_t k) {
        const double value = score[r] + linear[r] + length * change[r];
        const bool has_slack = sign[r] * value < 0;
        const double slope = static_cast<double>(has_slack) * change[r] * own[r];
        first[k] += slope * value;
        second[k] += slope * change[r];
      };
      int64_t r = begin;
      for (; r + width <= end; r += width) {
        for (int64_t k = 0; k < width; ++k) add(r + k, k);
      }
      for (; r < end; ++r) add(r, 0);
    }
    return {first[0] + first[1] + first[2] + first[3],
            second[0] + second[1] + second[2] + second[3]};
  }
};

// Newton's method on the line, whose derivative is increasing and piecewise linear, kept within a
// bracket. `regularisation` is that of the weights at length zero, and `slope` the whole derivative.
inline double best_length(const PenaltyLine& line, const Derivatives& regularisation, double slope,
                          const RowTasks& tasks, const Execution& execution) {
  constexpr double flat = 1e-3;  // ends when this share of the first slope is left
  constexpr int most_lengths = 60;
  double low = 0, high = infinity, length = 1;
  for (int k = 0; k < most_lengths; ++k) {
    const auto visit = [&](int64_t begin, int64_t end, Derivatives& sum, threads::Worker&) {
      sum += line.at(length, begin, end);
    };
    const Derivatives loss = sum_over_rows(tasks, Derivatives{}, execution, visit);
    const double first = regularisation.first + length * regularisation.second + loss.first;
    const double second = regularisation.second + loss.second;
    if (std::abs(first) <= flat * std::abs(slope)) return length;
    (first > 0 ? high : low) = length;
    const double next = length - first / second;
    const bool is_inside = next > low && next < high;
    length = is_inside ? next : std::isinf(high) ? 2 * length : 0.5 * (low + high);
  }
  return length;
}

}  // namespace maxmargin::linear
