// Matrix products through a BLAS that the caller supplies as function pointers.
#pragma once

#include <cstdint>

namespace maxmargin::blas {

// The Fortran interface of ?gemm with 32-bit integers.
template <class T>
using Gemm = void (*)(char* trans_a, char* trans_b, int* m, int* n, int* k, T* alpha, T* a, int* lda,
                      T* b, int* ldb, T* beta, T* c, int* ldc);

// Null takes the BLAS away; the kernels then use their own loops.
template <class T>
void connect(Gemm<T> gemm);

template <class T>
Gemm<T> connected();

// A block of rows inside a larger row-major matrix.
template <class T>
struct RowBlock {
  const T* data;
  int64_t n_rows;
  int64_t stride;
};

// out = a b' + (accumulate ? out : 0) for row-major a (m x depth), b (n x depth), out (m x n).
// Every extent and stride must fit in a 32-bit int.
template <class T>
void multiply(Gemm<T> gemm, RowBlock<T> a, RowBlock<T> b, int64_t depth, bool accumulate, T* out,
              int64_t out_stride);

}  // namespace maxmargin::blas
