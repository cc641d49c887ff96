#include "changing_gram.h"

#include <algorithm>

namespace maxmargin::linear {
namespace {

// What rounding may leave of entries that were taken away, as a share of a diagonal entry plus one.
constexpr double residue = 1e-16, tolerable = 1e-6;

// One row in so many tells what the columns cost.
constexpr int64_t sampled = 16;

}  // namespace

template <class T>
ChangingGram<T>::ChangingGram(const Matrix<T>& data, bool has_bias)
    : data_(data), has_bias_(has_bias), size_(data.n_columns + 1), largest_(size_) {}

template <class T>
const std::vector<double>& ChangingGram<T>::of(const std::vector<double>& weights,
                                               const Execution& execution) {
  if (matrix_.empty()) matrix_.resize(size_ * size_), weights_.resize(data_.n_rows);
  int64_t n_changed = 0, n_used = 0;
  for (int64_t row = 0; row < data_.n_rows; ++row) {
    n_changed += weights[row] != weights_[row];
    n_used += weights[row] != 0;
  }
  if (n_used < n_changed) forget();
  change_to(weights, std::min(n_used, n_changed), execution);
  if (is_rounded_off()) {
    forget();
    change_to(weights, n_used, execution);
  }
  return matrix_;
}

template <class T>
void ChangingGram<T>::forget() {
  std::fill(matrix_.begin(), matrix_.end(), 0.0);
  std::fill(largest_.begin(), largest_.end(), 0.0);
  std::fill(weights_.begin(), weights_.end(), 0.0);
}

// Without branches: which weights change cannot be foreseen.
template <class T>
void ChangingGram<T>::change_to(const std::vector<double>& weights, int64_t n_changed,
                                const Execution& execution) {
  changed_.resize(n_changed + 1);
  change_.resize(n_changed + 1);
  for (int64_t row = 0, k = 0; row < data_.n_rows; ++row) {
    changed_[k] = row;
    change_[k] = weights[row] - weights_[row];
    k += weights[row] != weights_[row];
  }
  changed_.pop_back();
  change_.pop_back();
  add_changes(execution);
  weights_ = weights;
}

// Columns that end the shares of about equal work; an entry costs as many products as entries go
// before it.
template <class T>
std::vector<int64_t> ChangingGram<T>::shares(int64_t n_shares) const {
  std::vector<double> work(data_.n_columns, 0.0);
  double total = 0;
  for (size_t k = 0; k < changed_.size(); k += sampled) {
    const int64_t begin = data_.starts[changed_[k]], end = data_.starts[changed_[k] + 1];
    for (int64_t e = begin; e < end; ++e) {
      work[data_.columns[e]] += static_cast<double>(e - begin + 1);
      total += static_cast<double>(e - begin + 1);
    }
  }
  std::vector<int64_t> ends;
  double sum = 0;
  for (int64_t c = 0; c < data_.n_columns; ++c) {
    sum += work[c];
    const auto wanted = static_cast<double>(ends.size() + 1) / static_cast<double>(n_shares);
    if (sum >= wanted * total) ends.push_back(c + 1);
  }
  ends.resize(n_shares, data_.n_columns);
  ends.back() = data_.n_columns;
  return ends;
}

template <class T>
void ChangingGram<T>::add_changes(const Execution& execution) {
  const std::vector<int64_t> ends = shares(std::max(1, execution.n_threads));
  const auto run = [&](int64_t share, threads::Worker&) {
    add_changes(share == 0 ? 0 : ends[share - 1], ends[share]);
  };
  threads::parallel_for(static_cast<int64_t>(ends.size()), execution.n_threads, run,
                        execution.should_stop);
  for (const double change : change_) matrix_.back() += has_bias_ ? change : 0.0;
  for (int64_t c = 0; c < size_; ++c) {
    largest_[c] = std::max(largest_[c], matrix_[c * size_ + c]);
  }
}

template <class T>
void ChangingGram<T>::add_changes(int64_t first_column, int64_t end_column) {
  double* last = matrix_.data() + (size_ - 1) * size_;
  for (size_t k = 0; k < changed_.size(); ++k) {
    const int64_t begin = data_.starts[changed_[k]], end = data_.starts[changed_[k] + 1];
    int64_t e = begin;
    while (e < end && data_.columns[e] < first_column) ++e;
    for (; e < end && data_.columns[e] < end_column; ++e) {
      const double scaled = change_[k] * static_cast<double>(data_.values[e]);
      double* own = matrix_.data() + data_.columns[e] * size_;
      for (int64_t f = begin; f <= e; ++f) {
        own[data_.columns[f]] += scaled * static_cast<double>(data_.values[f]);
      }
      last[data_.columns[e]] += has_bias_ ? scaled : 0.0;
    }
  }
}

template <class T>
bool ChangingGram<T>::is_rounded_off() {
  for (int64_t c = 0; c < size_; ++c) {
    if (residue * largest_[c] > tolerable * (1 + matrix_[c * size_ + c])) return true;
  }
  return false;
}

template class ChangingGram<float>;
template class ChangingGram<double>;

}  // namespace maxmargin::linear
