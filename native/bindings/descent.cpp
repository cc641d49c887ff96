// The Python face of the descents that are no box programs: l1 machines, and Crammer and Singer's.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "../linear/crammer_singer.h"
#include "../linear/l1.h"
#include "arrays.h"
#include "linear_answers.h"

namespace maxmargin::bindings {
namespace {

using namespace nb::literals;
using linear::ClassMachine;
using linear::ClassProgram;
using linear::Execution;
using linear::L1Program;

template <class T>
linear::Matrix<T> matrix_of(const kernels::Rows<T>& rows) {
  return {rows.n_rows, rows.n_columns, rows.values, rows.n_columns, 1, rows.starts, rows.columns};
}

linear::Report reporter(Listener& listener, int64_t program) {
  return [&listener, program](const linear::Progress& now) {
    listener.report(program, seen_of(now));
  };
}

L1Program make_l1_program(Vector<double> sign, Vector<double> cost, double bias_price) {
  if (sign.size() != cost.size()) {
    throw nb::value_error("the signs and costs of a program differ in length");
  }
  if (!(bias_price >= 0)) throw nb::value_error("the price of a bias is zero or more");
  return {copied(sign), copied(cost), bias_price};
}

// A start has a program's weights and then its bias, or nothing.
template <class T>
nb::list solve_l1(const HeldRows<T>& columns, std::vector<L1Program*> programs,
                  std::vector<Vector<double>> starts, double gap, int64_t most_iterations,
                  uint64_t seed, int n_threads, double seconds, nb::object watch) {
  const linear::Matrix<T> data = matrix_of(columns.view);
  if (starts.size() != programs.size()) {
    throw nb::value_error("there must be as many starts as programs");
  }
  for (size_t k = 0; k < programs.size(); ++k) {
    const int64_t d = extent(starts[k], 0);
    if (programs[k]->n_points() != data.n_columns || (d != 0 && d != data.n_rows + 1)) {
      throw nb::value_error("a program or a start does not fit the data");
    }
  }
  const linear::Limits limits{gap, most_iterations};
  std::vector<LinearResult> results(programs.size());
  Listener listener(watch, seconds);
  const threads::ShouldStop should_stop = [&] { return listener.should_stop(); };
  {
    nb::gil_scoped_release without_interpreter;
    const auto solve = [&](int64_t k, threads::Worker&) {
      if (listener.has_stopped()) return;
      const linear::Report report = reporter(listener, k);
      std::vector<double> weights = copied(starts[k]);
      const double bias = weights.empty() ? 0.0 : weights.back();
      if (!weights.empty()) weights.pop_back();
      linear::L1Descent<T> descent(data, *programs[k], limits, seed, should_stop, report);
      const linear::Outcome outcome = descent.run(weights, bias);
      results[k] = {outcome, descent.take_machine()};
      listener.program_done();
    };
    try {
      threads::parallel_for(static_cast<int64_t>(programs.size()), n_threads, solve, should_stop);
    } catch (const threads::Interrupted&) {
    }
  }
  listener.rethrow_error();
  return as_answers(std::move(results), listener);
}

ClassProgram make_class_program(Vector<int32_t> label, Vector<double> cost, int32_t n_classes,
                                double bias_scale) {
  if (label.size() != cost.size()) {
    throw nb::value_error("the labels and costs of a program differ in length");
  }
  if (n_classes < 2) throw nb::value_error("a program has two classes or more");
  if (!(bias_scale >= 0)) throw nb::value_error("the scale of a bias is zero or more");
  for (size_t i = 0; i < label.size(); ++i) {
    if (label.data()[i] < 0 || label.data()[i] >= n_classes) {
      throw nb::value_error("a label is not one of the classes");
    }
  }
  return {n_classes, {label.data(), label.data() + label.size()}, copied(cost), bias_scale};
}

template <class T>
nb::tuple solve_crammer_singer(const HeldRows<T>& rows, const ClassProgram& program,
                               Vector<double> start, double gap, int64_t most_iterations,
                               uint64_t seed, int n_threads, double seconds, nb::object watch) {
  const linear::Matrix<T> data = matrix_of(rows.view);
  const int64_t n_multipliers = program.n_points() * program.n_classes;
  if (program.n_points() != data.n_rows ||
      (extent(start, 0) != 0 && extent(start, 0) != n_multipliers)) {
    throw nb::value_error("the program or its start does not fit the data");
  }
  Listener listener(watch, seconds);
  const Execution execution{n_threads, [&] { return listener.should_stop(); }};
  const linear::Report report = reporter(listener, 0);
  linear::Outcome outcome{linear::Ending::interrupted, {}};
  ClassMachine machine;
  std::vector<double> multipliers = copied(start);
  {
    nb::gil_scoped_release without_interpreter;
    linear::CrammerSinger<T> solver(data, program, {gap, most_iterations}, seed, execution, report);
    outcome = solver.run(std::move(multipliers));
    machine = solver.take_machine();
  }
  listener.rethrow_error();
  return as_answer(outcome, std::move(machine.weights), owned(std::move(machine.bias)),
                   std::move(machine.multipliers), listener);
}

template <class T>
void bind_solvers(nb::module_& module) {
  module.def("solve_l1", &solve_l1<T>, "columns"_a, "programs"_a, "starts"_a, "gap"_a,
             "most_iterations"_a, "seed"_a, "n_threads"_a, "seconds"_a, "watch"_a.none());
  module.def("solve_crammer_singer", &solve_crammer_singer<T>, "rows"_a, "program"_a, "start"_a,
             "gap"_a, "most_iterations"_a, "seed"_a, "n_threads"_a, "seconds"_a,
             "watch"_a.none());
}

}  // namespace

void bind_descent(nb::module_& module) {
  nb::class_<L1Program>(module, "L1Program")
      .def("__init__", [](L1Program* self, Vector<double> sign, Vector<double> cost,
                          double bias_price) {
        new (self) L1Program(make_l1_program(sign, cost, bias_price));
      }, "sign"_a, "cost"_a, "bias_price"_a);
  nb::class_<ClassProgram>(module, "ClassProgram")
      .def("__init__", [](ClassProgram* self, Vector<int32_t> label, Vector<double> cost,
                          int32_t n_classes, double bias_scale) {
        new (self) ClassProgram(make_class_program(label, cost, n_classes, bias_scale));
      }, "label"_a, "cost"_a, "n_classes"_a, "bias_scale"_a);
  bind_solvers<float>(module);
  bind_solvers<double>(module);
}

}  // namespace maxmargin::bindings
