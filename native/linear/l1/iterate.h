// The current weights of the l1 machine with the residuals of all points, and moves of one weight.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../run/pacer.h"
#include "l1.h"
#include "line.h"

namespace maxmargin::linear {

template <class T>
class L1Iterate {
  const Matrix<T>& columns_;
  const L1Problem& problem_;
  run::Pacer& pacer_;
  double checked_at_ = 0;

 public:
  L1Iterate(const Matrix<T>& columns, const L1Problem& problem, run::Pacer& pacer)
      : columns_(columns), problem_(problem), pacer_(pacer) {}

  // The weight behind the features' is the bias.
  const int64_t n = problem_.n_points(), bias = columns_.n_rows;
  std::vector<double> weights = std::vector<double>(bias + 1);
  std::vector<L1Point> points = std::vector<L1Point>(n);
  double work = 0;  // entries read

  double penalty(int64_t j) const { return j == bias ? problem_.bias_penalty : 1.0; }

  int64_t n_entries(int64_t j) const { return j == bias ? n : columns_.row(j).n_entries; }

  // Whether all weights that have a penalty are zero.
  bool is_empty() const {
    const auto end = weights.end() - problem_.has_free_bias();
    return std::all_of(weights.begin(), end, [](double w) { return w == 0; });
  }

  void rebuild_residuals() {
    std::vector<double> scores(n, weights[bias]);
    for (int64_t j = 0; j < bias; ++j) {
      if (weights[j] == 0) continue;
      columns_.add(j, weights[j], scores.data());
      count_work(n_entries(j));
    }
    for (int64_t i = 0; i < n; ++i) {
      points[i] = {problem_.sign[i] - scores[i], problem_.sign[i] * problem_.cost[i]};
    }
  }

  double primal_value() const {
    double value = problem_.has_bias() ? problem_.bias_penalty * std::abs(weights[bias]) : 0.0;
    for (int64_t j = 0; j < bias; ++j) value += std::abs(weights[j]);
    for (const L1Point& point : points) {
      value += point.active_cost() * point.residual * point.residual;
    }
    return value;
  }

  // 2 cost_i slack_i
  std::vector<double> multipliers() const {
    std::vector<double> multipliers(n);
    for (int64_t i = 0; i < n; ++i) {
      multipliers[i] = 2 * points[i].active_cost() * std::abs(points[i].residual);
    }
    return multipliers;
  }

  Slope slope(int64_t j) { return pass<false>(j, 0); }

  // Newton's method in a bracket, until the subgradient has fallen to the given share. No optimal
  // weight is farther out than `reach`.
  void descend(int64_t j, Slope slope, double share, int n_steps, double reach) {
    const double penalty = this->penalty(j);
    double steep = subgradient(weights[j], slope.first, penalty);
    const double enough = share * std::abs(steep);
    double low = std::min(-reach, weights[j]), high = std::max(reach, weights[j]);
    for (int k = 0; k < n_steps && steep != 0 && std::abs(steep) >= enough; ++k) {
      const double w = weights[j];
      (steep > 0 ? high : low) = w;
      double next = newton_point(w, slope, penalty);
      const bool is_downhill = steep > 0 ? next < w : next > w;
      if (!is_downhill) return;  // rounding left no step
      if (next <= low || next >= high) next = 0.5 * (low + high);
      if (next == w || !std::isfinite(next)) return;
      weights[j] = next;
      slope = pass<true>(j, next - w);
      steep = subgradient(next, slope.first, penalty);
    }
  }

  // Lets the pacer ask from time to time.
  void count_work(int64_t n_entries) {
    constexpr double often = 1 << 15;  // entries
    work += static_cast<double>(n_entries) + 4;
    if (work - checked_at_ < often) return;
    checked_at_ = work;
    pacer_.checkpoint();
  }

 private:
  // Moves the residuals with a change of the weight; returns the slope thereafter.
  template <bool is_moving>
  Slope pass(int64_t j, double change) {
    Slope even, odd;
    const auto meet = [&](int64_t i, double x, Slope& sum) {
      L1Point& point = points[i];
      if constexpr (is_moving) point.residual -= change * x;
      const double scaled = point.active_cost() * x;
      sum.first -= scaled * point.residual;
      sum.second += scaled * x;
    };
    // Two sums side by side; point(e) and value(e) are entry e.
    const auto pass_over = [&](int64_t n_entries, const auto& point, const auto& value) {
      int64_t e = 0;
      for (; e + 2 <= n_entries; e += 2) {
        meet(point(e), value(e), even);
        meet(point(e + 1), value(e + 1), odd);
      }
      if (e < n_entries) meet(point(e), value(e), even);
      count_work(n_entries);
    };
    const auto at = [](int64_t i) { return i; };
    if (j == bias) {
      pass_over(n, at, [](int64_t) { return 1.0; });
    } else {
      const auto column = columns_.row(j);
      const auto value = [&](int64_t e) { return static_cast<double>(column.values[e]); };
      if (column.columns == nullptr) {
        pass_over(n, at, value);
      } else {
        pass_over(column.n_entries, [&](int64_t e) { return column.columns[e]; }, value);
      }
    }
    return {2 * (even.first + odd.first), 2 * (even.second + odd.second)};
  }
};

}  // namespace maxmargin::linear
