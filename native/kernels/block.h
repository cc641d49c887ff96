// Blocks of kernel values: out[i, j] = k(a_i, b_j).
#pragma once

#include "../threads/pool.h"
#include "kernel.h"
#include "rows.h"

namespace maxmargin::kernels {

struct Execution {
  int n_threads;
  threads::ShouldStop should_stop;
};

// `out` is row-major, a.n_rows x b.n_rows. The values do not depend on the number of threads.
template <class T>
void fill_block(const Kernel<T>& kernel, const Rows<T>& a, const Rows<T>& b, T* out,
                const Execution& execution);

// As fill_block(kernel, a, a), at half the cost and exactly symmetric; one on the diagonal of a
// radial kernel.
template <class T>
void fill_symmetric_block(const Kernel<T>& kernel, const Rows<T>& a, T* out,
                          const Execution& execution);

}  // namespace maxmargin::kernels
