// Sources of rows as Python holds them.
#pragma once

#include <memory>
#include <vector>

#include "../rows/source.h"
#include "arrays.h"

namespace maxmargin::bindings {

// A source and the Python objects that its views look into.
template <class T>
struct HeldSource {
  std::unique_ptr<rows::RowSource<T>> source;
  double exponent_scale = 0;  // gamma times the typical squared distance from the centre
  nb::object data{};
  std::vector<int64_t> farthest{};  // some points with the largest norms, where rounding is worst
};

void bind_sources(nb::module_& module);

}  // namespace maxmargin::bindings
