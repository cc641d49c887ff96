#include "gemm.h"

#include <atomic>

namespace maxmargin::blas {
namespace {

template <class T>
std::atomic<Gemm<T>>& slot() {
  static std::atomic<Gemm<T>> gemm{nullptr};
  return gemm;
}

}  // namespace

template <class T>
void connect(Gemm<T> gemm) {
  slot<T>().store(gemm);
}

template <class T>
Gemm<T> connected() {
  return slot<T>().load();
}

// BLAS sees row-major matrices as their transposes, so it is asked for out' = b a'.
template <class T>
void multiply(Gemm<T> gemm, RowBlock<T> a, RowBlock<T> b, int64_t depth, bool accumulate, T* out,
              int64_t out_stride) {
  char transposed = 'T', as_is = 'N';
  int m = static_cast<int>(b.n_rows), n = static_cast<int>(a.n_rows), k = static_cast<int>(depth);
  int lda = static_cast<int>(b.stride), ldb = static_cast<int>(a.stride);
  int ldc = static_cast<int>(out_stride);
  T one = 1, beta = accumulate ? 1 : 0;
  gemm(&transposed, &as_is, &m, &n, &k, &one, const_cast<T*>(b.data), &lda, const_cast<T*>(a.data),
       &ldb, &beta, out, &ldc);
}

template void connect<float>(Gemm<float>);
template void connect<double>(Gemm<double>);
template Gemm<float> connected<float>();
template Gemm<double> connected<double>();
template void multiply<float>(Gemm<float>, RowBlock<float>, RowBlock<float>, int64_t, bool, float*,
                              int64_t);
template void multiply<double>(Gemm<double>, RowBlock<double>, RowBlock<double>, int64_t, bool,
                               double*, int64_t);

}  // namespace maxmargin::blas
