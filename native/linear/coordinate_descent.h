// Dual coordinate descent with shrinking, for sparse data with many features.
//
// One multiplier at a time goes to its optimum with all others fixed, which costs two passes over
// one row (Hsieh, Chang, Lin, Keerthi, Sundararajan 2008). Multipliers at a bound that push against
// it are visited ever more seldom, or not until a look at all points says how they are pulled now.
// Along the way every visit adds its point's share of the duality gap, so that the gap costs a pass
// over the data only when it seems small enough. A free bias is found by the method of multipliers: it
// moves by `stiffness` times the sum that should vanish.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../threads/pacer.h"
#include "constraint.h"
#include "incumbent.h"
#include "matrix.h"
#include "program.h"
#include "roster.h"
#include "shuffler.h"
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
  Machine take_machine() { return best_.take(); }

  // Multipliers that were proved to be at a bound before the end.
  int64_t n_screened() const {
    return program_.size() - program_.sides * roster_.n_open();
  }

 private:
  // Of projected derivatives, and zero.
  struct Range {
    double highest = 0, lowest = 0;

    void add(double slope) {
      highest = std::max(highest, slope);
      lowest = std::min(lowest, slope);
    }
    double width() const { return highest - lowest; }
  };

  struct Sweep {
    Range range;
    double gap = 0;  // of the points visited, each at the time of its visit
  };

  // How a multiplier is pulled with all others fixed, where no bound holds it; whether it is at one, and
  // whether it pushes against that harder than any other is pulled.
  struct Stand {
    double slope;
    bool is_bound, is_hopeless;
  };

  struct Look;

  Tube tube_of(int64_t row, double score) {
    Constraint &first = constraints_[2 * row], &second = constraints_[2 * row + 1];
    Constraint &up = first.sign > 0 ? first : second, &down = first.sign > 0 ? second : first;
    return {up, down, score + up.linear, -(score + down.linear)};
  }

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
  void visit(int64_t row, Sweep& sweep);
  void visit_pair(int64_t row, Sweep& sweep);
  Stand stand(const Constraint& own, double slope) const;
  Stand stand(const Tube& tube) const;
  bool notes(int64_t row, const Stand& stand, Range& range);
  void move(int64_t row, double change);
  void prefetch(int64_t row) const;
  void shuffle(std::vector<Roster::Point>& points);
  Look look();
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
  Shuffler shuffler_;
  Roster roster_;
  double stiffness_ = 0;  // the squared value of the bias's constant feature
  std::vector<double> weights_;
  std::vector<double> scores_;  // when last measured
  std::vector<Constraint> constraints_;  // the sides of a point next to each other
  double bias_ = 0, sum_ = 0;  // the sum of the signed multipliers
  double shrink_above_ = std::numeric_limits<double>::infinity();
  double shrink_below_ = -std::numeric_limits<double>::infinity();
  double range_of_all_ = 0;  // when last looked at
  int64_t visits_ = 0, sweeps_ = 0;
};

}  // namespace maxmargin::linear
