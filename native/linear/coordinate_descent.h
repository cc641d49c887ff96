// Dual coordinate descent with shrinking, for sparse data with many features.
//
// One multiplier at a time goes to its optimum with all others fixed, which costs two passes over
// one row (Hsieh, Chang, Lin, Keerthi, Sundararajan 2008). Multipliers at a bound that push against
// it are left out until the others have converged. Along the way every visit adds its variable's
// share of the duality gap, so that the gap costs a pass over the data only when it seems small
// enough. A free bias is found by the method of multipliers: it moves by `stiffness` times the sum
// that should vanish.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../threads/pacer.h"
#include "incumbent.h"
#include "matrix.h"
#include "program.h"
#include "sums.h"

namespace maxmargin::linear {

template <class T>
class CoordinateDescent {
 public:
  // The rows of `data` must be contiguous; programs share their squared norms. Threads help to
  // measure alone: each visit waits for the one before.
  CoordinateDescent(const Matrix<T>& data, const std::vector<double>& squared_norms,
                    const Program& program, const Limits& limits, uint64_t seed,
                    const Execution& execution, const Report& report);

  // `multipliers` is where to start; empty for zero.
  Outcome run(const std::vector<double>& multipliers);

  // The best machine so far.
  const Machine& machine() const { return best_.machine(); }

  // Multipliers that were proved to be at a bound before the end.
  int64_t n_screened() const {
    return program_.size() - program_.sides * static_cast<int64_t>(active_.size());
  }

 private:
  struct Sweep {
    double highest, lowest;  // projected derivatives
    double gap;              // of the active variables, each at the time of its visit
  };

  struct Costs;

  // All that a visit needs to know of a constraint, side by side.
  struct alignas(64) Constraint {
    double sign, linear, cost, ridge, curvature, multiplier;
    double price, square_price;  // of a slack and of its square; a price without end is a large one

    double penalty(double margin) const {
      const double slack = std::max(0.0, -margin);
      return ridge > 0 ? slack * slack / (2 * ridge) : slack > 0 ? cost * slack : 0.0;
    }

    // What a multiplier adds to the dual beside its part of the weights.
    double pull(double a) const { return (sign * linear + 0.5 * ridge * a) * a; }

    // Of an estimate, and at every visit: without a branch.
    double share_of_gap(double margin) const {
      const double slack = std::max(0.0, -margin);
      return (price + square_price * slack) * slack + (margin + 0.5 * ridge * multiplier) * multiplier;
    }

    // A row of zeros has no curvature: its multiplier goes all the way.
    double optimum(double value, double slope) const {
      return curvature > 0 ? value - slope / curvature : slope < 0 ? cost : 0.0;
    }
  };

  int64_t place(int64_t i) const {
    const int64_t n = program_.n_points;
    return program_.sides == 1 ? i : i % n * program_.sides + i / n;
  }
  const Constraint& constraint(int64_t i) const { return constraints_[place(i)]; }
  Constraint& constraint(int64_t i) { return constraints_[place(i)]; }
  std::span<const Constraint> sides_of(int64_t row) const {
    return {&constraints_[row * program_.sides], static_cast<size_t>(program_.sides)};
  }
  double bias_stiffness() const;
  bool is_over() const {
    const double gap = best_.progress(0, smallest_value_).relative_gap();
    const double share = gap <= limits_.promising ? 2 : gap > limits_.hopeless ? 0.25 : 1;
    return sweeps_ >= limits_.most_iterations ||
           static_cast<double>(visits_) >= share * static_cast<double>(limits_.most_visits);
  }
  void start(const std::vector<double>& multipliers);
  Sweep sweep();
  bool visit(int64_t row, Sweep& sweep);
  bool visit_pair(int64_t row, Sweep& sweep);
  void move(int64_t row, double change);
  void prefetch(int64_t row) const;
  void activate_all();
  void shuffle();
  Costs costs();
  Progress measure();
  void screen(double gap);
  void balance(std::vector<double>& multipliers) const;
  std::vector<double> multipliers() const;
  double squared_norm_and_pull(const std::vector<double>& others, double& pull) const;

  const Matrix<T>& data_;
  const std::vector<double>& squared_norms_;
  const Program& program_;
  const Limits limits_;
  const Execution& execution_;
  const Report& report_;
  const double smallest_value_;
  Incumbent best_;
  threads::Pacer pacer_;
  uint64_t random_;
  double stiffness_ = 0;  // the squared value of the bias's constant feature
  std::vector<double> weights_;
  std::vector<double> scores_;  // when last measured
  std::vector<Constraint> constraints_;  // the sides of a point next to each other
  double bias_ = 0, sum_ = 0;  // the sum of the signed multipliers
  std::vector<int64_t> active_;  // points
  std::vector<int64_t> gone_;    // those left out in the sweep that goes on
  size_t n_active_ = 0;
  double shrink_above_ = std::numeric_limits<double>::infinity();
  double shrink_below_ = -std::numeric_limits<double>::infinity();
  int64_t visits_ = 0, sweeps_ = 0;
  int64_t opened_ = 0;  // the sweep from which all variables took part again
};

}  // namespace maxmargin::linear
