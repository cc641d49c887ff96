// The hot loops, compiled once per instruction set with MAXMARGIN_LEVEL naming its namespace.
//
// Everything here has internal linkage and nothing comes from the C++ library: an inline function
// shared with another object could be linked in the version for a newer processor.
#include "loops.h"

namespace maxmargin::simd {
namespace {

#include "elementary.inc"

template <class T>
constexpr T infinite() {
  return static_cast<T>(__builtin_inf());
}

#include "wide.inc"
#include "steps.inc"
#include "sequences.inc"

template <class T>
struct Product {
  static inline T of(T p, T v) { return p * v; }
  static inline T beyond_zero(T p, T v) { return p * v; }
};

template <class T>
struct SquaredDifference {
  static inline T of(T p, T v) { return (p - v) * (p - v); }
  static inline T beyond_zero(T p, T v) { return v * (v - 2 * p); }
};

template <class T>
struct AbsoluteDifference {
  static inline T absolute(T x) { return x < 0 ? -x : x; }
  static inline T of(T p, T v) { return absolute(p - v); }
  static inline T beyond_zero(T p, T v) { return absolute(p - v) - absolute(p); }
};

template <class T>
struct ChiSquared {
  static inline T of(T p, T v) {
    const T sum = p + v;
    const T ratio = (p - v) * (p - v) / (sum == 0 ? T(1) : sum);
    return sum == 0 ? T(0) : ratio;
  }
  static inline T beyond_zero(T p, T v) {
    const T sum = p + v;
    const T ratio = v * (v - 3 * p) / (sum == 0 ? T(1) : sum);
    return sum == 0 ? -p : ratio;
  }
};

// `Rows` rows at once share each load of the panel and hide the latency of the additions.
template <class T, template <class> class Term, int Rows>
inline void dense_rows(const T* __restrict panel, int64_t depth, const T* __restrict rows,
                       int64_t stride, T* __restrict tile) {
  constexpr int W = lanes<T>;
  T sum[Rows][W] = {};
  for (int64_t c = 0; c < depth; ++c) {
    for (int r = 0; r < Rows; ++r) {
      const T v = rows[r * stride + c];
#pragma omp simd
      for (int l = 0; l < W; ++l) sum[r][l] += Term<T>::of(panel[c * W + l], v);
    }
  }
  for (int r = 0; r < Rows; ++r)
    for (int l = 0; l < W; ++l) tile[r * W + l] += sum[r][l];
}

template <class T, template <class> class Term>
void dense_panel(const T* panel, int64_t depth, const T* rows, int64_t stride, int64_t n_rows,
                 T* tile) {
  constexpr int W = lanes<T>;
  int64_t r = 0;
  for (; r + 4 <= n_rows; r += 4)
    dense_rows<T, Term, 4>(panel, depth, rows + r * stride, stride, tile + r * W);
  for (; r < n_rows; ++r)
    dense_rows<T, Term, 1>(panel, depth, rows + r * stride, stride, tile + r * W);
}

// Long rows are summed in pieces, so that rounding grows with the piece and not with the row.
inline constexpr int64_t piece = 256;

// Entries of one piece of a row.
template <class T>
struct Entries {
  const int32_t* columns;
  const T* values;
  int64_t n;
};

// Keeps the entries in columns that the panel holds; returns what the others add in every lane.
template <class T, template <class> class Term>
inline T keep_present(const uint64_t* __restrict present, Entries<T>& entries,
                      int32_t* __restrict columns, T* __restrict values) {
  T elsewhere = 0;
  int64_t kept = 0;
  for (int64_t e = 0; e < entries.n; ++e) {
    const int32_t c = entries.columns[e];
    const T v = entries.values[e];
    const bool is_present = present[c >> 6] >> (c & 63) & 1;
    columns[kept] = c;
    values[kept] = v;
    kept += is_present;
    elsewhere += Term<T>::beyond_zero(T(0), is_present ? T(0) : v);
  }
  entries = {columns, values, kept};
  return elsewhere;
}

// Two sums at once hide the latency of the additions.
template <class T, template <class> class Term>
inline void add_entries(const T* __restrict panel, const Entries<T>& entries, T elsewhere,
                        T* __restrict tile) {
  constexpr int W = lanes<T>;
  T even[W] = {}, odd[W] = {};
  int64_t e = 0;
  for (; e + 2 <= entries.n; e += 2) {
    const T* p = panel + static_cast<int64_t>(entries.columns[e]) * W;
    const T* q = panel + static_cast<int64_t>(entries.columns[e + 1]) * W;
    const T v = entries.values[e], w = entries.values[e + 1];
#pragma omp simd
    for (int l = 0; l < W; ++l) even[l] += Term<T>::beyond_zero(p[l], v);
#pragma omp simd
    for (int l = 0; l < W; ++l) odd[l] += Term<T>::beyond_zero(q[l], w);
  }
  if (e < entries.n) {
    const T* p = panel + static_cast<int64_t>(entries.columns[e]) * W;
    const T v = entries.values[e];
#pragma omp simd
    for (int l = 0; l < W; ++l) even[l] += Term<T>::beyond_zero(p[l], v);
  }
  for (int l = 0; l < W; ++l) tile[l] += even[l] + odd[l] + elsewhere;
}

template <class T, template <class> class Term>
void sparse_panel(const T* panel, const uint64_t* present, const int64_t* starts,
                  const int32_t* columns, const T* values, int64_t n_rows, const T* offsets,
                  T* tile) {
  constexpr int W = lanes<T>;
  int32_t kept_columns[piece];
  T kept_values[piece];
  for (int64_t r = 0; r < n_rows; ++r, tile += W) {
    for (int l = 0; l < W; ++l) tile[l] = offsets[l];
    for (int64_t begin = starts[r]; begin < starts[r + 1]; begin += piece) {
      const int64_t rest = starts[r + 1] - begin;
      Entries<T> entries{columns + begin, values + begin, rest < piece ? rest : piece};
      T elsewhere = 0;
      if (present != nullptr)
        elsewhere = keep_present<T, Term>(present, entries, kept_columns, kept_values);
      add_entries<T, Term>(panel, entries, elsewhere, tile);
    }
  }
}

template <class T>
void polynomial(T* x, int64_t n, T gamma, T coef0, int degree) {
  constexpr int64_t chunk = 64;
  T base[chunk], power[chunk];
  for (int64_t start = 0; start < n; start += chunk) {
    const int64_t size = n - start < chunk ? n - start : chunk;
    for (int64_t i = 0; i < size; ++i) base[i] = gamma * x[start + i] + coef0;
    for (int64_t i = 0; i < size; ++i) power[i] = 1;
    for (int rest = degree; rest > 0; rest >>= 1) {
      if (rest & 1)
        for (int64_t i = 0; i < size; ++i) power[i] *= base[i];
      for (int64_t i = 0; i < size; ++i) base[i] *= base[i];
    }
    for (int64_t i = 0; i < size; ++i) x[start + i] = power[i];
  }
}

template <class T>
void tanh(T* x, int64_t n, T gamma, T coef0) {
  for (int64_t i = 0; i < n; ++i) x[i] = tanh_of<T>(gamma * x[i] + coef0);
}

// A comparison written this way keeps NaN, so that bad data shows in the result.
template <class T>
inline T clamped_at_zero(T x) {
  return x < 0 ? T(0) : x;
}

template <class T>
void decay(T* x, int64_t n, T gamma) {
  for (int64_t i = 0; i < n; ++i) x[i] = exp_nonpositive<T>(-gamma * clamped_at_zero<T>(x[i]));
}

template <class T>
void gaussian(T* __restrict x, int64_t n, T row_norm, const T* __restrict norms, T gamma) {
  for (int64_t i = 0; i < n; ++i) {
    const T squared_distance = row_norm + norms[i] - 2 * x[i];
    x[i] = exp_nonpositive<T>(-gamma * clamped_at_zero<T>(squared_distance));
  }
}

template <class T>
T centre(const T* __restrict row, const T* __restrict middle, int64_t n, T* __restrict centred) {
  constexpr int W = lanes<T>;
  T sums[W] = {};
  int64_t i = 0;
  for (; i + W <= n; i += W) {
    for (int l = 0; l < W; ++l) {
      const T difference = row[i + l] - middle[i + l];
      centred[i + l] = difference;
      sums[l] += difference * difference;
    }
  }
  T norm = 0;
  for (; i < n; ++i) {
    centred[i] = row[i] - middle[i];
    norm += centred[i] * centred[i];
  }
  for (int l = 0; l < W; ++l) norm += sums[l];
  return norm;
}

template <class T>
constexpr Loops<T> loops_of() {
  return {
      {dense_panel<T, Product>, dense_panel<T, SquaredDifference>,
       dense_panel<T, AbsoluteDifference>, dense_panel<T, ChiSquared>},
      {sparse_panel<T, Product>, sparse_panel<T, SquaredDifference>,
       sparse_panel<T, AbsoluteDifference>, sparse_panel<T, ChiSquared>},
      wide_dense<T>,
      wide_sparse<T>,
      add_weighted<T>,
      weigh_entries<T>,
      add_entries<T>,
      weigh<T>,
      polynomial<T>,
      tanh<T>,
      decay<T>,
      gaussian<T>,
      centre<T>,
  };
}

template <class T>
constexpr SequenceLoops<T> sequence_loops_of() {
  return {sum_runs<T, false>, sum_runs<T, true>, sum_longest_runs<T>, count_mismatches<T>};
}

}  // namespace

namespace MAXMARGIN_LEVEL {
constexpr Table made_here = {loops_of<float>(),
                             loops_of<double>(),
                             {take_step<float, float>, find_partner<float, float>},
                             {take_step<float, double>, find_partner<float, double>},
                             {take_step<double, double>, find_partner<double, double>},
                             sequence_loops_of<uint8_t>(),
                             sequence_loops_of<uint16_t>(),
                             sequence_loops_of<uint32_t>(),
                             {weigh_runs, sum_subsequences}};
extern const Table table;
const Table table = made_here;
}  // namespace MAXMARGIN_LEVEL

}  // namespace maxmargin::simd
