// The weighted sum of the outer products of sparse rows, for weights of which few change at a time:
// what has changed is added.
//
// Threads have columns of their own, so that every entry is summed in the order of the rows however
// many threads there are.
#pragma once

#include <cstdint>
#include <vector>

#include "matrix.h"
#include "sums.h"

namespace maxmargin::linear {

template <class T>
class ChangingGram {
 public:
  // Without a bias the constant feature is zero.
  ChangingGram(const Matrix<T>& data, bool has_bias);

  // The lower triangle of sum_r weight_r z_r z_r', z_r = (x_r, 1), row by row. One weight a row.
  const std::vector<double>& of(const std::vector<double>& weights, const Execution& execution);

 private:
  void forget();
  void change_to(const std::vector<double>& weights, int64_t n_changed, const Execution& execution);
  void add_changes(const Execution& execution);
  void add_changes(int64_t first_column, int64_t end_column);
  std::vector<int64_t> shares(int64_t n_shares) const;
  bool is_rounded_off();

  const Matrix<T>& data_;
  const bool has_bias_;
  const int64_t size_;  // features and bias
  std::vector<double> matrix_, weights_;
  std::vector<double> largest_;  // of each diagonal entry since all was added up
  std::vector<int64_t> changed_;
  std::vector<double> change_;
};

}  // namespace maxmargin::linear
