// The linear machines' Python face: data as the caller keeps it, QPs, and a run over them.
#include <nanobind/stl/vector.h>

#include "../linear/coordinate_descent/coordinate_descent.h"
#include "../linear/driver.h"
#include "arrays.h"
#include "linear_matrix.h"
#include "linear_solutions.h"

namespace maxmargin::bindings {
namespace {

using namespace nb::literals;
using linear::BoxQP;
using linear::Method;
using linear::WarmStart;

template <class T>
HeldMatrix<T> hold_dense(AnyLayout<T> array) {
  // The stride of a single column is anything.
  const int64_t column_stride = extent(array, 1) > 1 ? array.stride(1) : 1;
  const data::Matrix<T> view{extent(array, 0), extent(array, 1), array.data(), array.stride(0),
                             column_stride};
  return {.view = view, .dense = array, .values = {}, .starts = {}, .columns = {}};
}

template <class T>
HeldMatrix<T> hold_csr(Vector<T> values, Vector<int32_t> columns, Vector<int64_t> starts,
                       int64_t n_columns) {
  const int64_t n_rows = checked_rows(values, columns, starts, n_columns);
  const data::Matrix<T> view{n_rows, n_columns,     values.data(), 0,
                             1,      starts.data(), columns.data()};
  return {.view = view, .dense = {}, .values = values, .starts = starts, .columns = columns};
}

// A QP and the arrays that keep it valid.
struct HeldQP {
  BoxQP view;
  Vector<double> sign, linear, cost, ridge;

  HeldQP(Vector<double> sign, Vector<double> linear, Vector<double> cost, Vector<double> ridge,
         int64_t n_points, double bias_weight)
      : sign(sign), linear(linear), cost(cost), ridge(ridge) {
    const size_t m = sign.size();
    if (linear.size() != m || cost.size() != m || ridge.size() != m) {
      throw nb::value_error("the arrays of a QP differ in length");
    }
    if (n_points < 1 || m % static_cast<size_t>(n_points) != 0 || m == 0) {
      throw nb::value_error("a QP has one or two variables per point");
    }
    view = {n_points,         static_cast<int32_t>(m / static_cast<size_t>(n_points)),
            bias_weight,      {sign.data(), m},
            {linear.data(), m}, {cost.data(), m},
            {ridge.data(), m}};
  }
};

template <class T>
nb::list solve(Method method, const HeldMatrix<T>& data, std::vector<HeldQP*> problems,
               std::vector<WarmStart*> starts, double gap, int64_t max_iter, uint64_t seed,
               int n_threads, double seconds, nb::object watch) {
  if (starts.size() != problems.size()) {
    throw nb::value_error("there must be as many starts as problems");
  }
  std::vector<BoxQP> qps;
  for (size_t k = 0; k < problems.size(); ++k) {
    const size_t m = starts[k]->multipliers.size(), d = starts[k]->weights.size();
    qps.push_back(problems[k]->view);
    if (qps[k].n_points != data.view.n_rows || (m != 0 && m != qps[k].sign.size()) ||
        (d != 0 && static_cast<int64_t>(d) != data.view.n_columns)) {
      throw nb::value_error("a problem or its start does not fit the data");
    }
  }
  if (method == Method::coordinate_descent && !data.view.has_contiguous_rows()) {
    throw nb::value_error("coordinate descent needs contiguous rows");
  }
  if (method == Method::coordinate_descent && data.view.n_rows > linear::most_descent_points) {
    throw nb::value_error("coordinate descent takes no more than 2^32 points");
  }
  Listener listener(watch, seconds);
  std::vector<linear::Solution> solutions;
  {
    nb::gil_scoped_release without_interpreter;
    solutions = linear::solve_all(method, data.view, qps, {starts.begin(), starts.end()},
                                  {gap, max_iter}, seed, n_threads, listener);
  }
  listener.rethrow_error();
  return as_list(std::move(solutions), listener);
}

template <class T>
void bind_matrix(nb::module_& module, const char* name) {
  nb::class_<HeldMatrix<T>>(module, name)
      .def_static("dense", &hold_dense<T>, "array"_a.noconvert())
      .def_static("csr", &hold_csr<T>, "values"_a.noconvert(), "columns"_a.noconvert(),
                  "starts"_a.noconvert(), "n_columns"_a);
  module.def("solve_linear", &solve<T>, "method"_a, "data"_a, "problems"_a, "starts"_a, "gap"_a,
             "max_iter"_a, "seed"_a, "n_threads"_a, "seconds"_a, "watch"_a.none());
}

}  // namespace

void bind_linear(nb::module_& module) {
  nb::enum_<Method>(module, "LinearMethod")
      .value("interior_point", Method::interior_point)
      .value("newton", Method::newton)
      .value("coordinate_descent", Method::coordinate_descent);
  using Array = Vector<double>;
  nb::class_<HeldQP>(module, "LinearQP")
      .def(nb::init<Array, Array, Array, Array, int64_t, double>(), "sign"_a, "linear"_a, "cost"_a,
           "ridge"_a, "n_points"_a, "bias_weight"_a);
  nb::class_<WarmStart>(module, "LinearWarmStart")
      .def("__init__", [](WarmStart* self, Array weights, double bias, Array multipliers) {
        new (self) WarmStart{copied(weights), copied(multipliers), bias};
      }, "weights"_a, "bias"_a, "multipliers"_a);
  bind_matrix<float>(module, "Matrix32");
  bind_matrix<double>(module, "Matrix64");
}

}  // namespace maxmargin::bindings
