// Chooses how a block is computed: wide panels, matrix products where BLAS can give them, or panels
// of differences.
#include "block.h"

#include <algorithm>
#include <limits>

#include "panels.h"
#include "products.h"
#include "wide.h"

namespace maxmargin::kernels {
namespace {

template <class T>
bool suits_products(const Kernel<T>& kernel, const Rows<T>& a, const Rows<T>& b) {
  constexpr int64_t largest_int = std::numeric_limits<int>::max();
  const bool is_product_form = kernel.term() == simd::product || kernel.form == Form::gaussian;
  return is_product_form && !a.is_sparse() && !b.is_sparse() && blas::connected<T>() != nullptr &&
         a.n_columns > 0 && a.n_columns <= largest_int && b.n_rows <= largest_int &&
         std::min(a.n_rows, b.n_rows) > too_few_rows_for_products<T>;
}

template <class T>
void fill(const Kernel<T>& kernel, const Rows<T>& a, const Rows<T>& b, Symmetry symmetry, T* out,
          const Execution& execution) {
  if (a.n_rows == 0 || b.n_rows == 0) return;
  if (symmetry == Symmetry::none && suits_wide_panels(kernel, a, b) &&
      fill_by_wide_panels(kernel, a, b, out, execution)) {
    return;
  }
  if (suits_products(kernel, a, b)) {
    fill_by_products(kernel, a, b, symmetry, out, execution);
  } else {
    fill_by_panels(kernel, a, b, symmetry, out, execution);
  }
}

}  // namespace

template <class T>
void fill_block(const Kernel<T>& kernel, const Rows<T>& a, const Rows<T>& b, T* out,
                const Execution& execution) {
  fill(kernel, a, b, Symmetry::none, out, execution);
}

template <class T>
void fill_symmetric_block(const Kernel<T>& kernel, const Rows<T>& a, T* out,
                          const Execution& execution) {
  fill(kernel, a, a, Symmetry::mirrored, out, execution);
}

template void fill_block<float>(const Kernel<float>&, const Rows<float>&, const Rows<float>&,
                                float*, const Execution&);
template void fill_block<double>(const Kernel<double>&, const Rows<double>&, const Rows<double>&,
                                 double*, const Execution&);
template void fill_symmetric_block<float>(const Kernel<float>&, const Rows<float>&, float*,
                                          const Execution&);
template void fill_symmetric_block<double>(const Kernel<double>&, const Rows<double>&, double*,
                                           const Execution&);

}  // namespace maxmargin::kernels
