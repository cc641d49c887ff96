// A primal-dual interior-point method for linear machines with many more points than features.
//
// Mehrotra's predictor and corrector (Mehrotra 1992; Ferris, Munson 2003): each iteration factorises
// one matrix of the size of w, R + X'DX, and reads the data three times, however large C is.
// With slack_i the slack and gap_i = margin_i + slack_i, the path is a_i gap_i = mu and
// (cost_i - a_i) slack_i = mu; squared losses have slack_i = ridge_i a_i instead of the second.
#pragma once

#include <vector>

#include "../linalg/cholesky.h"
#include "dual_value.h"
#include "gram.h"
#include "incumbent.h"
#include "matrix.h"
#include "program.h"
#include "sums.h"

namespace maxmargin::linear {

// Weights and bias to start from, and how far the margins are likely to be from the solution's.
struct Guess {
  std::vector<double> weights;
  double movement;
};

template <class T>
class InteriorPoint {
 public:
  // `held` sums up multipliers, of further points, that are held at their costs.
  InteriorPoint(const Matrix<T>& data, const Program& program, const Limits& limits,
                const Execution& execution, const Report& report, const DualSums* held = nullptr);

  Outcome run(const Guess* guess = nullptr);

  // The best machine so far.
  Machine take_machine() { return best_.take(); }

 private:
  struct Variable;   // one constraint's part of the current point
  struct Direction;  // and of a step
  struct Prediction;
  struct Limit;

  // What the first pass over the data sums up.
  struct Assembly {
    GramSum<T> gram;
    DualSums multipliers;
    std::vector<double> right_side;
    double penalty = 0, complementarity = 0;

    Assembly& operator+=(const Assembly& other) {
      gram += other.gram;
      multipliers += other.multipliers;
      add_to(right_side, other.right_side);
      penalty += other.penalty;
      complementarity += other.complementarity;
      return *this;
    }
  };

  void allocate();
  void start();
  void start_within(double movement);
  void move(int64_t i, double length);
  Assembly& advance(double length);
  Prediction predict(const std::vector<double>& step);
  double correct(const std::vector<double>& step, double target);
  Progress measure(const Assembly& assembly, int64_t iterations) const;
  bool factorise(std::vector<double>& gram);
  Variable variable(int64_t i) const;
  Direction towards(const Variable& now, double slope, double pull, double push) const;
  double dot(const Matrix<T>& rows, int64_t row, const std::vector<double>& step) const;
  void add_rows(const Matrix<T>& rows, const double* scales, std::vector<double>& sum) const;

  const Matrix<T>& data_;
  const Program& program_;
  const Limits limits_;
  const Execution& execution_;
  const Report& report_;
  const DualSums* held_;
  const double smallest_value_;
  Incumbent best_;
  const RowTasks tasks_;
  const int64_t size_;    // features and bias
  RepeatedSum<Assembly> assembly_;
  const bool is_squared_;
  linalg::Cholesky cholesky_;
  std::vector<double> weights_;                              // w and b
  std::vector<double> score_;                                // w'x + b
  std::vector<double> multiplier_, room_, gap_, slack_;      // a, cost - a, margin + slack, slack
  std::vector<double> predicted_, step_a_, step_gap_, step_slack_;
};

}  // namespace maxmargin::linear
