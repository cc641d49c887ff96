// The weighted sum of the outer products of sparse rows for weights of which few change at a time:
// only what has changed is added.
//
// Threads have columns of their own, so that every entry is summed in the order of the rows for any
// number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../gram.h"
#include "../row_sums.h"

namespace maxmargin::linear {

template <class T>
class ChangingGram {
 public:
  // `constant` is the feature of the bias, zero for none.
  ChangingGram(const Matrix<T>& data, double constant) : data_(data), constant_(constant) {}

  // The lower triangle of sum_r weight_r z_r z_r', z_r = (x_r, constant), row by row.
  const std::vector<double>& of(const std::vector<double>& weights, const Execution& execution) {
    if (matrix_.empty()) {
      matrix_.resize(size_ * size_);
      weights_.resize(data_.n_rows);
    }
    int64_t n_changed = 0, n_used = 0;
    for (int64_t row = 0; row < data_.n_rows; ++row) {
      n_changed += weights[row] != weights_[row];
      n_used += weights[row] != 0;
    }
    if (n_used < n_changed) reset();
    change_to(weights, std::min(n_used, n_changed), execution);
    if (has_lost_digits()) {
      reset();
      change_to(weights, n_used, execution);
    }
    return matrix_;
  }

 private:
  void reset() {
    for (auto* values : {&matrix_, &largest_, &weights_}) {
      std::fill(values->begin(), values->end(), 0.0);
    }
  }

  // Without branches, because which weights change cannot be predicted.
  void change_to(const std::vector<double>& weights, int64_t n_changed, const Execution& execution) {
    changed_.resize(n_changed + 1);
    change_.resize(n_changed + 1);
    for (int64_t row = 0, k = 0; row < data_.n_rows; ++row) {
      changed_[k] = row;
      change_[k] = weights[row] - weights_[row];
      k += weights[row] != weights_[row];
    }
    changed_.pop_back();
    change_.pop_back();
    weights_ = weights;
    const std::vector<int64_t> ends = shares(std::max(1, execution.n_threads));
    const auto run = [&](int64_t share, threads::Worker&) {
      add_changes(share == 0 ? 0 : ends[share - 1], ends[share]);
    };
    threads::parallel_for(static_cast<int64_t>(ends.size()), execution.n_threads, run,
                          execution.should_stop);
    for (const double change : change_) matrix_.back() += constant_ * change;
    for (int64_t c = 0; c < size_; ++c) {
      largest_[c] = std::max(largest_[c], matrix_[c * size_ + c]);
    }
  }

  void add_changes(int64_t first_column, int64_t end_column) {
    for (size_t k = 0; k < changed_.size(); ++k) {
      const auto row = data_.row(changed_[k]);
      int64_t begin = 0;
      while (begin < row.n_entries && row.columns[begin] < first_column) ++begin;
      int64_t end = end_column == data_.n_columns ? row.n_entries : begin;
      while (end < row.n_entries && row.columns[end] < end_column) ++end;
      add_products<T>(row, begin, end, change_[k], constant_, size_, matrix_.data());
    }
  }

  // Cuts the columns into shares of about equal work and returns their ends; entry e of a row costs
  // e + 1 products.
  std::vector<int64_t> shares(int64_t n_shares) const {
    constexpr size_t sampled = 16;  // one row in 16 is enough to estimate the work
    std::vector<double> work(data_.n_columns, 0.0);
    double total = 0, sum = 0;
    for (size_t k = 0; k < changed_.size(); k += sampled) {
      const auto row = data_.row(changed_[k]);
      for (int64_t e = 0; e < row.n_entries; ++e) {
        work[row.columns[e]] += static_cast<double>(e + 1);
        total += static_cast<double>(e + 1);
      }
    }
    std::vector<int64_t> ends;
    for (int64_t c = 0; c < data_.n_columns; ++c) {
      sum += work[c];
      const auto wanted = static_cast<double>(ends.size() + 1) / static_cast<double>(n_shares);
      if (sum >= wanted * total) ends.push_back(c + 1);
    }
    ends.resize(n_shares, data_.n_columns);
    ends.back() = data_.n_columns;
    return ends;
  }

  // Whether rounding errors of what was added and taken away again, about 1e-16 of the largest
  // value, may exceed 1e-6 of a diagonal entry of the Hessian.
  bool has_lost_digits() const {
    constexpr double rounding = 1e-16, tolerable = 1e-6;
    for (int64_t c = 0; c < size_; ++c) {
      if (rounding * largest_[c] > tolerable * (1 + matrix_[c * size_ + c])) return true;
    }
    return false;
  }

  const Matrix<T>& data_;
  const double constant_;
  const int64_t size_ = data_.n_columns + 1;
  std::vector<double> matrix_, weights_;
  std::vector<double> largest_ = std::vector<double>(size_);  // diagonal entries since the reset
  std::vector<int64_t> changed_;                              // rows
  std::vector<double> change_;                                // of their weights
};

}  // namespace maxmargin::linear
