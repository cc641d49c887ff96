// The multi-class machine of Crammer and Singer, by the sequential dual method.
//
//   primal  min 1/2 sum_m |w_m|^2 + sum cost_i max_m (e_im + (w_m - w_{y_i})'x_i)
//   dual    max -1/2 sum_m |w_m|^2 - sum e_im a_im,   w_m = sum_i a_im x_i,
//           a_im <= cost_i [m = y_i],   sum_m a_im = 0,   with e_im = 1 - [m = y_i]
//
// One point's multipliers at a time go to their optimum over all classes, found by sorting; classes
// and points that push against their bounds are left out until the others have converged (Keerthi,
// Sundararajan, Chang, Hsieh, Lin 2008). Every visit adds its point's share of the duality gap. A
// bias is the weight of a constant feature, and regularised: left free, it would ask that each
// class's multipliers sum to zero over all points, which no step of a single point can keep to.
#pragma once

#include <cstdint>
#include <vector>

#include "../kernels/memory.h"
#include "../threads/pacer.h"
#include "matrix.h"
#include "program.h"
#include "shuffler.h"
#include "sums.h"

namespace maxmargin::linear {

struct ClassProgram {
  int32_t n_classes = 0;
  std::vector<int32_t> label;
  std::vector<double> cost;
  double bias_scale = 0;  // the constant feature; zero means none

  int64_t n_points() const { return static_cast<int64_t>(label.size()); }
};

// Class by class and point by point.
struct ClassMachine {
  std::vector<double> weights;  // n_classes x n_features
  std::vector<double> bias;
  std::vector<double> multipliers;  // n_points x n_classes
};

template <class T>
class CrammerSinger {
 public:
  // The rows of `data` must be contiguous.
  CrammerSinger(const Matrix<T>& data, const ClassProgram& program, const Limits& limits,
                uint64_t seed, const Execution& execution, const Report& report);

  // Starts from the given multipliers; empty for zero.
  Outcome run(std::vector<double> multipliers);

  // The machine reached, empty if the run ended before its start; leaves nothing behind.
  ClassMachine take_machine();

 private:
  // A point's entries that are not zero, as weights of all classes and values.
  struct Entries {
    int64_t n = 0;
    std::vector<double*> weights;
    std::vector<double> values;

    void make_room(int64_t most) {
      n = 0;
      if (static_cast<int64_t>(values.size()) >= most) return;
      weights.resize(most);
      values.resize(most);
    }
    void add(double* weight, double value) {
      weights[n] = weight;
      values[n++] = value;
    }
    void add_to_weights(int32_t m, double change) const {
      for (int64_t e = 0; e < n; ++e) weights[e][m] += change * values[e];
    }
  };
  struct Sweep {
    double worst = 0, gap = 0;
    bool is_whole = false;
  };

  void start(std::vector<double> multipliers);
  void make_feasible(int64_t i, double* multipliers) const;
  void activate_all();
  Sweep sweep();
  bool visit(int64_t i, Sweep& sweep);
  void load(int64_t i, Entries& entries) const;
  void score_all(const Entries& entries, double* scores) const;
  void score(int32_t n_used, const int32_t* classes);
  void solve_point(double curvature, double cost, int32_t label, int32_t n_used,
                   const int32_t* classes);
  void move(int32_t n_used, const int32_t* classes, double* multipliers);
  Progress measure();

  const Matrix<T>& data_;
  const ClassProgram& program_;
  const Limits limits_;
  const Execution& execution_;
  const Report& report_;
  threads::Pacer pacer_;
  Shuffler order_;
  const int64_t n_;
  const int32_t n_classes_, stride_;
  const int64_t n_weights_;           // features, and one for the bias
  kernels::Memory<double> weights_;   // all classes of a feature side by side
  std::vector<double> multipliers_, curvature_;
  std::vector<int32_t> classes_;  // of every point, those in use first
  std::vector<int32_t> n_used_;
  std::vector<int64_t> active_;  // points
  size_t n_active_ = 0;
  double reactivate_below_ = 1;
  bool is_ready_ = false, is_whole_ = true;
  Entries entries_;
  std::vector<double> scores_, slope_, corner_, sorted_, moved_;
  int64_t sweeps_ = 0, visits_ = 0;
};

}  // namespace maxmargin::linear
