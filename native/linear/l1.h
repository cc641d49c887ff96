// Coordinate descent for the l1 machine with squared hinge loss.
//
//   primal  min sum |w_j| + bias_price |b| + sum cost_i slack_i^2,
//           slack_i = max(0, 1 - sign_i (w'x_i + b))
//   dual    max sum a_i - a_i^2 / (4 cost_i),   a >= 0,
//           |sum sign_i a_i x_ij| <= 1 for every j,   |sum sign_i a_i| <= bias_price
//
// One weight at a time goes near its optimum by Newton's method on the line (Chang, Hsieh, Lin 2008;
// Yuan, Chang, Hsieh, Lin 2010), within a working set: the weights that are not zero and the features
// that violate the dual's constraints most. Within the set, features at zero that want to stay there
// are left out. Where a step of a second-order model pays for itself, it is taken in between. The
// pass that looks for violated constraints also makes a dual point, 2 cost_i slack_i scaled down to
// feasibility, and with it the gap.
#pragma once

#include <cstdint>
#include <vector>

#include "../threads/pacer.h"
#include "l1_line.h"
#include "l1_model.h"
#include "matrix.h"
#include "program.h"
#include "shuffler.h"

namespace maxmargin::linear {

struct L1Program {
  std::vector<double> sign, cost;
  double bias_price = 0;  // zero leaves the bias free, infinity means none

  int64_t n_points() const { return static_cast<int64_t>(sign.size()); }
  bool has_bias() const { return std::isfinite(bias_price); }
  bool has_free_bias() const { return bias_price == 0; }
};

template <class T>
class L1Descent {
 public:
  // `columns` holds a feature a row, with contiguous entries.
  L1Descent(const Matrix<T>& columns, const L1Program& program, const Limits& limits, uint64_t seed,
            const threads::ShouldStop& should_stop, const Report& report);

  // Starts from the given weights and bias; empty for zero.
  Outcome run(const std::vector<double>& weights, double bias);

  // The machine with the smallest gap so far, its multipliers made from its weights.
  Machine take_machine() { return std::move(best_); }

 private:
  void start(const std::vector<double>& weights, double bias);
  void improve(double wanted);
  GapEstimate sweep();
  bool visit(int64_t j, GapEstimate& seen);
  void descend(int64_t j, Slope slope, double share, int n_steps);
  template <bool is_moving>
  Slope pass(int64_t j, double change);
  bool model_pays();
  double follow_model();
  double best_length(const std::vector<int64_t>& features, const std::vector<double>& step,
                     const std::vector<double>& change) const;
  void rebuild_residuals();
  double primal_value() const;
  std::vector<double> multipliers() const;
  void balance(std::vector<double>& multipliers) const;
  void measure();
  void select();
  void keep_weights();
  void checkpoint_after(int64_t n_entries);
  int64_t n_entries(int64_t j) const;
  double price(int64_t j) const { return j == bias_ ? program_.bias_price : 1.0; }

  const Matrix<T>& columns_;
  const L1Program& program_;
  const Limits limits_;
  const Report& report_;
  threads::Pacer pacer_;
  Shuffler order_;
  const int64_t n_, bias_;       // points; the bias is the weight after the features'
  std::vector<double> weights_;  // features, then bias
  std::vector<L1Point> points_;
  std::vector<double> slope_;    // of the features, at the last measurement
  std::vector<int64_t> active_, candidates_;
  size_t n_active_ = 0;
  double shrink_ = 0;
  L1Model<T> model_;
  double work_ = 0, checked_at_ = 0;  // entries read
  double modelled_at_ = 0, reluctance_ = 1;
  Machine best_;       // of the smallest gap
  Progress progress_;  // of that machine
  double least_primal_, gain_ = 0, loss_ = 0;
  int64_t sweeps_ = 0;
};

}  // namespace maxmargin::linear
