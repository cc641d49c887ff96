// The kernel's part of a program's gradient, kept up to date by rows from the store.
//
// Its columns are the points of all segments of the store in which the program has a point. What
// some of the variables add to it can be kept apart.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../rows/store.h"
#include "program.h"

namespace maxmargin::decomposition {

// What a step did to a variable, as a coefficient of its point.
struct Change {
  int64_t variable, point;
  double amount;
  bool is_free;  // whether the variable ended between its bounds, and so will change again
};

template <class T>
class Similarities {
 public:
  Similarities(rows::RowStore<T>& store, const Program& program);

  rows::RowStore<T>& store() { return store_; }

  // sum_j b_j k(x_j, x) at the point x of a variable.
  double at(int64_t variable) const {
    return column_[variable] < 0 ? 0.0 : values_[column_[variable]];
  }

  // At all columns.
  const std::vector<double>& values() const { return values_; }
  void set(std::vector<double> values) { values_ = base_ = std::move(values); }

  // What each part has got by `add`, part by part.
  const std::vector<double>& parts() const { return parts_; }

  // Adds amount times k(point, x) everywhere, for each change.
  void add(const std::vector<Change>& changes, const rows::Execution& execution);

  // The same for several programs over the same points, none of which keeps parts apart: a row that
  // more than one of them wants is read, or computed, once.
  static void add_to_all(std::span<Similarities* const> all,
                         std::span<const std::vector<Change>> changes,
                         const rows::Execution& execution);

  // Whether all of a point's row is kept.
  bool is_kept(int64_t point);

  // Takes the values at some points out of a kept row.
  void gather(int64_t point, const std::vector<int64_t>& points, T* out) const;

 private:
  struct View {  // a segment of the store, as columns of this program
    int64_t segment, offset;
  };

  rows::RowStore<T>& store_;
  const Program& program_;
  std::vector<View> views_;
  std::vector<int64_t> column_;  // by variable; -1 without a point
  std::vector<double> values_;   // by column
  // By part and column; with the base, where they began, they add up to the values.
  std::vector<double> parts_, base_;
};

}  // namespace maxmargin::decomposition
