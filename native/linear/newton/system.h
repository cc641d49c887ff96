// The systems of Newton's method: R + X'DX over the points with slack, and a right-hand side.
//
// Solved by Cholesky where there are few features, otherwise by conjugate gradients.
#pragma once

#include <algorithm>
#include <vector>

#include "../gram.h"
#include "../row_sums.h"
#include "changing_gram.h"

namespace maxmargin::linear {

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

template <class T>
class NewtonSystem {
 public:
  NewtonSystem(const Matrix<T>& data, const BoxQP& qp, const Execution& execution)
      : data_(data), qp_(qp), execution_(execution) {}

  // The diagonal of R.
  double regularisation(int64_t c) const { return qp_.curvature(c + 1 == size_); }

  // `weights` are the entries of D. Empty where rounding leaves no factor.
  std::vector<double> solve(const std::vector<double>& weights, const std::vector<double>& right) {
    if (!is_factorised_) return by_conjugate_gradients(weights, right);
    const std::vector<double>& matrix = gram(weights);
    if (!factorise(cholesky_, matrix, qp_, size_)) return {};
    std::vector<double> solution = right;
    cholesky_.solve(solution);
    refine(matrix, right, solution);
    return solution;
  }

  // Whether points that come or go cost no more than their own part of the matrix.
  bool is_cheap_to_change() const { return data_.is_sparse() && is_factorised_; }

 private:
  // Features up to which the system is factorised.
  static constexpr int64_t most_factorised = 2000;
  // Conjugate gradients end when the residual is this share of the right-hand side.
  static constexpr double rough = 0.05;
  static constexpr int64_t most_gradients = 500;

  // X'DX
  const std::vector<double>& gram(const std::vector<double>& weights) {
    if (data_.is_sparse()) return sparse_gram_.of(weights, execution_);
    const auto visit = [&](const Matrix<T>& rows, int64_t first, int64_t last, GramSum<T>& sum) {
      const double* own = weights.data() + first;
      if (std::any_of(own, own + (last - first), [](double w) { return w > 0; })) sum.add(rows, own);
    };
    return dense_gram_.over_windows(data_, execution_, visit).matrix();
  }

  // One step of iterative refinement: where some points weigh 1e12 times as much as others, the factor
  // alone leaves nothing of the others.
  void refine(const std::vector<double>& matrix, std::vector<double> residual,
              std::vector<double>& solution) const {
    const auto& loops = simd::active_loops<double>();
    for (int64_t i = 0; i < size_; ++i) {
      const double* own = matrix.data() + i * size_;
      const double scale = -solution[i];
      loops.add_weighted(&own, &scale, 1, 0, i, residual.data());
      residual[i] -= loops.weigh(own, solution.data(), i + 1) + regularisation(i) * solution[i];
    }
    cholesky_.solve(residual);
    for (int64_t i = 0; i < size_; ++i) solution[i] += residual[i];
  }

  // (R + X'DX) step
  std::vector<double> times(const std::vector<double>& weights, const std::vector<double>& step) const {
    const double bias = qp_.has_bias() ? step.back() : 0.0;
    std::vector<double> total = sum_over_windows(
        data_, light_tasks_, std::vector<double>(size_), execution_,
        [&](const Matrix<T>& rows, int64_t first, int64_t last, std::vector<double>& sum) {
          for (int64_t r = first; r < last; ++r) {
            if (weights[r] == 0) continue;
            const double scaled = weights[r] * (rows.dot(r - first, step.data()) + bias);
            rows.add(r - first, scaled, sum.data());
            sum[size_ - 1] += scaled;
          }
        });
    for (int64_t c = 0; c < size_; ++c) total[c] += regularisation(c) * step[c];
    if (!qp_.has_bias()) total.back() = step.back();
    return total;
  }

  std::vector<double> by_conjugate_gradients(const std::vector<double>& weights,
                                             const std::vector<double>& right) const {
    std::vector<double> solution(size_), residual = right, towards = right;
    double square = dot(residual, residual);
    const double enough = rough * rough * square;
    for (int64_t k = 0; k < most_gradients && square > enough; ++k) {
      const std::vector<double> image = times(weights, towards);
      const double length = square / dot(towards, image);
      for (int64_t c = 0; c < size_; ++c) {
        solution[c] += length * towards[c];
        residual[c] -= length * image[c];
      }
      const double next = dot(residual, residual), share = next / square;
      for (int64_t c = 0; c < size_; ++c) towards[c] = residual[c] + share * towards[c];
      square = next;
    }
    return solution;
  }

  const Matrix<T>& data_;
  const BoxQP& qp_;
  const Execution& execution_;
  const int64_t size_ = data_.n_columns + 1;  // features and bias
  const bool is_factorised_ = size_ <= most_factorised;
  const double constant_ = qp_.has_bias() ? 1.0 : 0.0;
  const bool has_dense_gram_ = is_factorised_ && !data_.is_sparse();
  RepeatedSum<GramSum<T>> dense_gram_{RowTasks::of(data_, size_ * size_),
                                      GramSum<T>(has_dense_gram_ ? size_ - 1 : 0, constant_)};
  ChangingGram<T> sparse_gram_{data_, constant_};
  const RowTasks light_tasks_ = RowTasks::of(data_, size_);
  linalg::Cholesky cholesky_;
};

}  // namespace maxmargin::linear
