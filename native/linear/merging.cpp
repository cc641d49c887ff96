#include "merging.h"

#include <cmath>

#include "../rows/duplicates.h"

namespace maxmargin::linear {
namespace {

// With a smaller share of repeated rows merging does not pay.
constexpr double least_share = 0.05;

}  // namespace

// Dense rows repeat others too rarely to look for them.
template <class T>
const std::vector<int64_t>& Repeats<T>::first() {
  if (is_known_ || !data_.is_sparse()) return first_;
  is_known_ = true;
  first_ = rows::first_alike(
      kernels::Rows<T>{data_.n_rows, data_.n_columns, data_.values, data_.starts, data_.columns});
  int64_t n_repeated = 0;
  for (int64_t row = 0; row < data_.n_rows; ++row) n_repeated += first_[row] != row;
  const bool pays = static_cast<double>(n_repeated) > least_share * static_cast<double>(data_.n_rows);
  if (!pays) first_.clear();
  return first_;
}

template <class T>
MergedPoints<T>::MergedPoints(const Matrix<T>& data, const Program& program,
                              const std::vector<int64_t>& first)
    : program_(program) {
  choose_owners(first);
  merged_ = constraints_of(program, kept_);
  add_prices();
  view_ = merged_.view();
  rows_.assign(data, kept_);
}

// Equal rows stay apart where their classes or their linear terms differ, or slack has no price.
template <class T>
void MergedPoints<T>::choose_owners(const std::vector<int64_t>& first) {
  constexpr int64_t none = -1;
  std::vector<int64_t> up(first.size(), none), down(first.size(), none);
  owner_.resize(first.size());
  for (int64_t row = 0; row < static_cast<int64_t>(first.size()); ++row) {
    int64_t& found = (program_.sign[row] > 0 ? up : down)[first[row]];
    const bool is_known = found != none && program_.linear[kept_[found]] == program_.linear[row] &&
                          std::isfinite(price(row)) && std::isfinite(price(kept_[found]));
    owner_[row] = is_known ? found : static_cast<int64_t>(kept_.size());
    if (!is_known) kept_.push_back(row);
    if (found == none) found = owner_[row];
  }
}

template <class T>
void MergedPoints<T>::add_prices() {
  prices_.assign(kept_.size(), 0.0);
  for (size_t i = 0; i < owner_.size(); ++i) prices_[owner_[i]] += price(i);
  for (size_t k = 0; k < kept_.size(); ++k) {
    if (program_.is_squared()) {
      merged_.ridge[k] = 1 / prices_[k];
    } else {
      merged_.cost[k] = prices_[k];
    }
  }
}

template <class T>
std::vector<double> MergedPoints<T>::merge(const std::vector<double>& multipliers) const {
  if (multipliers.empty()) return {};
  std::vector<double> sums(kept_.size(), 0.0);
  for (size_t i = 0; i < owner_.size(); ++i) sums[owner_[i]] += multipliers[i];
  return sums;
}

// Each gets its share by price; those of a multiplier at its bound are exactly at theirs.
template <class T>
std::vector<double> MergedPoints<T>::split(const std::vector<double>& multipliers) const {
  std::vector<double> parts(owner_.size());
  for (size_t i = 0; i < owner_.size(); ++i) {
    const int64_t k = owner_[i];
    const bool is_alone = price(i) == prices_[k], is_full = multipliers[k] >= merged_.cost[k];
    parts[i] = is_alone  ? multipliers[k]
               : is_full ? program_.cost[i]
                         : multipliers[k] * (price(i) / prices_[k]);
  }
  return parts;
}

template class Repeats<float>;
template class Repeats<double>;
template class MergedPoints<float>;
template class MergedPoints<double>;

}  // namespace maxmargin::linear
