#include "newton_system.h"

#include <algorithm>

#include "windows.h"

namespace maxmargin::linear {
namespace {

// Features up to which the system is factorised.
constexpr int64_t most_factorised = 2000;

// Conjugate gradients end at this share of the right-hand side.
constexpr double rough = 0.05;
constexpr int64_t most_gradients = 500;

// Tried where the system itself has no factor.
constexpr double least_ridge = 1e-14;
constexpr int most_ridges = 7;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

struct VectorSum {
  std::vector<double> values;
  VectorSum& operator+=(const VectorSum& other) {
    add_to(values, other.values);
    return *this;
  }
};

}  // namespace

template <class T>
NewtonSystem<T>::NewtonSystem(const Matrix<T>& data, const Program& program,
                              const Execution& execution)
    : data_(data),
      program_(program),
      execution_(execution),
      size_(data.n_columns + 1),
      dense_gram_(RowTasks::of(data.n_rows, data.n_entries(), size_ * size_),
                  GramSum<T>(data.is_sparse() ? 0 : data.n_columns)),
      sparse_gram_(data, program.has_bias()),
      light_tasks_(RowTasks::of(data.n_rows, data.n_entries(), size_)) {}

template <class T>
double NewtonSystem<T>::regularisation(int64_t c) const {
  return c + 1 < size_ ? 1.0 : program_.has_bias() ? program_.bias_weight : 1.0;
}

template <class T>
bool NewtonSystem<T>::is_factorised() const {
  return size_ <= most_factorised;
}

template <class T>
std::vector<double> NewtonSystem<T>::solve(const std::vector<double>& weights,
                                           const std::vector<double>& right) {
  return is_factorised() ? by_factorising(weights, right) : by_conjugate_gradients(weights, right);
}

// X'DX
template <class T>
const std::vector<double>& NewtonSystem<T>::gram(const std::vector<double>& weights) {
  if (data_.is_sparse()) return sparse_gram_.of(weights, execution_);
  const auto visit = [&](int64_t begin, int64_t end, GramSum<T>& sum, threads::Worker& worker) {
    for_each_window(data_, begin, end, worker,
                    [&](const Matrix<T>& rows, int64_t first, int64_t last) {
      const double* own = weights.data() + first;
      if (std::any_of(own, own + (last - first), [](double w) { return w > 0; })) sum.add(rows, own);
    });
  };
  std::vector<double>& matrix = dense_gram_.over_rows(execution_, visit).matrix();
  if (!program_.has_bias()) std::fill(matrix.end() - size_, matrix.end(), 0.0);
  return matrix;
}

template <class T>
std::vector<double> NewtonSystem<T>::by_factorising(const std::vector<double>& weights,
                                                    const std::vector<double>& right) {
  const double* matrix = gram(weights).data();
  std::vector<double> ridge(size_);
  for (int64_t c = 0; c < size_; ++c) ridge[c] = regularisation(c);
  double added = 0;
  for (int tries = 0; !cholesky_.factorise(matrix, ridge); ++tries) {
    if (tries == most_ridges) return {};
    const double larger = added == 0 ? least_ridge : 100 * added;
    for (double& value : ridge) value += larger - added;
    added = larger;
  }
  std::vector<double> solution = right;
  cholesky_.solve(solution);
  return solution;
}

template <class T>
std::vector<double> NewtonSystem<T>::times(const std::vector<double>& weights,
                                           const std::vector<double>& step) const {
  const double bias = program_.has_bias() ? step.back() : 0.0;
  VectorSum total = sum_over_rows(
      light_tasks_, VectorSum{std::vector<double>(size_)}, execution_,
      [&](int64_t begin, int64_t end, VectorSum& sum, threads::Worker& worker) {
        for_each_window(data_, begin, end, worker,
                        [&](const Matrix<T>& rows, int64_t first, int64_t last) {
          for (int64_t r = first; r < last; ++r) {
            if (weights[r] == 0) continue;
            const double scaled = weights[r] * (rows.dot(r - first, step.data()) + bias);
            rows.add(r - first, scaled, sum.values.data());
            sum.values[size_ - 1] += scaled;
          }
        });
      });
  for (int64_t c = 0; c < size_; ++c) total.values[c] += regularisation(c) * step[c];
  if (!program_.has_bias()) total.values.back() = step.back();
  return total.values;
}

template <class T>
std::vector<double> NewtonSystem<T>::by_conjugate_gradients(
    const std::vector<double>& weights, const std::vector<double>& right) const {
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

template class NewtonSystem<float>;
template class NewtonSystem<double>;

}  // namespace maxmargin::linear
