// Linear machines learnt row by row, in memory that does not depend on the number of rows.
//
//   min  lambda/2 (|w|^2 [+ b^2]) + slope b + mean over the rows of price loss(y (w'x + b))
//
// A row of importance s counts as s rows. Two ways to take a step:
//
//   proximal  the penalty and the row's loss are minimised one after the other, each with the
//             distance moved: no step overshoots its margin, and one of importance s goes where s of
//             them would (Kulis, Bartlett 2010; Karampatziakis, Langford 2011);
//   pegasos   along a subgradient by 1 / (lambda t), then back into the ball that holds the optimum
//             (Shalev-Shwartz, Singer, Srebro, Cotter 2011).
//
// Beside the last iterate there is the mean of all, the t-th weighing t^decay (Shamir, Zhang 2013).
// With w = scale v and mean = share (u + carried v) a step costs only the entries of its row (Bottou
// 2012; Xu 2011).
#pragma once

#include <cstdint>
#include <vector>

#include "../threads/pool.h"
#include "matrix.h"

namespace maxmargin::linear {

enum class OnlineLoss { hinge, squared_hinge };
enum class OnlineStep { proximal, pegasos };

// The length of the t-th proximal step: by how far the weights have come relative to the gradients
// met so far (Ivgi, Hinder, Carmon 2023), or 2 / (lambda (t + 1)) for a strongly convex problem.
enum class OnlineSchedule { distance, inverse_time };

struct OnlineRule {
  OnlineLoss loss;
  OnlineStep step;
  OnlineSchedule schedule;
  double lambda;
  double bias_square;   // of the constant feature behind the bias; zero for none
  bool bias_is_scaled;  // bias_square is in units of the rows' mean squared norm
  bool bias_shrinks;    // whether lambda holds for the bias too
  double bias_slope;
  double highest_price;
};

// What a machine knows between two rows beside v and u; doubles only, so that a caller can keep it.
struct OnlineNumbers {
  double seen;               // importance of all rows so far
  double scale, share, carried;
  double bias, mean_bias;
  double norm;               // |w|^2
  double size;               // mean squared norm of the rows, the bias's feature included
  double loss;               // of the mean iterate on each row before it was learnt, recent rows first
  double total_loss;         // the same, all rows alike
  double farthest;           // largest distance from the start
  double travelled;          // sum of the squared norms of the gradients
};
inline constexpr int64_t online_numbers = sizeof(OnlineNumbers) / sizeof(double);

struct OnlineState {
  double* direction;   // v
  double* correction;  // u
  OnlineNumbers* numbers;
};

// The rows to learn, in order. Machine k holds label k against the others; a single one holds 1.
struct OnlineRows {
  const int64_t* order;
  int64_t n_rows;
  const int32_t* labels;      // by row of the data, as is `importance`
  const double* importance;   // positive
  const double* prices;       // by label
};

// Returns how many of the rows all machines have learnt: all, unless asked to stop. Neither the
// number of threads nor where a sequence of rows is cut into calls changes the machines.
template <class T>
int64_t learn_online(const Matrix<T>& data, const OnlineRows& rows, const OnlineRule& rule,
                     const std::vector<OnlineState>& machines, int n_threads,
                     const threads::ShouldStop& should_stop);

}  // namespace maxmargin::linear
