// A Gram matrix that lies in memory: its values from terms that kernels share, and products with it.
#pragma once

#include <span>

#include "../kernels/kernel.h"
#include "source.h"

namespace maxmargin::rows {

// out[i, j] = affine(k(terms[i, j])): the kernel of dot products or squared distances, n x n.
template <class T>
void map_gram(const kernels::Kernel<T>& kernel, const Affine<T>& affine, const T* terms, int64_t n,
              T* out, int64_t stride, const Execution& execution);

template <class T>
struct ResidentGram {
  const T* values;
  int64_t n_points, stride;

  const T* row(int64_t point) const { return values + point * stride; }
};

// values[v, k] = sum over j of coefficients[v, j] gram[j, at[k]]; points side by side cost least.
template <class T>
void expand(const ResidentGram<T>& gram, const double* coefficients, int64_t n_vectors,
            std::span<const int64_t> at, double* values, const Execution& execution);

}  // namespace maxmargin::rows
