#include "cholesky.h"

#include <algorithm>
#include <cmath>

#include "../blas/gemm.h"
#include "../simd/dispatch.h"

namespace maxmargin::linalg {
namespace {

// Rows whose part of the factor stays in the cache while later rows use it.
constexpr int64_t block = 48;

double dot(const double* a, const double* b, int64_t n) {
  return simd::active_loops<double>().weigh(a, b, n);
}

}  // namespace

bool Cholesky::factorise(const double* matrix, int64_t n, double ridge) {
  return factorise(matrix, std::vector<double>(n, ridge));
}

bool Cholesky::factorise(const double* matrix, const std::vector<double>& ridge) {
  const int64_t n = n_ = static_cast<int64_t>(ridge.size());
  factor_.resize(n * n);
  for (int64_t i = 0; i < n; ++i) std::copy_n(matrix + i * n, i + 1, factor_.data() + i * n);
  // Block of columns by block of columns: its own rows first, then all rows below.
  for (int64_t first = 0; first < n; first += block) {
    const int64_t last = std::min(first + block, n);
    const int64_t done = subtract_earlier(first, last);
    for (int64_t i = first; i < last; ++i) {
      double* own = factor_.data() + i * n;
      for (int64_t j = first; j < i; ++j) {
        own[j] = (own[j] - dot(own + done, row(j) + done, j - done)) / row(j)[j];
      }
      const double pivot = own[i] + ridge[i] - dot(own + done, own + done, i - done);
      if (!(pivot > 0) || !std::isfinite(pivot)) return false;
      own[i] = std::sqrt(pivot);
    }
    divide_below(done, first, last);
  }
  return true;
}

// Takes the rows below a block of columns through its own rows: column by column and all rows at once,
// for which the columns are laid out side by side.
void Cholesky::divide_below(int64_t done, int64_t first, int64_t last) {
  const int64_t height = n_ - last, width = last - done;
  columns_.resize(height * width);
  for (int64_t i = 0; i < height; ++i) {
    const double* own = row(last + i) + done;
    for (int64_t j = 0; j < width; ++j) columns_[j * height + i] = own[j];
  }
  std::vector<const double*> earlier(width);
  std::vector<double> factors(width);
  for (int64_t j = first; j < last; ++j) {
    for (int64_t k = done; k < j; ++k) {
      earlier[k - done] = columns_.data() + (k - done) * height;
      factors[k - done] = -row(j)[k];
    }
    double* own = columns_.data() + (j - done) * height;
    simd::active_loops<double>().add_weighted(earlier.data(), factors.data(), j - done, 0, height,
                                              own);
    for (int64_t i = 0; i < height; ++i) own[i] /= row(j)[j];
  }
  for (int64_t i = 0; i < height; ++i) {
    double* own = factor_.data() + (last + i) * n_ + done;
    for (int64_t j = first - done; j < width; ++j) own[j] = columns_[j * height + i];
  }
}

// Subtracts from a block of columns what the columns before it contribute, in one product where there
// is a BLAS; returns how many columns that were.
int64_t Cholesky::subtract_earlier(int64_t first, int64_t last) {
  const auto gemm = blas::connected<double>();
  if (gemm == nullptr || first == 0) return 0;
  const int64_t width = last - first, height = n_ - first;
  product_.resize(height * width);
  blas::multiply(gemm, {row(first), height, n_}, {row(first), width, n_}, first, false,
                 product_.data(), width);
  for (int64_t i = 0; i < height; ++i) {
    double* own = factor_.data() + (first + i) * n_ + first;
    for (int64_t j = 0; j < width; ++j) own[j] -= product_[i * width + j];
  }
  return first;
}

bool Cholesky::factorise_with_growing_ridge(const double* matrix, int64_t n, double ridge,
                                            int most) {
  for (int tries = 0; tries < most; ++tries, ridge *= 100) {
    if (factorise(matrix, n, ridge)) return true;
  }
  return false;
}

void Cholesky::solve(std::vector<double>& x) const {
  for (int64_t i = 0; i < n_; ++i) x[i] = (x[i] - dot(row(i), x.data(), i)) / row(i)[i];
  for (int64_t i = n_ - 1; i >= 0; --i) {
    x[i] /= row(i)[i];
    for (int64_t j = 0; j < i; ++j) x[j] -= row(i)[j] * x[i];
  }
}

}  // namespace maxmargin::linalg
