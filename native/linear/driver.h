// The strategy of the linear solvers: what is tried first, what follows, and with how many threads.
#pragma once

#include <vector>

#include "../run/listener.h"
#include "l1/l1.h"
#include "solution.h"

namespace maxmargin::linear {

enum class Method { interior_point, newton, coordinate_descent };

// Solves all QPs over one data set, each from its warm start. Coordinate descent solves them side by
// side, one per thread; the other methods one after the other, with all threads each. QPs that an early
// end leaves out keep an empty solution. The rows must be contiguous for coordinate descent.
template <class T>
std::vector<Solution> solve_all(Method method, const Matrix<T>& data, const std::vector<BoxQP>& qps,
                                const std::vector<const WarmStart*>& starts, const run::Stop& stop,
                                uint64_t seed, int n_threads, run::Listener& listener);

// The same for l1 machines, side by side; `columns` holds a feature per row.
template <class T>
std::vector<Solution> solve_all(const Matrix<T>& columns, const std::vector<const L1Problem*>& problems,
                                const std::vector<WarmStart>& starts, const run::Stop& stop,
                                uint64_t seed, int n_threads, run::Listener& listener);

}  // namespace maxmargin::linear
