// Points of one class whose rows are equal, merged into one: their constraints differ only in the
// penalty of their slack, so one constraint with the sum of the penalties does as well.
//
// Their multipliers enter the dual by their sum, or with a squared loss by each one's share of it:
// the penalty of a squared slack is 1 / (2 ridge), so merged penalties add up as 1 / ridge.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "../data/duplicates.h"
#include "../data/subset.h"
#include "qp.h"

namespace maxmargin::linear {

// For each row the first one that equals it; empty where fewer than 5% repeat another, so that merging
// does not pay. Dense rows are rarely equal, and not compared.
template <class T>
std::vector<int64_t> repeated_rows(const data::Matrix<T>& data) {
  constexpr double least_share = 0.05;
  if (!data.is_sparse()) return {};
  std::vector<int64_t> first = data::first_alike(
      kernels::Rows<T>{data.n_rows, data.n_columns, data.values, data.starts, data.columns});
  int64_t n_repeated = 0;
  for (int64_t row = 0; row < data.n_rows; ++row) n_repeated += first[row] != row;
  const auto share = static_cast<double>(n_repeated) / static_cast<double>(data.n_rows);
  return share > least_share ? first : std::vector<int64_t>();
}

// A QP with one constraint per point over the points that are left.
template <class T>
class MergedPoints {
 public:
  MergedPoints(const data::Matrix<T>& data, const BoxQP& qp, const std::vector<int64_t>& first)
      : qp_(qp), owner_(owners(first)), merged_(qp, kept_), penalties_(kept_.size()) {
    for (size_t i = 0; i < owner_.size(); ++i) penalties_[owner_[i]] += penalty(i);
    for (size_t k = 0; k < kept_.size(); ++k) {
      (qp.is_squared() ? merged_.ridge : merged_.cost)[k] =
          qp.is_squared() ? 1 / penalties_[k] : penalties_[k];
    }
    rows_.assign(data, kept_);
  }

  const data::Matrix<T>& data() const { return rows_.view(); }
  BoxQP qp() const { return merged_.view(); }

  // Multipliers of all points as those of the merged ones.
  std::vector<double> merge(const std::vector<double>& multipliers) const {
    std::vector<double> sums(multipliers.empty() ? 0 : kept_.size());
    for (size_t i = 0; i < multipliers.size(); ++i) sums[owner_[i]] += multipliers[i];
    return sums;
  }

  // And back: each point gets its share by penalty; those of a multiplier at its bound are exactly at
  // their own.
  std::vector<double> split(const std::vector<double>& multipliers) const {
    std::vector<double> parts(owner_.size());
    for (size_t i = 0; i < owner_.size(); ++i) {
      const int64_t k = owner_[i];
      const bool is_alone = penalty(i) == penalties_[k], is_full = multipliers[k] >= merged_.cost[k];
      parts[i] = is_alone  ? multipliers[k]
                 : is_full ? qp_.cost[i]
                           : multipliers[k] * (penalty(i) / penalties_[k]);
    }
    return parts;
  }

 private:
  double penalty(int64_t i) const { return qp_.is_squared() ? 1 / qp_.ridge[i] : qp_.cost[i]; }

  // Equal rows stay apart where their classes or linear terms differ, or their penalty is infinite.
  std::vector<int64_t> owners(const std::vector<int64_t>& first) {
    constexpr int64_t none = -1;
    std::vector<int64_t> up(first.size(), none), down(first.size(), none), owner(first.size());
    for (int64_t row = 0; row < static_cast<int64_t>(first.size()); ++row) {
      int64_t& found = (qp_.sign[row] > 0 ? up : down)[first[row]];
      const bool is_known = found != none && qp_.linear[kept_[found]] == qp_.linear[row] &&
                            std::isfinite(penalty(row)) && std::isfinite(penalty(kept_[found]));
      owner[row] = is_known ? found : static_cast<int64_t>(kept_.size());
      if (!is_known) kept_.push_back(row);
      if (found == none) found = owner[row];
    }
    return owner;
  }

  const BoxQP& qp_;
  std::vector<int64_t> kept_;   // of each merged point: its first one
  std::vector<int64_t> owner_;  // of each point: the merged one
  SubsetQP merged_;
  std::vector<double> penalties_;  // of each merged point
  data::RowSubset<T> rows_;
};

}  // namespace maxmargin::linear
