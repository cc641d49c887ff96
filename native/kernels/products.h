// Blocks by matrix products, for dense rows and kernels that are functions of a dot product.
#pragma once

#include "../blas/gemm.h"
#include "block.h"
#include "symmetry.h"

namespace maxmargin::kernels {

// With no more rows than two panels hold, a matrix product has too little to reuse.
template <class T>
inline constexpr int64_t too_few_rows_for_products = 2 * simd::lanes<T>;

// Needs a connected BLAS, dense rows, and extents that fit in a 32-bit int.
template <class T>
void fill_by_products(const Kernel<T>& kernel, const Rows<T>& a, const Rows<T>& b,
                      Symmetry symmetry, T* out, const Execution& execution);

}  // namespace maxmargin::kernels
