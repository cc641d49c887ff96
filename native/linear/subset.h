// Some rows of a matrix and the constraints of these points, copied side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "matrix.h"
#include "program.h"

namespace maxmargin::linear {

template <class T>
class RowSubset {
 public:
  RowSubset() = default;
  RowSubset(const RowSubset&) = delete;
  RowSubset& operator=(const RowSubset&) = delete;

  // Copies the rows; keeps the memory of an earlier call.
  void assign(const Matrix<T>& data, const std::vector<int64_t>& rows) {
    view_ = data;
    view_.n_rows = static_cast<int64_t>(rows.size());
    if (data.is_sparse()) {
      copy_sparse(data, rows);
    } else {
      copy_dense(data, rows);
    }
  }

  const Matrix<T>& view() const { return view_; }

 private:
  void copy_dense(const Matrix<T>& data, const std::vector<int64_t>& rows) {
    const int64_t d = data.n_columns;
    values_.resize(rows.size() * d);
    T* to = values_.data();
    for (const int64_t row : rows) {
      const T* from = data.values + row * data.row_stride;
      for (int64_t c = 0; c < d; ++c) to[c] = from[c * data.column_stride];
      to += d;
    }
    view_.values = values_.data();
    view_.row_stride = d;
    view_.column_stride = 1;
  }

  void copy_sparse(const Matrix<T>& data, const std::vector<int64_t>& rows) {
    starts_.assign(1, 0);
    for (const int64_t row : rows) {
      starts_.push_back(starts_.back() + data.starts[row + 1] - data.starts[row]);
    }
    values_.resize(starts_.back());
    columns_.resize(starts_.back());
    for (size_t k = 0; k < rows.size(); ++k) {
      const int64_t from = data.starts[rows[k]], count = starts_[k + 1] - starts_[k];
      std::copy_n(data.values + from, count, values_.data() + starts_[k]);
      std::copy_n(data.columns + from, count, columns_.data() + starts_[k]);
    }
    view_.values = values_.data();
    view_.starts = starts_.data();
    view_.columns = columns_.data();
  }

  Matrix<T> view_{};
  std::vector<T> values_;
  std::vector<int64_t> starts_;
  std::vector<int32_t> columns_;
};

// The constraints of some points, their costs multiplied.
inline OwnProgram constraints_of(const Program& program, const std::vector<int64_t>& points,
                                 double factor = 1) {
  OwnProgram part;
  part.n_points = static_cast<int64_t>(points.size());
  part.sides = program.sides;
  part.bias_weight = program.bias_weight;
  for (int32_t side = 0; side < program.sides; ++side) {
    for (const int64_t point : points) {
      const int64_t i = side * program.n_points + point;
      part.sign.push_back(program.sign[i]);
      part.linear.push_back(program.linear[i]);
      part.cost.push_back(factor * program.cost[i]);
      part.ridge.push_back(program.ridge[i]);
    }
  }
  return part;
}

}  // namespace maxmargin::linear
