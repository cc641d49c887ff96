// Cholesky factors through a LAPACK that the caller supplies as a function pointer.
#pragma once

#include <atomic>

namespace maxmargin::blas {

// The Fortran interface of dpotrf with 32-bit integers.
using Potrf = void (*)(char* uplo, int* n, double* a, int* lda, int* info);

// Null takes the LAPACK away; plain loops are then used.
inline std::atomic<Potrf> potrf{nullptr};

}  // namespace maxmargin::blas
