// The solutions of the linear solvers as Python's tuples.
#pragma once

#include <utility>
#include <vector>

#include "../linear/solution.h"
#include "arrays.h"
#include "listener.h"

namespace maxmargin::bindings {

// Weights, bias, multipliers, iterations, both values and what ended the run.
inline nb::tuple as_tuple(linear::Solution&& solution, nb::object bias, const Listener& listener) {
  const auto& [iterations, violation, primal, dual] = solution.progress;
  return nb::make_tuple(owned(std::move(solution.weights)), bias,
                        owned(std::move(solution.multipliers)), iterations, primal, dual,
                        listener.name_of(solution.status));
}

inline nb::list as_list(std::vector<linear::Solution>&& solutions, const Listener& listener) {
  nb::list all;
  for (linear::Solution& solution : solutions) {
    const nb::float_ bias(solution.bias);
    all.append(as_tuple(std::move(solution), bias, listener));
  }
  return all;
}

}  // namespace maxmargin::bindings
