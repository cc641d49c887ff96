// The Python face of the machines that are no box QPs: l1 machines, and Crammer and Singer's.
#include <nanobind/stl/vector.h>

#include "../linear/crammer_singer/crammer_singer.h"
#include "../linear/driver.h"
#include "arrays.h"
#include "linear_solutions.h"

namespace maxmargin::bindings {
namespace {

using namespace nb::literals;
using linear::ClassProblem;
using linear::L1Problem;

template <class T>
data::Matrix<T> matrix_of(const kernels::Rows<T>& rows) {
  return {rows.n_rows, rows.n_columns, rows.values, rows.n_columns, 1, rows.starts, rows.columns};
}

L1Problem make_l1_problem(Vector<double> sign, Vector<double> cost, double bias_penalty) {
  if (sign.size() != cost.size()) {
    throw nb::value_error("the signs and costs of a problem differ in length");
  }
  if (!(bias_penalty >= 0)) throw nb::value_error("the penalty of a bias is zero or more");
  return {copied(sign), copied(cost), bias_penalty};
}

// A start has a problem's weights and then its bias, or nothing.
template <class T>
nb::list solve_l1(const HeldRows<T>& columns, std::vector<L1Problem*> problems,
                  std::vector<Vector<double>> starts, double gap, int64_t max_iter, uint64_t seed,
                  int n_threads, double seconds, nb::object watch) {
  const data::Matrix<T> data = matrix_of(columns.view);
  if (starts.size() != problems.size()) {
    throw nb::value_error("there must be as many starts as problems");
  }
  std::vector<linear::WarmStart> warm(starts.size());
  for (size_t k = 0; k < problems.size(); ++k) {
    const int64_t d = extent(starts[k], 0);
    if (problems[k]->n_points() != data.n_columns || (d != 0 && d != data.n_rows + 1)) {
      throw nb::value_error("a problem or its start does not fit the data");
    }
    if (d == 0) continue;
    warm[k].weights.assign(starts[k].data(), starts[k].data() + d - 1);
    warm[k].bias = starts[k].data()[d - 1];
  }
  Listener listener(watch, seconds);
  std::vector<linear::Solution> solutions;
  {
    nb::gil_scoped_release without_interpreter;
    solutions = linear::solve_all(data, {problems.begin(), problems.end()}, warm, {gap, max_iter},
                                  seed, n_threads, listener);
  }
  listener.rethrow_error();
  return as_list(std::move(solutions), listener);
}

ClassProblem make_class_problem(Vector<int32_t> label, Vector<double> cost, int32_t n_classes,
                                double bias_scale) {
  if (label.size() != cost.size()) {
    throw nb::value_error("the labels and costs of a problem differ in length");
  }
  if (n_classes < 2) throw nb::value_error("a problem has two classes or more");
  if (!(bias_scale >= 0)) throw nb::value_error("the scale of a bias is zero or more");
  const std::vector<int32_t> labels(label.data(), label.data() + label.size());
  for (const int32_t own : labels) {
    if (own < 0 || own >= n_classes) throw nb::value_error("a label is not one of the classes");
  }
  return {n_classes, labels, copied(cost), bias_scale};
}

template <class T>
nb::tuple solve_crammer_singer(const HeldRows<T>& rows, const ClassProblem& problem,
                               Vector<double> start, double gap, int64_t max_iter, uint64_t seed,
                               int n_threads, double seconds, nb::object watch) {
  const data::Matrix<T> data = matrix_of(rows.view);
  const int64_t n_multipliers = problem.n_points() * problem.n_classes;
  if (problem.n_points() != data.n_rows ||
      (extent(start, 0) != 0 && extent(start, 0) != n_multipliers)) {
    throw nb::value_error("the problem or its start does not fit the data");
  }
  Listener listener(watch, seconds);
  std::vector<double> multipliers = copied(start);
  linear::ClassSolution solution;
  {
    nb::gil_scoped_release without_interpreter;
    solution = linear::solve_crammer_singer(data, problem, std::move(multipliers), {gap, max_iter},
                                            seed, n_threads, listener);
  }
  listener.rethrow_error();
  nb::object biases = owned(std::move(solution.biases));
  return as_tuple(std::move(solution), biases, listener);
}

template <class T>
void bind_solvers(nb::module_& module) {
  module.def("solve_l1", &solve_l1<T>, "columns"_a, "problems"_a, "starts"_a, "gap"_a,
             "max_iter"_a, "seed"_a, "n_threads"_a, "seconds"_a, "watch"_a.none());
  module.def("solve_crammer_singer", &solve_crammer_singer<T>, "rows"_a, "problem"_a, "start"_a,
             "gap"_a, "max_iter"_a, "seed"_a, "n_threads"_a, "seconds"_a,
             "watch"_a.none());
}

}  // namespace

void bind_descent(nb::module_& module) {
  nb::class_<L1Problem>(module, "L1Problem")
      .def("__init__", [](L1Problem* self, Vector<double> sign, Vector<double> cost,
                          double bias_penalty) {
        new (self) L1Problem(make_l1_problem(sign, cost, bias_penalty));
      }, "sign"_a, "cost"_a, "bias_penalty"_a);
  nb::class_<ClassProblem>(module, "ClassProblem")
      .def("__init__", [](ClassProblem* self, Vector<int32_t> label, Vector<double> cost,
                          int32_t n_classes, double bias_scale) {
        new (self) ClassProblem(make_class_problem(label, cost, n_classes, bias_scale));
      }, "label"_a, "cost"_a, "n_classes"_a, "bias_scale"_a);
  bind_solvers<float>(module);
  bind_solvers<double>(module);
}

}  // namespace maxmargin::bindings
