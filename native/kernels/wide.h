// Blocks by products of wide panels, for kernels that are functions of a dot product.
//
// One side is laid out in panels of a few cache lines, the other is read row by row or entry by
// entry. With few features this beats a general matrix product, which packs both sides anew for
// every tile; with many it equals one; and rows that are mostly zero cost what they hold.
#pragma once

#include "block.h"

namespace maxmargin::kernels {

// Whether panels suit the forms and the data; the Gaussian must also keep its digits, which
// fill_by_wide_panels finds out and tells by returning false before it writes anything.
template <class T>
bool suits_wide_panels(const Kernel<T>& kernel, const Rows<T>& a, const Rows<T>& b);

// sums[i] = sum over j of weights[j] k(a_i, b_j), without the block; false as above.
template <class T>
bool weigh_by_wide_panels(const Kernel<T>& kernel, const Rows<T>& a, const Rows<T>& b,
                          const double* weights, double* sums, const Execution& execution);

template <class T>
bool fill_by_wide_panels(const Kernel<T>& kernel, const Rows<T>& a, const Rows<T>& b, T* out,
                         const Execution& execution);

}  // namespace maxmargin::kernels
