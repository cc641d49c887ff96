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
  // The rows of `data` must be contiguous; programs share their squared norms.
  CoordinateDescent(const Matrix<T>& data, const std::vector<double>& squared_norms,
                    const Program& program, const Limits& limits, uint64_t seed,
                    const threads::ShouldStop& should_stop, const Report& report);

  // `multipliers` is where to start; empty for zero.
  Outcome run(const std::vector<double>& multipliers);

  // The best machine so far.
  const Machine& machine() const { return best_.machine(); }

  // Multipliers that were proved to be at a bound before the end.
  int64_t n_screened() const { return program_.size() - static_cast<int64_t>(active_.size()); }

 private:
  struct Sweep {
    double highest, lowest;  // projected derivatives
    double gap;              // of the active variables, each at the time of its visit
  };

  double bias_stiffness() const;
  void start(const std::vector<double>& multipliers);
  Sweep sweep();
  bool visit(int64_t i, Sweep& sweep);
  int64_t row_of(int64_t i) const { return program_.sides == 1 ? i : i % program_.n_points; }
  void activate_all();
  void shuffle();
  Progress measure();
  void screen(const std::vector<double>& scores, double gap);
  void balance(std::vector<double>& multipliers) const;
  double conjugate(int64_t i, double a) const { return 0.5 * program_.ridge[i] * a * a; }

  const Matrix<T>& data_;
  const std::vector<double>& squared_norms_;
  const Program& program_;
  const Limits limits_;
  const Report& report_;
  const double smallest_value_;
  Incumbent best_;
  threads::Pacer pacer_;
  uint64_t random_;
  double stiffness_ = 0;  // the squared value of the bias's constant feature
  std::vector<double> weights_, multiplier_, curvature_;
  double bias_ = 0, sum_ = 0;  // the sum of the signed multipliers
  std::vector<int64_t> active_;
  size_t n_active_ = 0;
  double shrink_above_, shrink_below_;
  int64_t sweeps_ = 0, opened_ = 0;  // and the sweep from which all variables took part again
};

}  // namespace maxmargin::linear
