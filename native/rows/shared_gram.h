// The Gram matrix of all points of a search, from what does not depend on the kernel's parameters.
#pragma once

#include "source.h"

namespace maxmargin::rows {

// out[i][j] = k(x_i, x_j) from `sums`, the n x n dot products, or for a radial kernel the distances.
// Rows of `out` are `stride` apart; what lies behind their n values stays as it is.
template <class T>
void map_gram(const kernels::Kernel<T>& kernel, const Affine<T>& affine, const T* sums, int64_t n,
              T* out, int64_t stride, const Execution& execution);

}  // namespace maxmargin::rows
