// Random samples of points in which points with a large leverage are likelier: where few points have a
// feature, these alone keep its weight in bounds.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../row_sums.h"

namespace maxmargin::linear {

// How far a change of the weights moves each point, from the size of its entries relative to their
// columns.
template <class T>
std::vector<double> leverages(const Matrix<T>& data, const RowTasks& tasks,
                              const Execution& execution) {
  std::vector<double> columns = sum_over_windows(
      data, tasks, std::vector<double>(data.n_columns), execution,
      [&](const Matrix<T>& rows, int64_t, int64_t, std::vector<double>& sums) {
        for (int64_t r = 0; r < rows.n_rows; ++r) {
          rows.for_each_entry(r, [&](int64_t c, double x) { sums[c] += x * x; });
        }
      });
  for (double& sum : columns) sum = sum > 0 ? static_cast<double>(data.n_rows) / sum : 0.0;
  std::vector<double> leverage(data.n_rows);
  sum_over_windows(data, tasks, Nothing{}, execution,
                   [&](const Matrix<T>& rows, int64_t first, int64_t, Nothing&) {
                     for (int64_t r = 0; r < rows.n_rows; ++r) {
                       double total = 0;
                       rows.for_each_entry(
                           r, [&](int64_t c, double x) { total += columns[c] * x * x; });
                       leverage[first + r] = std::sqrt(1 + total);
                     }
                   });
  return leverage;
}

struct Sample {
  std::vector<int64_t> points;
  std::vector<double> weights;  // how many points each stands for

  int64_t size() const { return static_cast<int64_t>(points.size()); }
};

// A number in [0, 1) that depends on the point alone (splitmix64).
inline double random_of(int64_t point) {
  uint64_t value = static_cast<uint64_t>(point) + 0x9E3779B97F4A7C15ULL;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return static_cast<double>((value ^ (value >> 31)) >> 11) * 0x1p-53;
}

// All points of `certain`, each for itself, and about `share` of the others.
inline Sample draw(const std::vector<int64_t>& certain, const std::vector<uint8_t>& is_certain,
                   const std::vector<double>& leverage, double share) {
  double total = 0;
  for (const double value : leverage) total += value * value;
  const double mean = total / static_cast<double>(leverage.size());
  Sample sample{certain, std::vector<double>(certain.size(), 1.0)};
  for (size_t r = 0; r < leverage.size(); ++r) {
    if (is_certain[r]) continue;
    const double chance = share * 0.5 * (1 + leverage[r] * leverage[r] / mean);
    if (random_of(static_cast<int64_t>(r)) >= chance) continue;
    sample.points.push_back(static_cast<int64_t>(r));
    sample.weights.push_back(std::max(1.0, 1 / chance));
  }
  return sample;
}

}  // namespace maxmargin::linear
