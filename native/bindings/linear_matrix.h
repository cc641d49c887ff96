// The data of the linear machines as Python holds it.
#pragma once

#include "../data/matrix.h"
#include "arrays.h"

namespace maxmargin::bindings {

template <class T>
using AnyLayout = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

// A view of the data and the arrays that keep it valid.
template <class T>
struct HeldMatrix {
  data::Matrix<T> view;
  AnyLayout<T> dense;
  Vector<T> values;
  Vector<int64_t> starts;
  Vector<int32_t> columns;
};

}  // namespace maxmargin::bindings
