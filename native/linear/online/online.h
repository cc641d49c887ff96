// Linear machines learnt row by row, in memory that does not depend on the number of rows.
//
//   min  lambda/2 (|w|^2 [+ b^2]) + slope b + mean over the rows of penalty loss(y (w'x + b))
//
// A row of importance s counts as s rows. Three ways to take a step:
//
//   adaptive  the row's loss is minimised together with the distance moved, in a metric with one
//             scale per feature that follows from the gradients met (adaptive.h);
//   proximal  the regularisation and the row's loss are minimised one after the other, each together
//             with the distance moved, by 2 / (lambda (t + 1)): no step overshoots its margin, and
//             one of importance s goes where s of them would (Kulis, Bartlett 2010;
//             Karampatziakis, Langford 2011);
//   pegasos   along a subgradient by 1 / (lambda t), then back into the ball that holds the optimum
//             (Shalev-Shwartz, Singer, Srebro, Cotter 2011).
//
// Beside the last iterate there is the mean of all, in which the t-th has the weight t^decay (Shamir,
// Zhang 2013). In the latter two w = scale v and mean = share (u + carried v), so that a step costs
// only the entries of its row (Bottou 2012; Xu 2011; uniform.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../../data/matrix.h"
#include "../../threads/pool.h"

namespace maxmargin::linear {

using data::Matrix;

enum class OnlineLoss { hinge, squared_hinge };
enum class OnlineStep { adaptive, proximal, pegasos };

struct OnlineRule {
  OnlineLoss loss;
  OnlineStep step;
  double lambda;
  double bias_square;   // of the constant feature behind the bias; zero for none
  bool bias_is_scaled;  // bias_square is in units of the rows' mean squared norm
  bool bias_shrinks;    // whether lambda regularises the bias too
  double bias_slope;
  double highest_penalty;

  // How many vectors as long as a row a machine keeps.
  int64_t n_vectors() const { return step == OnlineStep::adaptive ? 6 : 2; }

  double loss_at(double margin) const {
    const double slack = std::max(0.0, 1 - margin);
    return loss == OnlineLoss::hinge ? slack : slack * slack;
  }
};

// What a machine keeps between two rows beside its vectors; doubles only, so that it is an array to
// the caller.
struct OnlineNumbers {
  double seen;               // importance of all rows so far
  double bias, mean_bias;
  double size;               // mean squared norm of the rows, the bias's feature included
  double loss;               // of the mean iterate on each row before it was learnt, recent rows most
  double total_loss;         // the same, all rows alike
  double scale, share, carried, norm;                         // uniform steps only; norm: |w|^2
  double bias_squares, bias_reach, bias_length, bias_touched;  // adaptive steps only

  // The t-th iterate has the weight t^decay in the mean.
  static constexpr double decay = 3;

  // Takes a row into account; returns its share of the mean.
  double see(const OnlineRule& rule, double importance, double penalty, double mean_margin,
             double squared_norm) {
    seen += importance;
    const double recent = (decay + 1) * importance / (seen + decay * importance);
    const double value = penalty * rule.loss_at(mean_margin);
    loss += recent * (value - loss);
    total_loss += importance * value;
    size += importance / seen * (squared_norm - size);
    return recent;
  }
};
inline constexpr int64_t online_numbers = sizeof(OnlineNumbers) / sizeof(double);

struct OnlineState {
  double* vectors;  // v and u; or those of adaptive.h
  OnlineNumbers* numbers;
};

// The rows to learn, in order. Machine k separates label k from the others; a single one label 1.
struct OnlineRows {
  const int64_t* order;
  int64_t n_rows;
  const int32_t* labels;      // by row of the data, as is `importance`
  const double* importance;   // positive
  const double* penalties;    // by label
};

// Returns how many of the rows all machines have learnt: all, unless asked to stop. Neither the
// number of threads nor where a sequence of rows is cut into calls changes the machines.
template <class T>
int64_t learn_online(const Matrix<T>& data, const OnlineRows& rows, const OnlineRule& rule,
                     const std::vector<OnlineState>& machines, int n_threads,
                     const threads::ShouldStop& should_stop);

}  // namespace maxmargin::linear
