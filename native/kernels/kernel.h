// The six kernels: what a pair of coordinates adds, and what becomes of the sum.
#pragma once

#include <cstdint>

#include "../simd/loops.h"

namespace maxmargin::kernels {

enum class Form { linear, polynomial, gaussian, tanh, laplacian, chi2 };

// Rounding moves an exponent found as a difference of sums by about their size times epsilon; this
// bounds the size.
template <class T>
inline constexpr double largest_exponent_scale = sizeof(T) == 4 ? 256 : 1e5;

template <class T>
struct Kernel {
  Form form;
  T gamma;
  T coef0;
  int degree;

  simd::Term term() const {
    switch (form) {
      case Form::gaussian: return simd::squared_difference;
      case Form::laplacian: return simd::absolute_difference;
      case Form::chi2: return simd::chi_squared;
      default: return simd::product;
    }
  }

  // exp(-gamma distance): one on the diagonal.
  bool is_radial() const { return term() != simd::product; }

  // Whether exp(-gamma distance) keeps its digits when the distance is a difference of sums
  // as large as `scale`. Where the scale is NaN there are none to keep.
  bool survives_cancellation(double scale) const {
    return !(static_cast<double>(gamma) * scale > largest_exponent_scale<T>);
  }

  // Turns sums of terms into kernel values.
  void apply(const simd::Loops<T>& loops, T* sums, int64_t n) const {
    switch (form) {
      case Form::linear: return;
      case Form::polynomial: return loops.polynomial(sums, n, gamma, coef0, degree);
      case Form::tanh: return loops.tanh(sums, n, gamma, coef0);
      default: return loops.decay(sums, n, gamma);
    }
  }
};

}  // namespace maxmargin::kernels
