// The second-order model of the l1 machine over some features and the bias, and its minimiser.
//
//   min slope'd + 1/2 d'Hd + sum penalty_k |w_k + d_k|,   H = 2 sum cost_i z_i z_i' over slack > 0
//
// Where there are few features, a matrix of their size costs less than the sweeps it saves (Yuan, Ho,
// Lin 2012). It is minimised by coordinate descent; from time to time the weights that are not zero
// take the exact step of their quadratic, up to the first change of sign.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../../data/subset.h"
#include "../../linalg/cholesky.h"
#include "../../run/pacer.h"
#include "../gram.h"
#include "line.h"

namespace maxmargin::linear {

template <class T>
class L1Model {
 public:
  static constexpr int64_t most_features = 2000;

  // What building and minimising costs, in entries of columns read.
  static double cost(bool is_sparse, double n_entries, int64_t n_features, int64_t n_points) {
    const auto m = static_cast<double>(n_features);
    const double per_row = n_entries / static_cast<double>(std::max<int64_t>(n_points, 1));
    return 3 * n_entries + n_entries * per_row / (is_sparse ? 4 : 32) + 8 * m * m;
  }

  // `columns` holds a feature per row; `features` ascend.
  void build(const Matrix<T>& columns, const std::vector<int64_t>& features,
             const std::vector<L1Point>& points, run::Pacer& pacer) {
    const auto m = static_cast<int64_t>(features.size());
    size_ = m + 1;
    slope_.assign(size_, 0.0);
    used_.clear();
    weight_.clear();
    pull_.clear();
    for (size_t i = 0; i < points.size(); ++i) {
      const double cost = points[i].active_cost();
      if (cost == 0) continue;
      used_.push_back(static_cast<int64_t>(i));
      weight_.push_back(2 * cost);
      pull_.push_back(2 * cost * points[i].residual);
      slope_[m] -= pull_.back();
    }
    GramSum<T> sum(m, 1.0);
    if (columns.is_sparse()) {
      add_sparse(columns, features, static_cast<int64_t>(points.size()), sum, pacer);
    } else {
      add_dense(columns, features, sum, pacer);
    }
    hessian_ = sum.take_matrix();
    for (int64_t i = 0; i < size_; ++i) {
      for (int64_t j = 0; j < i; ++j) hessian_[j * size_ + i] = hessian_[i * size_ + j];
    }
  }

  // Weights and penalties of the features, then of the bias; an infinite penalty fixes a weight.
  // Returns the step.
  std::vector<double> minimise(const std::vector<double>& weights,
                               const std::vector<double>& penalty, run::Pacer& pacer) {
    now_ = weights;
    double wanted = 0;
    for (int sweeps = 0; sweeps < most_sweeps; ++sweeps) {
      pacer.checkpoint();
      const double gap = sweep(penalty).gap();
      if (sweeps == 0) wanted = rough * gap;
      if (gap <= wanted) break;
      if (sweeps % sweeps_between == sweeps_between - 1) take_exact_steps(penalty, pacer);
    }
    std::vector<double> step(size_);
    for (int64_t k = 0; k < size_; ++k) step[k] = now_[k] - weights[k];
    return step;
  }

 private:
  // The model is minimised until its gap has fallen to this share, or for this many sweeps.
  static constexpr double rough = 0.01;
  static constexpr int most_sweeps = 300;

  // Sweeps between exact steps, weights up to which there are any, and sign changes in a row.
  static constexpr int sweeps_between = 5;
  static constexpr int64_t most_factorised = 600;
  static constexpr int most_changes = 20;

  // The features' entries of the points with slack, transposed to rows.
  void add_sparse(const Matrix<T>& columns, const std::vector<int64_t>& features, int64_t n_points,
                  GramSum<T>& sum, run::Pacer& pacer) {
    const auto n = static_cast<int64_t>(used_.size()), m = static_cast<int64_t>(features.size());
    std::vector<int64_t> place(n_points, -1), starts(n + 1);
    for (int64_t r = 0; r < n; ++r) place[used_[r]] = r;
    const auto for_each = [&](const auto& act) {
      for (int64_t k = 0; k < m; ++k) {
        pacer.checkpoint();
        const auto column = columns.row(features[k]);
        for (int64_t e = 0; e < column.n_entries; ++e) {
          const int64_t r = place[column.columns[e]];
          if (r >= 0) act(k, r, column.values[e]);
        }
      }
    };
    for_each([&](int64_t, int64_t r, T) { ++starts[r + 1]; });
    for (int64_t r = 0; r < n; ++r) starts[r + 1] += starts[r];
    std::vector<int64_t> next(starts.begin(), starts.end() - 1);
    std::vector<int32_t> members(starts[n]);
    std::vector<T> values(starts[n]);
    for_each([&](int64_t k, int64_t r, T value) {
      members[next[r]] = static_cast<int32_t>(k);
      values[next[r]++] = value;
      slope_[k] -= pull_[r] * static_cast<double>(value);
    });
    const Matrix<T> rows{n, m, values.data(), 0, 1, starts.data(), members.data()};
    data::for_each_window(rows, 0, n, pacer, [&](const Matrix<T>& window, int64_t first, int64_t) {
      sum.add(window, weight_.data() + first);
    });
  }

