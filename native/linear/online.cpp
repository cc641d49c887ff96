#include "online.h"

#include <algorithm>
#include <cmath>

#include "../threads/pacer.h"
#include "adaptive.h"

namespace maxmargin::linear {
namespace {

// Factors below this are multiplied into the vectors.
constexpr double smallest_factor = 1e-6;

// Rows between two looks at the clock; all machines learn them before the next ones.
constexpr int64_t rows_at_once = 512;

template <class T>
double squared_norm(const Matrix<T>& data, int64_t row) {
  const int64_t begin = data.is_sparse() ? data.starts[row] : row * data.row_stride;
  const int64_t n = data.is_sparse() ? data.starts[row + 1] - begin : data.n_columns;
  const T* entry = data.values + begin;
  double sums[4] = {};
  int64_t k = 0;
  for (; k + 4 <= n; k += 4) {
    for (int l = 0; l < 4; ++l) {
      const auto value = static_cast<double>(entry[k + l]);
      sums[l] += value * value;
    }
  }
  for (; k < n; ++k) sums[0] += static_cast<double>(entry[k]) * static_cast<double>(entry[k]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Proximal and Pegasos steps, of the same length for all features.
template <class T>
class UniformMachine {
 public:
  UniformMachine(const OnlineRule& rule, const OnlineState& state, int64_t n_columns)
      : rule_(rule), now_(*state.numbers), v_(state.vectors), u_(v_ + n_columns),
        n_columns_(n_columns) {}

  void learn(const Matrix<T>& data, int64_t row, double sign, double importance, double price) {
    const double raw = data.dot(row, v_), own = squared_norm(data, row);
    const double mean_score =
        now_.share * (data.dot(row, u_) + now_.carried * raw) + now_.mean_bias;
    const double feature = rule_.bias_is_scaled ? 0 : rule_.bias_square;
    const double recent = now_.see(rule_, importance, price, sign * mean_score, own + feature);
    const double bias_square = rule_.bias_is_scaled ? rule_.bias_square * now_.size : feature;

    const bool is_pegasos = rule_.step == OnlineStep::pegasos;
    const double amount =
        is_pegasos ? by_subgradient(sign, importance, price, raw)
                   : by_proximity(sign, importance, price, raw, own + bias_square, bias_square);
    if (amount != 0) {
      const double entry = sign * amount / now_.scale;
      now_.norm += amount * (2 * sign * now_.scale * raw + amount * own);
      data.add(row, entry, v_);
      if (now_.carried != 0) data.add(row, -now_.carried * entry, u_);
      now_.bias += sign * amount * bias_square;
    }
    if (is_pegasos) project();
    take_mean(recent);
  }

 private:
  void shrink(double factor) {
    now_.scale *= factor;
    now_.norm *= factor * factor;
    if (rule_.bias_shrinks) now_.bias *= factor;
  }

  // Both return by how much of the row, times its sign, the weights are to grow.
  double by_subgradient(double sign, double importance, double price, double raw) {
    const double margin = sign * (now_.scale * raw + now_.bias);
    const double kept = 1 - importance / now_.seen;
    // At first the weights are zero anyway.
    if (kept > 0) shrink(kept);
    return margin < 1 ? importance * price / (rule_.lambda * now_.seen) : 0.0;
  }

  double by_proximity(double sign, double importance, double price, double raw, double square,
                      double bias_square) {
    const double length = importance * 2 / (rule_.lambda * (now_.seen + importance));
    shrink(1 / (1 + length * rule_.lambda));
    now_.bias -= length * rule_.bias_slope * bias_square;
    const double slack = std::max(0.0, 1 - sign * (now_.scale * raw + now_.bias));
    if (slack == 0 || square == 0) return 0;
    const double reach = length * price;
    if (rule_.loss == OnlineLoss::hinge) return std::min(reach, slack / square);
    return 2 * reach * slack / (1 + 2 * reach * square);
  }

  void project() {
    const double radius = rule_.highest_price / rule_.lambda;
    const double reached = now_.norm + now_.bias * now_.bias;
    if (reached > radius) shrink(std::sqrt(radius / reached));
  }

  void take_mean(double recent) {
    if (recent < 1) {
      now_.share *= 1 - recent;
      now_.carried += recent * now_.scale / now_.share;
    } else {  // the first row: u is still zero
      now_.share = 1;
      now_.carried = now_.scale;
    }
    now_.mean_bias += recent * (now_.bias - now_.mean_bias);
    if (std::min(now_.scale, now_.share) < smallest_factor) fold();
  }

  void fold() {
    now_.norm = 0;
    for (int64_t c = 0; c < n_columns_; ++c) {
      u_[c] = now_.share * (u_[c] + now_.carried * v_[c]);
      v_[c] *= now_.scale;
      now_.norm += v_[c] * v_[c];
    }
    now_.scale = now_.share = 1;
    now_.carried = 0;
  }

  const OnlineRule& rule_;
  OnlineNumbers& now_;
  double* v_;
  double* u_;
  int64_t n_columns_;
};

// Some rows in the order of learning, with contiguous entries: those of the data, or copies.
template <class T>
class Block {
 public:
  explicit Block(const Matrix<T>& data) : data_(data), copies_(data) {}

  void load(const int64_t* order, int64_t n) {
    if (data_.has_contiguous_rows()) return;
    entries_.resize(n * data_.n_columns);
    for (int64_t c = 0; c < data_.n_columns; ++c) {
      const T* column = data_.values + c * data_.column_stride;
      for (int64_t k = 0; k < n; ++k) {
        entries_[k * data_.n_columns + c] = column[order[k] * data_.row_stride];
      }
    }
    copies_.n_rows = n;
    copies_.values = entries_.data();
    copies_.row_stride = data_.n_columns;
    copies_.column_stride = 1;
  }

  const Matrix<T>& rows() const { return data_.has_contiguous_rows() ? data_ : copies_; }
  int64_t place(int64_t k, int64_t row) const { return data_.has_contiguous_rows() ? row : k; }

 private:
  const Matrix<T>& data_;
  Matrix<T> copies_;
  std::vector<T> entries_;
};

}  // namespace

template <class T>
int64_t learn_online(const Matrix<T>& data, const OnlineRows& rows, const OnlineRule& rule,
                     const std::vector<OnlineState>& machines, int n_threads,
                     const threads::ShouldStop& should_stop) {
  const auto n_machines = static_cast<int64_t>(machines.size());
  threads::Pacer pacer(should_stop);
  Block<T> block(data);
  for (int64_t begin = 0; begin < rows.n_rows; begin += rows_at_once) {
    try {
      pacer.checkpoint();
    } catch (const threads::Interrupted&) {
      return begin;
    }
    const int64_t n = std::min(rows_at_once, rows.n_rows - begin);
    const int64_t* order = rows.order + begin;
    block.load(order, n);
    const auto learn_by = [&](int64_t k, auto machine) {
      const int64_t positive = n_machines == 1 ? 1 : k;
      for (int64_t j = 0; j < n; ++j) {
        const int64_t row = order[j];
        if (j + 1 < n) block.rows().prefetch(block.place(j + 1, order[j + 1]));
        const double sign = rows.labels[row] == positive ? 1.0 : -1.0;
        machine.learn(block.rows(), block.place(j, row), sign, rows.importance[row],
                      rows.prices[rows.labels[row]]);
      }
    };
    const auto learn = [&](int64_t k) {
      if (rule.step == OnlineStep::adaptive) {
        learn_by(k, AdaptiveMachine<T>(rule, machines[k], data.n_columns));
      } else {
        learn_by(k, UniformMachine<T>(rule, machines[k], data.n_columns));
      }
    };
    if (n_machines == 1) {
      learn(0);
    } else {
      threads::parallel_for(n_machines, n_threads,
                            [&](int64_t k, threads::Worker&) { learn(k); }, {});
    }
  }
  return rows.n_rows;
}

template int64_t learn_online(const Matrix<float>&, const OnlineRows&, const OnlineRule&,
                              const std::vector<OnlineState>&, int, const threads::ShouldStop&);
template int64_t learn_online(const Matrix<double>&, const OnlineRows&, const OnlineRule&,
                              const std::vector<OnlineState>&, int, const threads::ShouldStop&);

}  // namespace maxmargin::linear
