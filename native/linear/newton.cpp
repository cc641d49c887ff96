#include "newton.h"

#include <algorithm>
#include <cmath>

namespace maxmargin::linear {
namespace {

// Features up to which the system is factorised.
constexpr int64_t most_factorised = 2000;

// Conjugate gradients end at this share of the gradient.
constexpr double rough = 0.05;
constexpr int64_t most_gradients = 500;

// Tried where the system itself has no factor.
constexpr double least_ridge = 1e-14;
constexpr int most_ridges = 7;

// A step ends where this share of its first slope is left.
constexpr double flat = 1e-3;
constexpr int most_lengths = 60;

// Steps without progress, which mean rounding.
constexpr int64_t patience = 4;

constexpr int64_t window_rows = 128;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

// Calls act(window, first, last) for the rows [begin, end), a few at a time.
template <class T, class Act>
void for_each_window(const Matrix<T>& data, int64_t begin, int64_t end, threads::Worker& worker,
                     const Act& act) {
  RowWindow<T> window(data);
  for (int64_t first = begin; first < end; first += window_rows) {
    worker.checkpoint();
    const int64_t last = std::min(first + window_rows, end);
    act(window.at(first, last), first, last);
  }
}

struct VectorSum {
  std::vector<double> values;
  VectorSum& operator+=(const VectorSum& other) {
    add_to(values, other.values);
    return *this;
  }
};

}  // namespace

// The first two derivatives on a line.
template <class T>
struct PrimalNewton<T>::Bend {
  double first = 0, second = 0;

