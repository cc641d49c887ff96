#include "resident_gram.h"

#include <algorithm>
#include <vector>

#include "../simd/dispatch.h"

namespace maxmargin::rows {

template <class T>
void map_gram(const kernels::Kernel<T>& kernel, const Affine<T>& affine, const T* terms, int64_t n,
              T* out, int64_t stride, const Execution& execution) {
  constexpr int64_t rows_per_task = 16;
  const auto& loops = simd::active_loops<T>();
  const auto map_rows = [&](int64_t task, threads::Worker&) {
    const int64_t begin = task * rows_per_task, end = std::min(begin + rows_per_task, n);
    for (int64_t i = begin; i < end; ++i) {
      T* row = out + i * stride;
      std::copy_n(terms + i * n, n, row);
      kernel.apply(loops, row, n);
      affine.apply(row, n);
      if (kernel.is_radial()) row[i] = affine(1);
    }
  };
  threads::parallel_for((n + rows_per_task - 1) / rows_per_task, execution.n_threads, map_rows,
                        execution.should_stop);
}

template <class T>
void expand(const ResidentGram<T>& gram, const double* coefficients, int64_t n_vectors,
            std::span<const int64_t> at, double* values, const Execution& execution) {
  if (at.empty()) return;
  constexpr int64_t pass_columns = 2048;
  const auto& loops = simd::active_loops<T>();
  const auto [first, last] = std::ranges::minmax(at);
  const int64_t width = last - first + 1, n_at = static_cast<int64_t>(at.size());
  const auto expand_one = [&](int64_t v, threads::Worker&) {
    std::vector<const T*> rows;
    std::vector<double> weights, found(width);
    for (int64_t j = 0; j < gram.n_points; ++j) {
      const double coefficient = coefficients[v * gram.n_points + j];
      if (coefficient == 0) continue;
      rows.push_back(gram.row(j) + first);
      weights.push_back(coefficient);
    }
    for (int64_t begin = 0; begin < width; begin += pass_columns) {
      loops.add_weighted(rows.data(), weights.data(), static_cast<int64_t>(rows.size()), begin,
                         std::min(pass_columns, width - begin), found.data() + begin);
    }
    for (int64_t k = 0; k < n_at; ++k) values[v * n_at + k] = found[at[k] - first];
  };
  threads::parallel_for(n_vectors, execution.n_threads, expand_one, execution.should_stop);
}

template void map_gram<float>(const kernels::Kernel<float>&, const Affine<float>&, const float*,
                              int64_t, float*, int64_t, const Execution&);
template void map_gram<double>(const kernels::Kernel<double>&, const Affine<double>&, const double*,
                               int64_t, double*, int64_t, const Execution&);

template void expand<float>(const ResidentGram<float>&, const double*, int64_t,
                            std::span<const int64_t>, double*, const Execution&);
template void expand<double>(const ResidentGram<double>&, const double*, int64_t,
                             std::span<const int64_t>, double*, const Execution&);

}  // namespace maxmargin::rows
