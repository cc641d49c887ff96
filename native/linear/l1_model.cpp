#include "l1_model.h"

#include <algorithm>
#include <cmath>

namespace maxmargin::linear {
namespace {

// The model is minimised until its gap has fallen to this share.
constexpr double rough = 0.01;
constexpr int most_sweeps = 300;

// Sweeps between exact steps, weights up to which there are any, and sign changes in a row.
constexpr int sweeps_between = 5;
constexpr int64_t most_factorised = 600;
constexpr int most_changes = 20;

// Added to a diagonal of ones, then a hundred times that, and so on.
constexpr double least_ridge = 1e-13;
constexpr int most_ridges = 6;

}  // namespace

template <class T>
double L1Model<T>::cost(bool is_sparse, double n_entries, int64_t n_features, int64_t n_points) {
  const auto m = static_cast<double>(n_features);
  const double a_row = n_entries / static_cast<double>(std::max<int64_t>(n_points, 1));
  return 3 * n_entries + n_entries * a_row / (is_sparse ? 4 : 32) + 8 * m * m;
}

template <class T>
void L1Model<T>::build(const Matrix<T>& columns, const std::vector<int64_t>& features,
                       const std::vector<L1Point>& points, threads::Pacer& pacer) {
  const auto m = static_cast<int64_t>(features.size());
  size_ = m + 1;
  slope_.assign(size_, 0.0);
  used_.clear();
  used_weight_.clear();
  for (size_t i = 0; i < points.size(); ++i) {
    const double cost = points[i].active_cost();
    if (cost == 0) continue;
    used_.push_back(static_cast<int64_t>(i));
    used_weight_.push_back(2 * cost);
    slope_[m] -= 2 * cost * points[i].residual;
  }
  GramSum<T> sum(m);
  if (columns.is_sparse()) {
    add_sparse(columns, features, points, sum, pacer);
  } else {
    add_dense(columns, features, points, sum, pacer);
  }
  hessian_ = std::move(sum.matrix());
  for (int64_t i = 0; i < size_; ++i) {
    for (int64_t j = 0; j < i; ++j) hessian_[j * size_ + i] = hessian_[i * size_ + j];
  }
}

// The features' entries of the points with slack, row by row.
template <class T>
void L1Model<T>::add_sparse(const Matrix<T>& columns, const std::vector<int64_t>& features,
                            const std::vector<L1Point>& points, GramSum<T>& sum,
                            threads::Pacer& pacer) {
  const auto n = static_cast<int64_t>(used_.size()), m = static_cast<int64_t>(features.size());
  std::vector<int64_t> place(points.size(), -1), starts(n + 1);
  for (int64_t r = 0; r < n; ++r) place[used_[r]] = r;
  const auto for_each = [&](const auto& act) {
    for (int64_t k = 0; k < m; ++k) {
      pacer.checkpoint();
      const int64_t j = features[k];
      for (int64_t e = columns.starts[j]; e < columns.starts[j + 1]; ++e) {
        const int64_t r = place[columns.columns[e]];
        if (r >= 0) act(k, r, columns.values[e]);
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
    slope_[k] -= used_weight_[r] * points[used_[r]].residual * static_cast<double>(value);
  });
  const Matrix<T> rows{n, m, values.data(), 0, 1, starts.data(), members.data()};
  RowWindow<T> window(rows);
  for (int64_t first = 0; first < n; first += GramSum<T>::rows_at_once) {
    pacer.checkpoint();
    const int64_t last = std::min(first + GramSum<T>::rows_at_once, n);
    sum.add(window.at(first, last), used_weight_.data() + first);
  }
}

template <class T>
void L1Model<T>::add_dense(const Matrix<T>& columns, const std::vector<int64_t>& features,
                           const std::vector<L1Point>& points, GramSum<T>& sum,
                           threads::Pacer& pacer) {
  const auto n = static_cast<int64_t>(used_.size()), m = static_cast<int64_t>(features.size());
  std::vector<T> block(GramSum<T>::rows_at_once * m);
  for (int64_t first = 0; first < n; first += GramSum<T>::rows_at_once) {
    pacer.checkpoint();
    const int64_t last = std::min(first + GramSum<T>::rows_at_once, n);
    for (int64_t k = 0; k < m; ++k) {
      const T* column = columns.values + features[k] * columns.row_stride;
      for (int64_t r = first; r < last; ++r) {
        const T value = column[used_[r]];
        block[(r - first) * m + k] = value;
        slope_[k] -= used_weight_[r] * points[used_[r]].residual * static_cast<double>(value);
      }
    }
    sum.add(Matrix<T>{last - first, m, block.data(), m, 1}, used_weight_.data() + first);
  }
}

template <class T>
void L1Model<T>::move(int64_t k, double change) {
  const double* own = row(k);
  now_[k] += change;
  simd::active_loops<double>().add_weighted(&own, &change, 1, 0, size_, slope_.data());
}

template <class T>
GapEstimate L1Model<T>::sweep(const std::vector<double>& price) {
  GapEstimate seen;
  for (int64_t k = 0; k < size_; ++k) {
    if (!std::isfinite(price[k])) continue;
    seen.see(now_[k], slope_[k], price[k]);
    const double next = newton_point(now_[k], {slope_[k], row(k)[k]}, price[k]);
    if (next == now_[k]) continue;
    move(k, next - now_[k]);
    now_[k] = next;
  }
  return seen;
}

// The exact step of the members' quadratic with their signs as they are; empty if there is none.
template <class T>
std::vector<double> L1Model<T>::newton_step(const std::vector<int64_t>& members,
                                            const std::vector<double>& price) {
  const auto m = static_cast<int64_t>(members.size());
  std::vector<double> unit(m), matrix(m * m), step(m);
  for (int64_t a = 0; a < m; ++a) {
    const double curvature = row(members[a])[members[a]];
    unit[a] = curvature > 0 ? 1 / std::sqrt(curvature) : 1.0;
  }
  for (int64_t a = 0; a < m; ++a) {
    for (int64_t b = 0; b <= a; ++b) {
      matrix[a * m + b] = unit[a] * unit[b] * row(members[a])[members[b]];
    }
  }
  if (!cholesky_.factorise_with_growing_ridge(matrix.data(), m, least_ridge, most_ridges)) return {};
  for (int64_t a = 0; a < m; ++a) {
    const int64_t k = members[a];
    step[a] = -unit[a] * steepness(now_[k], slope_[k], price[k]);
  }
  cholesky_.solve(step);
  for (int64_t a = 0; a < m; ++a) step[a] *= unit[a];
  return step;
}

template <class T>
void L1Model<T>::follow_signs(const std::vector<double>& price, threads::Pacer& pacer) {
  std::vector<int64_t> members;
  for (int64_t k = 0; k < size_; ++k) {
    if (std::isfinite(price[k]) && (now_[k] != 0 || price[k] == 0)) members.push_back(k);
  }
  if (static_cast<int64_t>(members.size()) > most_factorised) return;
  for (int changes = 0; changes < most_changes && !members.empty(); ++changes) {
    pacer.checkpoint();
    const std::vector<double> step = newton_step(members, price);
    if (step.empty()) return;
    double length = 1;
    size_t blocking = members.size();
    for (size_t a = 0; a < members.size(); ++a) {
      const double w = now_[members[a]];
      if (price[members[a]] == 0 || w * (w + length * step[a]) >= 0) continue;
      length = -w / step[a];
      blocking = a;
    }
    for (size_t a = 0; a < members.size(); ++a) {
      if (a == blocking) {
        move(members[a], -now_[members[a]]);
        now_[members[a]] = 0;
      } else {
        move(members[a], length * step[a]);
      }
    }
    if (blocking == members.size()) return;
    members.erase(members.begin() + static_cast<int64_t>(blocking));
  }
}

template <class T>
std::vector<double> L1Model<T>::minimise(const std::vector<double>& weights,
                                         const std::vector<double>& price,
                                         threads::Pacer& pacer) {
  now_ = weights;
  double wanted = 0;
  for (int sweeps = 0; sweeps < most_sweeps; ++sweeps) {
    pacer.checkpoint();
    const double gap = sweep(price).gap();
    if (sweeps == 0) wanted = rough * gap;
    if (gap <= wanted) break;
    if (sweeps % sweeps_between == sweeps_between - 1) follow_signs(price, pacer);
  }
  std::vector<double> step(size_);
  for (int64_t k = 0; k < size_; ++k) step[k] = now_[k] - weights[k];
  return step;
}

template class L1Model<float>;
template class L1Model<double>;

}  // namespace maxmargin::linear
