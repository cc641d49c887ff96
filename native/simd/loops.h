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

struct Table {
  Loops<float> float32;
  Loops<double> float64;
};

namespace baseline { extern const Table table; }
namespace v3 { extern const Table table; }
namespace v4 { extern const Table table; }

}  // namespace maxmargin::simd
