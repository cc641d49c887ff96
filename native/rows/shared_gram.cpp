#include "shared_gram.h"

#include <algorithm>

#include "../simd/dispatch.h"

namespace maxmargin::rows {

template <class T>
void map_gram(const kernels::Kernel<T>& kernel, const Affine<T>& affine, const T* sums, int64_t n,
              T* out, int64_t stride, const Execution& execution) {
  constexpr int64_t rows_a_task = 16;
  const auto& loops = simd::active_loops<T>();
  const auto map_rows = [&](int64_t task, threads::Worker&) {
    const int64_t begin = task * rows_a_task, end = std::min(begin + rows_a_task, n);
    for (int64_t i = begin; i < end; ++i) {
      T* row = out + i * stride;
      std::copy_n(sums + i * n, n, row);
      kernel.apply(loops, row, n);
      affine.apply(row, n);
      if (kernel.is_radial()) row[i] = affine(1);
    }
  };
  threads::parallel_for((n + rows_a_task - 1) / rows_a_task, execution.n_threads, map_rows,
                        execution.should_stop);
}

template void map_gram<float>(const kernels::Kernel<float>&, const Affine<float>&, const float*,
                              int64_t, float*, int64_t, const Execution&);
template void map_gram<double>(const kernels::Kernel<double>&, const Affine<double>&, const double*,
                               int64_t, double*, int64_t, const Execution&);

}  // namespace maxmargin::rows
