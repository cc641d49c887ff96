// Sweeps of coordinate descent that go before interior points on sparse rows: for small costs they are
// all it takes, and otherwise they lead to weights to start from.
#pragma once

#include "coordinate_descent.h"
#include "matrix.h"
#include "program.h"
#include "sums.h"

namespace maxmargin::linear {

struct DescentStart {
  Outcome outcome;
  Machine machine;
  bool is_near;  // near enough to the optimum to start from
};

// Whether sweeps are worth their time.
template <class T>
bool starts_by_descent(const Matrix<T>& data, const Program& program);

// About as many sweeps at most as interior points would take time.
template <class T>
DescentStart start_by_descent(const Matrix<T>& data, const Program& program, const Limits& limits,
                              const Execution& execution, const Report& report);

}  // namespace maxmargin::linear
