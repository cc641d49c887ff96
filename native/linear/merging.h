// Points of one class whose rows are equal, merged into one: their constraints differ in what their
// slack costs alone, so one constraint with the price of all does as well.
//
// Their multipliers enter the dual by their sum, or with a squared loss by each one's share of it:
// the price of a squared slack is 1 / (2 ridge), so merged prices add up as 1 / ridge.
#pragma once

#include <cstdint>
#include <vector>

#include "matrix.h"
#include "program.h"
#include "subset.h"

namespace maxmargin::linear {

// Looks for repeats when first asked.
template <class T>
class Repeats {
 public:
  explicit Repeats(const Matrix<T>& data) : data_(data) {}

  // For each row the first one that equals it; empty where too few repeat others for merging to pay.
  const std::vector<int64_t>& first();

 private:
  const Matrix<T>& data_;
  bool is_known_ = false;
  std::vector<int64_t> first_;
};

// One program over the points that are left.
template <class T>
class MergedPoints {
 public:
  // `first` is not empty, and the program has one constraint a point.
  MergedPoints(const Matrix<T>& data, const Program& program, const std::vector<int64_t>& first);

  const Matrix<T>& data() const { return rows_.view(); }
  const Program& program() const { return view_; }

  // Multipliers of all points as those of the merged ones, and back.
  std::vector<double> merge(const std::vector<double>& multipliers) const;
  std::vector<double> split(const std::vector<double>& multipliers) const;

 private:
  void choose_owners(const std::vector<int64_t>& first);
  void add_prices();
  double price(int64_t i) const {
    return program_.is_squared() ? 1 / program_.ridge[i] : program_.cost[i];
  }

  const Program& program_;
  OwnProgram merged_;
  Program view_;  // of it
  RowSubset<T> rows_;
  std::vector<int64_t> owner_;  // of each point: the merged one
  std::vector<int64_t> kept_;   // of each merged point: its first one
  std::vector<double> prices_;  // of each merged point
};

}  // namespace maxmargin::linear