  Bend& operator+=(const Bend& other) {
    return first += other.first, second += other.second, *this;
  }
};

template <class T>
PrimalNewton<T>::PrimalNewton(const Matrix<T>& data, const Program& program, const Limits& limits,
                              const Execution& execution, const Report& report)
    : data_(data),
      program_(program),
      limits_(limits),
      execution_(execution),
      report_(report),
      smallest_value_(program.smallest_value()),
      best_(program.size(), data.n_columns),
      size_(data.n_columns + 1),
      dense_gram_(RowTasks::of(data.n_rows, data.n_entries(), size_ * size_),
                  GramSum<T>(data.is_sparse() ? 0 : data.n_columns)),
      sparse_gram_(data),
      light_tasks_(RowTasks::of(data.n_rows, data.n_entries(), size_)),
      price_(program.ridge) {
  for (double& value : price_) value = 1 / value;
}

template <class T>
double PrimalNewton<T>::regularisation(int64_t c) const {
  return c + 1 < size_ ? 1.0 : program_.has_bias() ? program_.bias_weight : 1.0;
}

// What the slacks of the points from `begin` on weigh in the Hessian. Without branches: which points
// have slack cannot be foreseen.
template <class T>
void PrimalNewton<T>::weigh(int64_t begin, int64_t end, double* weights) const {
  const double* score = score_.data();
  std::fill(weights, weights + (end - begin), 0.0);
  for (int64_t side = 0; side < program_.size(); side += program_.n_points) {
    const double* sign = program_.sign.data() + side;
    const double* linear = program_.linear.data() + side;
    const double* price = price_.data() + side;
    for (int64_t r = begin; r < end; ++r) {
      const bool has_slack = sign[r] * (score[r] + linear[r]) < 0;
      weights[r - begin] += static_cast<double>(has_slack) * price[r];
    }
  }
}

// a = slack / ridge
template <class T>
double PrimalNewton<T>::multiplier_now(int64_t i, int64_t r) const {
  return price_[i] * std::max(0.0, -program_.sign[i] * (score_[r] + program_.linear[i]));
}

// At the weights where the slacks of the points that have one now would be best, were all others free:
// there the multipliers make the weights themselves, but for those below zero.
template <class T>
double PrimalNewton<T>::multiplier_after(int64_t i, int64_t r, const double* change) const {
  const double reach = score_[r] + program_.linear[i];
  if (program_.sign[i] * reach >= 0) return 0;
  return price_[i] * std::max(0.0, -program_.sign[i] * (reach + change[r]));
}

// Over multiplier(i, r) of all constraints i, of point r.
template <class T>
template <class Multiplier>
DualSums PrimalNewton<T>::sums(const Multiplier& multiplier) const {
  return sum_over_rows(light_tasks_, DualSums::of(size_), execution_,
                       [&](int64_t begin, int64_t end, DualSums& sum, threads::Worker& worker) {
    for_each_window(data_, begin, end, worker,
                    [&](const Matrix<T>& rows, int64_t first, int64_t last) {
      for (int64_t r = first; r < last; ++r) {
        for (int64_t i = r; i < program_.size(); i += program_.n_points) {
          const double a = multiplier(i, r);
          if (a == 0) continue;
          SideSum& own = sum.side(program_.sign[i]);
          rows.add(r - first, a, own.combination.data());
          own.combination[size_ - 1] += a;
          own.linear += program_.linear[i] * a;
          own.ridge += 0.5 * program_.ridge[i] * a * a;
        }
      }
    });
  });
}

template <class T>
template <class Multiplier>
std::vector<double> PrimalNewton<T>::multipliers(const Multiplier& multiplier) const {
  std::vector<double> found(program_.size());
  for (int64_t i = 0; i < program_.size(); ++i) found[i] = multiplier(i, i % program_.n_points);
  return found;
}

template <class T>
std::vector<double> PrimalNewton<T>::gradient(const DualSums& now) const {
  std::vector<double> gradient = now.combination();
  for (int64_t c = 0; c < size_; ++c) gradient[c] = regularisation(c) * weights_[c] - gradient[c];
  if (!program_.has_bias()) gradient.back() = 0;
  return gradient;
}

// Slacks cost as much as their multipliers' ridges.
template <class T>
double PrimalNewton<T>::primal(const DualSums& now) const {
  double value = now.up.ridge + now.down.ridge;
  for (int64_t c = 0; c < size_; ++c) value += 0.5 * regularisation(c) * weights_[c] * weights_[c];
  return value;
}

template <class T>
std::vector<double> PrimalNewton<T>::direction(const std::vector<double>& gradient) {
  return size_ <= most_factorised ? by_factorising(gradient) : by_conjugate_gradients(gradient);
}

// X'DX over the points with slack.
template <class T>
std::vector<double> PrimalNewton<T>::gram() {
  if (data_.is_sparse()) {
    std::vector<double> weights(data_.n_rows);
    weigh(0, data_.n_rows, weights.data());
    return sparse_gram_.of(weights, execution_);
  }
  const auto visit = [&](int64_t begin, int64_t end, GramSum<T>& sum, threads::Worker& worker) {
    double weights[window_rows];
    for_each_window(data_, begin, end, worker,
                    [&](const Matrix<T>& rows, int64_t first, int64_t last) {
      weigh(first, last, weights);
      const bool any = std::any_of(weights, weights + (last - first), [](double w) { return w > 0; });
      if (any) sum.add(rows, weights);
    });
  };
  return dense_gram_.over_rows(execution_, visit).matrix();
}

template <class T>
std::vector<double> PrimalNewton<T>::by_factorising(const std::vector<double>& gradient) {
  std::vector<double> matrix = gram();
  for (int64_t c = 0; c < size_; ++c) matrix[c * size_ + c] += regularisation(c);
  if (!program_.has_bias()) {
    double* last = matrix.data() + (size_ - 1) * size_;
    std::fill_n(last, size_ - 1, 0.0);
    last[size_ - 1] = 1;
  }
  if (!cholesky_.factorise(matrix.data(), size_) &&
      !cholesky_.factorise_with_growing_ridge(matrix.data(), size_, least_ridge, most_ridges)) {
    return {};
  }
  std::vector<double> step = gradient;
  cholesky_.solve(step);
  for (double& value : step) value = -value;
  return step;
}

template <class T>
std::vector<double> PrimalNewton<T>::times_hessian(const std::vector<double>& step) const {
  const double bias = program_.has_bias() ? step.back() : 0.0;
  VectorSum total = sum_over_rows(
      light_tasks_, VectorSum{std::vector<double>(size_)}, execution_,
      [&](int64_t begin, int64_t end, VectorSum& sum, threads::Worker& worker) {
        for_each_window(data_, begin, end, worker,
                        [&](const Matrix<T>& rows, int64_t first, int64_t last) {
          double weights[window_rows];
          weigh(first, last, weights);
          for (int64_t r = first; r < last; ++r) {
            if (weights[r - first] == 0) continue;
            const double scaled = weights[r - first] * (rows.dot(r - first, step.data()) + bias);
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
std::vector<double> PrimalNewton<T>::by_conjugate_gradients(
    const std::vector<double>& gradient) const {
  std::vector<double> step(size_), residual(size_), towards;
  for (int64_t c = 0; c < size_; ++c) residual[c] = -gradient[c];
  towards = residual;
  double square = dot(residual, residual);
  const double enough = rough * rough * square;
  for (int64_t k = 0; k < most_gradients && square > enough; ++k) {
    const std::vector<double> image = times_hessian(towards);
    const double length = square / dot(towards, image);
    for (int64_t c = 0; c < size_; ++c) {
      step[c] += length * towards[c];
      residual[c] -= length * image[c];
    }
    const double next = dot(residual, residual), share = next / square;
    for (int64_t c = 0; c < size_; ++c) towards[c] = residual[c] + share * towards[c];
    square = next;
  }
  return step;
}

template <class T>
std::vector<double> PrimalNewton<T>::scores_of(const std::vector<double>& step) const {
  std::vector<double> scores(program_.n_points);
  const double bias = program_.has_bias() ? step.back() : 0.0;
  sum_over_rows(light_tasks_, Nothing{}, execution_,
                [&](int64_t begin, int64_t end, Nothing&, threads::Worker& worker) {
    for_each_window(data_, begin, end, worker,
                    [&](const Matrix<T>& rows, int64_t first, int64_t last) {
      for (int64_t r = first; r < last; ++r) scores[r] = rows.dot(r - first, step.data()) + bias;
    });
  });
  return scores;
}

// What the points from `begin` to `end` add to the first two derivatives on the line: sums side by
// side, without branches.
template <class T>
auto PrimalNewton<T>::bend(const std::vector<double>& change, double length, int64_t begin,
                           int64_t end) const -> Bend {
  constexpr int64_t width = 4;
  double first[width] = {}, second[width] = {};
  for (int64_t side = 0; side < program_.size(); side += program_.n_points) {
    const double* sign = program_.sign.data() + side;
    const double* linear = program_.linear.data() + side;
    const double* price = price_.data() + side;
    const auto add = [&](int64_t r, int64_t k) {
      const double reach = score_[r] + linear[r] + length * change[r];
      const bool has_slack = sign[r] * reach < 0;
      const double pull = static_cast<double>(has_slack) * change[r] * price[r];
      first[k] += pull * reach;
      second[k] += pull * change[r];
    };
    int64_t r = begin;
    for (; r + width <= end; r += width) {
      for (int64_t k = 0; k < width; ++k) add(r + k, k);
    }
    for (; r < end; ++r) add(r, 0);
  }
  return {first[0] + first[1] + first[2] + first[3], second[0] + second[1] + second[2] + second[3]};
}

// Newton's method on the line, whose derivative is increasing and piecewise linear; kept within a
// bracket. It ends where little is left of the slope.
template <class T>
double PrimalNewton<T>::best_length(const std::vector<double>& step,
                                    const std::vector<double>& change, double slope) const {
  double linear = 0, quadratic = 0;
  for (int64_t c = 0; c < size_; ++c) {
    linear += regularisation(c) * weights_[c] * step[c];
    quadratic += regularisation(c) * step[c] * step[c];
  }
  double low = 0, high = std::numeric_limits<double>::infinity(), length = 1;
  for (int k = 0; k < most_lengths; ++k) {
    const auto visit = [&](int64_t begin, int64_t end, Bend& sum, threads::Worker&) {
      sum += bend(change, length, begin, end);
    };
    const Bend at = sum_over_rows(light_tasks_, Bend{}, execution_, visit);
    const double first = linear + length * quadratic + at.first, second = quadratic + at.second;
    if (std::abs(first) <= flat * std::abs(slope)) return length;
    (first > 0 ? high : low) = length;
    const double next = length - first / second;
    const bool is_inside = next > low && next < high;
    length = is_inside ? next : std::isinf(high) ? 2 * length : 0.5 * (low + high);
  }
  return length;
}

// The multipliers of a whole step.
template <class T>
void PrimalNewton<T>::offer_dual(const std::vector<double>& change) {
  const auto multiplier = [&](int64_t i, int64_t r) {
    return multiplier_after(i, r, change.data());
  };
  best_.offer(std::numeric_limits<double>::infinity(), sums(multiplier).dual(program_),
              [](Machine&) {}, [&] { return multipliers(multiplier); });
}

template <class T>
Outcome PrimalNewton<T>::run(const std::vector<double>& weights, double bias) {
  Progress progress;
  double least = std::numeric_limits<double>::infinity();
  try {
    weights_ = weights.empty() ? std::vector<double>(data_.n_columns) : weights;
    weights_.push_back(program_.has_bias() ? bias : 0.0);
    score_ = scores_of(weights_);
    for (int64_t iteration = 0, in_vain = 0;; ++iteration) {
      const auto multiplier = [&](int64_t i, int64_t r) { return multiplier_now(i, r); };
      const DualSums now = sums(multiplier);
      const double value = primal(now), bound = now.dual(program_);
      if (!std::isfinite(Progress{iteration, value, bound, smallest_value_}.relative_gap())) {
        return {Ending::stalled, progress};
      }
      const auto give_weights = [&](Machine& machine) {
        machine.weights.assign(weights_.begin(), weights_.end() - 1);
        machine.bias = program_.has_bias() ? weights_.back() : 0.0;
      };
      best_.offer(value, bound, give_weights, [&] { return multipliers(multiplier); });
      progress = best_.progress(iteration, smallest_value_);
      const double gap = progress.relative_gap();
      in_vain = gap < least ? 0 : in_vain + 1;
      least = std::min(least, gap);
      report_(progress);
      if (gap <= limits_.gap) return {Ending::converged, progress};
      if (iteration >= limits_.most_iterations) return {Ending::iterations, progress};
      if (in_vain >= patience && gap < 1e-2) return {Ending::stalled, progress};
      const std::vector<double> down = gradient(now), step = direction(down);
      if (step.empty()) return {Ending::stalled, progress};
      const std::vector<double> change = scores_of(step);
      const double slope = dot(down, step);
      if (-0.5 * slope <= limits_.gap * value) {
        offer_dual(change);
        progress = best_.progress(iteration + 1, smallest_value_);
        if (progress.relative_gap() <= limits_.gap) {
          report_(progress);
          return {Ending::converged, progress};
        }
      }
      const double length = best_length(step, change, slope);
      for (int64_t c = 0; c < size_; ++c) weights_[c] += length * step[c];
      for (int64_t r = 0; r < program_.n_points; ++r) score_[r] += length * change[r];
    }
  } catch (const threads::Interrupted&) {
    return {Ending::interrupted, progress};
  }
}

template class PrimalNewton<float>;
template class PrimalNewton<double>;

}  // namespace maxmargin::linear