  void add_dense(const Matrix<T>& columns, const std::vector<int64_t>& features, GramSum<T>& sum,
                 run::Pacer& pacer) {
    const auto n = static_cast<int64_t>(used_.size()), m = static_cast<int64_t>(features.size());
    std::vector<T> block(data::window_rows * m);
    for (int64_t first = 0; first < n; first += data::window_rows) {
      pacer.checkpoint();
      const int64_t last = std::min(first + data::window_rows, n);
      for (int64_t k = 0; k < m; ++k) {
        const T* column = columns.row(features[k]).values;
        for (int64_t r = first; r < last; ++r) {
          const T value = column[used_[r]];
          block[(r - first) * m + k] = value;
          slope_[k] -= pull_[r] * static_cast<double>(value);
        }
      }
      sum.add(Matrix<T>{last - first, m, block.data(), m, 1}, weight_.data() + first);
    }
  }

  GapEstimate sweep(const std::vector<double>& penalty) {
    GapEstimate seen;
    for (int64_t k = 0; k < size_; ++k) {
      if (!std::isfinite(penalty[k])) continue;
      seen.see(now_[k], slope_[k], penalty[k]);
      const double next = newton_point(now_[k], {slope_[k], row(k)[k]}, penalty[k]);
      if (next != now_[k]) move(k, next - now_[k], next);
    }
    return seen;
  }

  void take_exact_steps(const std::vector<double>& penalty, run::Pacer& pacer) {
    std::vector<int64_t> members;
    for (int64_t k = 0; k < size_; ++k) {
      if (std::isfinite(penalty[k]) && (now_[k] != 0 || penalty[k] == 0)) members.push_back(k);
    }
    if (static_cast<int64_t>(members.size()) > most_factorised) return;
    for (int changes = 0; changes < most_changes && !members.empty(); ++changes) {
      pacer.checkpoint();
      const std::vector<double> step = exact_step(members, penalty);
      if (step.empty()) return;
      double length = 1;
      size_t blocking = members.size();
      for (size_t a = 0; a < members.size(); ++a) {
        const double w = now_[members[a]];
        if (penalty[members[a]] == 0 || w * (w + length * step[a]) >= 0) continue;
        length = -w / step[a];
        blocking = a;
      }
      for (size_t a = 0; a < members.size(); ++a) {
        const double w = now_[members[a]], change = a == blocking ? -w : length * step[a];
        move(members[a], change, a == blocking ? 0.0 : w + change);
      }
      if (blocking == members.size()) return;
      members.erase(members.begin() + static_cast<int64_t>(blocking));
    }
  }

  // The exact step of the members' quadratic with their signs as they are; empty if there is none.
  std::vector<double> exact_step(const std::vector<int64_t>& members,
                                 const std::vector<double>& penalty) {
    // Added to a diagonal of ones, then a hundred times that, and so on.
    constexpr double least_ridge = 1e-13;
    constexpr int most_ridges = 6;
    const auto m = static_cast<int64_t>(members.size());
    std::vector<double> unit(m), matrix(m * m), step(m);
    for (int64_t a = 0; a < m; ++a) {
      const double curvature = row(members[a])[members[a]];
      unit[a] = curvature > 0 ? 1 / std::sqrt(curvature) : 1.0;
      for (int64_t b = 0; b <= a; ++b) {
        matrix[a * m + b] = unit[a] * unit[b] * row(members[a])[members[b]];
      }
      step[a] = -unit[a] * subgradient(now_[members[a]], slope_[members[a]], penalty[members[a]]);
    }
    if (!cholesky_.factorise_with_growing_ridge(matrix.data(), m, least_ridge, most_ridges)) return {};
    cholesky_.solve(step);
    for (int64_t a = 0; a < m; ++a) step[a] *= unit[a];
    return step;
  }

  void move(int64_t k, double change, double next) {
    const double* own = row(k);
    now_[k] = next;
    simd::active_loops<double>().add_weighted(&own, &change, 1, 0, size_, slope_.data());
  }

  const double* row(int64_t k) const { return hessian_.data() + k * size_; }

  int64_t size_ = 0;
  std::vector<double> hessian_, slope_, now_;
  std::vector<int64_t> used_;          // points with slack
  std::vector<double> weight_, pull_;  // of those: twice the cost, and times the residual
  linalg::Cholesky cholesky_;
};

}  // namespace maxmargin::linear
