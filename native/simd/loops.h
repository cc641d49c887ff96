// The hot loops as a table of function pointers, one table per instruction set.
//
// A panel holds `lanes<T>` rows side by side: panel[c * lanes + l] is column c of row l, so that
// one entry of another row meets all of them in one vector operation.
#pragma once

#include <stdint.h>

namespace maxmargin::simd {

template <class T>
inline constexpr int lanes = 64 / sizeof(T);

// What one pair of coordinates (p, v) adds to a pair of rows.
enum Term { product, squared_difference, absolute_difference, chi_squared };
inline constexpr int term_count = 4;

// A wide panel holds `panel_width<T>` points side by side: panel[c * panel_width + l].
template <class T>
inline constexpr int panel_width = 4 * lanes<T>;

// Below this a curvature counts as this: the step is then bounded by the box alone.
template <class T>
constexpr T smallest_curvature() {
  return sizeof(T) == 4 ? T(1e-7) : T(1e-12);
}

template <class T>
struct Highest {
  T value;
  int64_t position;
};

template <class T>
struct Partner {
  int64_t position;
  T lowest;  // of the open scores
};

template <class T>
struct Loops {
  // tile[r][l] += sum over `depth` columns of term(panel[c][l], rows[r][c])
  void (*dense_panel[term_count])(const T* panel, int64_t depth, const T* rows, int64_t stride,
                                  int64_t n_rows, T* tile);

  // tile[r][l] = offsets[l] + sum over row r's entries (c, v) of term(p, v) - term(p, 0),
  // with p = panel[c][l]; offsets[l] is the sum of term(p, 0) over all columns. `present`, unless
  // null, has a bit for each column that is not zero in every lane: a panel wider than the cache is
  // then read only where it holds something.
  void (*sparse_panel[term_count])(const T* panel, const uint64_t* present, const int64_t* starts,
                                   const int32_t* columns, const T* values, int64_t n_rows,
                                   const T* offsets, T* tile);

  // out[r][offset + l] = sum over c of rows[r][c] panel[c][l], for a wide panel
  void (*wide_dense)(const T* panel, int64_t depth, const T* rows, int64_t stride, int64_t n_rows,
                     T* const* out, int64_t offset);

  // The same for rows given by their entries [begins[r], ends[r]); `accumulate` adds to `out`.
  void (*wide_sparse)(const T* panel, const int64_t* begins, const int64_t* ends,
                      const int32_t* columns, const T* values, int64_t n_rows, bool accumulate,
                      T* const* out, int64_t offset);

  // sums[c] += sum over r of weights[r] rows[r][offset + c]
  void (*add_weighted)(const T* const* rows, const double* weights, int64_t n_rows, int64_t offset,
                       int64_t n, double* sums);

  // sum of values[e] weights[columns[e]]
  double (*weigh_entries)(const T* values, const int32_t* columns, int64_t n, const double* weights);

  // sums[columns[e]] += scale values[e]
  void (*add_entries)(const T* values, const int32_t* columns, int64_t n, double scale,
                      double* sums);

  // sum of weights[k] values[k]
  double (*weigh)(const T* values, const double* weights, int64_t n);

  // x <- (gamma x + coef0)^degree
  void (*polynomial)(T* x, int64_t n, T gamma, T coef0, int degree);
  // x <- tanh(gamma x + coef0)
  void (*tanh)(T* x, int64_t n, T gamma, T coef0);
  // x <- exp(-gamma max(x, 0))
  void (*decay)(T* x, int64_t n, T gamma);
  // x[j] <- exp(-gamma max(row_norm + norms[j] - 2 x[j], 0)), the norms being squared
  void (*gaussian)(T* x, int64_t n, T row_norm, const T* norms, T gamma);

  // centred <- row - centre; returns the squared norm of the result
  T (*centre)(const T* row, const T* centre, int64_t n, T* centred);
};

// The two passes of a step between a pair of variables: rows of type T, scores of type U. A closed
// variable has an infinity added to its score. Lengths are multiples of `lanes<U>`.
template <class T, class U>
struct StepLoops {
  // score -= length (raised - lowered); returns the highest of score + closed
  Highest<U> (*take_step)(U* score, const U* closed, const T* raised, const T* lowered, int64_t n,
                          U length);

  // The position that promises most when moved against one with score `top`, and the lowest of
  // score + closed.
  Partner<U> (*find_partner)(const U* score, const U* closed, const T* row, const U* diagonal,
                             int64_t n, U top, U own_curvature);
};

// Rows of the matrix of matches taken at once: a row's length is padded to a multiple of it.
inline constexpr int run_strip = 4;

// Distances that one call of `count_mismatches` counts.
inline constexpr int distances_at_once = 3;

// The longest run that the narrow sums of `sum_runs` can take.
template <class T>
inline constexpr int64_t longest_run = ((int64_t{1} << (8 * sizeof(T))) - 1) / run_strip;

// One sequence of codes, the row, against a panel of others, a lane each: panel[j * lanes<T> + l]
// is code j of sequence l. Codes behind an end equal none. Sums have an entry a lane, and are added
// to.
template <class T>
struct SequenceLoops {
  // The sum over all cells of the length of the run of equal codes that ends there; `above` is
  // room for n_columns * lanes<T>.
  void (*sum_runs)(const T* panel, int64_t n_columns, const T* row, int64_t n_rows, T below, T most,
                   T* above, uint64_t* sums);
  // The same, of min(run, most) - below where that is positive.
  void (*sum_limited_runs)(const T* panel, int64_t n_columns, const T* row, int64_t n_rows, T below,
                           T most, T* above, uint64_t* sums);
  // The sum over all columns of min(longest run that ends there, most) - floors where positive.
  void (*sum_longest_runs)(const T* panel, int64_t n_columns, const T* row, int64_t n_rows,
                           const T* floors, T most, T* above, T* longest, uint64_t* sums);
  // counts[v * lanes<T> + l]: pairs of windows with first + v mismatches; `outside` has all bits
  // set behind a sequence's end and none before it.
  void (*count_mismatches)(const T* panel, const T* outside, int64_t n_columns, const T* row,
                           int64_t n_rows, int64_t window, T first, uint64_t* counts);
};

// The same with codes as numbers of float64, in which the sums are made.
struct WeightedSequenceLoops {
  // The sum along one diagonal of degree + (degree - 1) + ... over min(run, degree) terms.
  void (*weigh_runs)(const double* panel, const double* row, int64_t length, double degree,
                     double* sums);
  // The gap-weighted subsequences that both have; `prefix` is room for
  // length * (n_columns + 1) * lanes<double>.
  void (*sum_subsequences)(const double* panel, int64_t n_columns, const double* row,
                           int64_t n_rows, int64_t length, double decay, double* prefix,
                           double* sums);
};

struct Table {
  Loops<float> float32;
  Loops<double> float64;
  StepLoops<float, float> steps32;
  StepLoops<float, double> steps_mixed;
  StepLoops<double, double> steps64;
  SequenceLoops<uint8_t> sequences8;
  SequenceLoops<uint16_t> sequences16;
  SequenceLoops<uint32_t> sequences32;
  WeightedSequenceLoops weighted_sequences;
};

namespace baseline { extern const Table table; }
namespace v3 { extern const Table table; }
namespace v4 { extern const Table table; }

}  // namespace maxmargin::simd
