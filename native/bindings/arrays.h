// The array types that cross the border, and the rows that several bindings take.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "../kernels/rows.h"

namespace maxmargin::bindings {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

int64_t extent(const auto& array, size_t axis) { return static_cast<int64_t>(array.shape(axis)); }

// A view of the rows and the arrays that keep it valid.
template <class T>
struct HeldRows {
  kernels::Rows<T> view;
  Matrix<T> dense;
  Vector<T> values;
  Vector<int64_t> starts;
  Vector<int32_t> columns;
};

// The number of rows of a CSR matrix.
template <class T>
int64_t checked_rows(const Vector<T>& values, const Vector<int32_t>& columns,
                     const Vector<int64_t>& starts, int64_t n_columns) {
  const int64_t n_rows = extent(starts, 0) - 1;
  const int64_t n_entries = std::min(extent(values, 0), extent(columns, 0));
  if (n_rows < 0 || n_columns < 0 ||
      !kernels::is_well_formed(starts.data(), n_rows, columns.data(), n_entries, n_columns)) {
    throw nb::value_error("the CSR arrays point outside the matrix");
  }
  return n_rows;
}

inline std::vector<double> copied(const Vector<double>& values) {
  return {values.data(), values.data() + values.size()};
}

inline nb::object as_array(const std::vector<double>& values, size_t n) {
  return nb::cast(nb::ndarray<const double, nb::numpy, nb::ndim<1>>(values.data(), {n}),
                  nb::rv_policy::copy);
}

// An array that takes the vector over.
template <class T>
nb::object owned(std::vector<T>&& values) {
  // An array needs an address even where it is empty.
  values.reserve(1);
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  T* data = kept->data();
  const size_t size = kept->size();
  nb::capsule owner(kept.get(),
                    [](void* old) noexcept { delete static_cast<std::vector<T>*>(old); });
  kept.release();
  return nb::cast(nb::ndarray<T, nb::numpy, nb::ndim<1>>(data, {size}, owner));
}

void bind_descent(nb::module_& module);
void bind_decomposition(nb::module_& module);
void bind_linear(nb::module_& module);
void bind_online(nb::module_& module);
void bind_sequences(nb::module_& module);
void bind_text(nb::module_& module);

}  // namespace maxmargin::bindings
