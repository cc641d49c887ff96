// The kernel expansion of a QP's variables, sum_j b_j k(x_j, x), kept up to date by rows from the store.
//
// Its columns are the points of all segments of the store in which the QP has a point. What some of
// the variables add to it can be kept apart.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../rows/store.h"
#include "qp.h"

namespace maxmargin::decomposition {

// What a step did to a variable, as a coefficient of its point.
struct Change {
  int64_t variable, point;
  double amount;
  bool is_free;  // whether the variable ended between its bounds, and so will change again
};

template <class T>
class Expansion {
 public:
  Expansion(rows::RowStore<T>& store, const QP& qp);

  rows::RowStore<T>& store() { return store_; }

  // At the point of a variable.
  double at(int64_t variable) const {
    return column_[variable] < 0 ? 0.0 : values_[column_[variable]];
  }

  // The points of the columns, in order.
  std::vector<int64_t> columns() const;
  // At all columns.
  const std::vector<double>& values() const { return values_; }
  // The parts stay what they are.
  void set(std::vector<double> values);
  void set_parts(std::vector<double> parts) { parts_ = std::move(parts); }
  // As if all variables had been multiplied by the factor; where no parts are kept apart.
  void scale(double factor) {
    for (double& value : values_) value *= factor;
  }

  // What each part has got by `add`, part by part.
  const std::vector<double>& parts() const { return parts_; }

  // Adds amount times k(point, x) everywhere, for each change. Rows that are computed on the way are
  // kept once they were wanted `caution` times as often as the source says.
  void add(const std::vector<Change>& changes, const rows::Execution& execution, int caution = 1);

  // The same for several QPs over the same points, none of which keeps parts apart: a row that more
  // than one of them wants is read, or computed, once.
  static void add_to_all(std::span<Expansion* const> all,
                         std::span<const std::vector<Change>> changes,
                         const rows::Execution& execution, int caution);

  // Whether all of a point's row is kept.
  bool is_kept(int64_t point);

  // Takes the values at some points out of a kept row: out[k] for each k of `order`, which visits the
  // points in the order in which they lie in memory.
  void gather(int64_t point, const std::vector<int64_t>& points, const std::vector<int32_t>& order,
              T* out) const;

 private:
  struct View {  // a segment of the store, as columns of this QP
    int64_t segment, offset;
  };

  rows::RowStore<T>& store_;
  const QP& qp_;
  std::vector<View> views_;
  std::vector<int64_t> column_;  // by variable; -1 without a point
  std::vector<double> values_;   // by column
  // By part and column; with the base, where they began, they add up to the values.
  std::vector<double> parts_, base_;
};

}  // namespace maxmargin::decomposition
