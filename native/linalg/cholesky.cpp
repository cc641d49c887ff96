#include "cholesky.h"

#include <algorithm>
#include <cmath>

#include "../blas/lapack.h"
#include "../simd/dispatch.h"

namespace maxmargin::linalg {
namespace {

double dot(const double* a, const double* b, int64_t n) {
  return simd::active_loops<double>().weigh(a, b, n);
}

// Rows from which LAPACK is faster than plain loops: a call costs about a microsecond.
constexpr int64_t worth_a_call = 16;

}  // namespace

bool Cholesky::factorise(const double* matrix, int64_t n, double ridge,
                         const std::vector<double>& diagonal) {
  n_ = n;
  factor_.resize(n * n);
  const auto potrf = n < worth_a_call ? nullptr : blas::potrf.load();
  for (int64_t i = 0; i < n; ++i) {
    double* own = factor_.data() + i * n;
    std::copy_n(matrix + i * n, i + 1, own);
    own[i] += diagonal.empty() ? ridge : diagonal[i] + ridge;
    if (potrf != nullptr) continue;
    for (int64_t j = 0; j < i; ++j) own[j] = (own[j] - dot(own, row(j), j)) / row(j)[j];
    const double pivot = own[i] - dot(own, own, i);
    if (!(pivot > 0)) return false;
    own[i] = std::sqrt(pivot);
  }
  // LAPACK sees the lower triangle, row by row, as an upper one, column by column.
  char upper = 'U';
  int size = static_cast<int>(n), info = 0;
  if (potrf != nullptr) potrf(&upper, &size, factor_.data(), &size, &info);
  for (int64_t i = 0; i < n && info == 0; ++i) info = std::isfinite(row(i)[i]) ? 0 : 1;
  return info == 0;
}

bool Cholesky::factorise_with_growing_ridge(const double* matrix, int64_t n, double ridge,
                                            int most, const std::vector<double>& diagonal) {
  for (int tries = 0; tries < most; ++tries, ridge *= 100) {
    if (factorise(matrix, n, ridge, diagonal)) return true;
  }
  return false;
}

void Cholesky::solve(std::vector<double>& x) const {
  for (int64_t i = 0; i < n_; ++i) x[i] = (x[i] - dot(row(i), x.data(), i)) / row(i)[i];
  for (int64_t i = n_ - 1; i >= 0; --i) {
    x[i] /= row(i)[i];
    const double* own = row(i);
    const double scale = -x[i];
    simd::active_loops<double>().add_weighted(&own, &scale, 1, 0, i, x.data());
  }
}

}  // namespace maxmargin::linalg
