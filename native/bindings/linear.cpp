// The linear solvers' Python face: data as the caller keeps it, programs, and a run over them.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "../kernels/rows.h"
#include "../linear/coordinate_descent.h"
#include "../linear/descent_start.h"
#include "../linear/merging.h"
#include "../linear/newton.h"
#include "../linear/sifting.h"
#include "arrays.h"
#include "linear_answers.h"
#include "linear_matrix.h"

namespace maxmargin::bindings {
namespace {

using namespace nb::literals;
using linear::Execution;
using linear::Program;

template <class T>
HeldMatrix<T> hold_dense(AnyLayout<T> array) {
  // The stride of a single column is anything.
  const int64_t column_stride = extent(array, 1) > 1 ? array.stride(1) : 1;
  const linear::Matrix<T> view{extent(array, 0), extent(array, 1), array.data(), array.stride(0),
                               column_stride};
  return {.view = view, .dense = array, .values = {}, .starts = {}, .columns = {}};
}

template <class T>
HeldMatrix<T> hold_csr(Vector<T> values, Vector<int32_t> columns, Vector<int64_t> starts,
                       int64_t n_columns) {
  const int64_t n_rows = extent(starts, 0) - 1;
  const int64_t n_entries = std::min(extent(values, 0), extent(columns, 0));
  if (n_rows < 0 || n_columns < 0 ||
      !kernels::is_well_formed(starts.data(), n_rows, columns.data(), n_entries, n_columns)) {
    throw nb::value_error("the CSR arrays point outside the matrix");
  }
  const linear::Matrix<T> view{n_rows, n_columns,      values.data(), 0,
                               1,      starts.data(), columns.data()};
  return {.view = view, .dense = {}, .values = values, .starts = starts, .columns = columns};
}

// A program and the arrays that keep it valid.
struct HeldProgram {
  Program view;
  Vector<double> sign, linear, cost, ridge;
};

std::span<const double> span_of(const Vector<double>& values) { return {values.data(), values.size()}; }

HeldProgram hold_program(Vector<double> sign, Vector<double> linear_part, Vector<double> cost,
                     Vector<double> ridge, int64_t n_points, double bias_weight) {
  const size_t m = sign.size();
  if (linear_part.size() != m || cost.size() != m || ridge.size() != m) {
    throw nb::value_error("the arrays of a program differ in length");
  }
  if (n_points < 1 || m % static_cast<size_t>(n_points) != 0 || m == 0) {
    throw nb::value_error("a program has one or two variables a point");
  }
  const auto sides = static_cast<int32_t>(m / static_cast<size_t>(n_points));
  const Program view{n_points,       sides,          bias_weight, span_of(sign), span_of(linear_part),
                     span_of(cost), span_of(ridge)};
  return {view, sign, linear_part, cost, ridge};
}

enum class Method { interior_point, newton, coordinate_descent };

// Where a program starts; empty arrays for zero.
struct Start {
  std::vector<double> weights, multipliers;
  double bias = 0;
};

template <class T>
std::vector<double> squared_norms(const linear::Matrix<T>& data) {
  std::vector<double> norms(data.n_rows);
  for (int64_t row = 0; row < data.n_rows; ++row) norms[row] = data.squared_norm(row);
  return norms;
}

// A program with what limits and watches its run.
template <class T>
struct Task {
  const linear::Matrix<T>& data;
  const Program& program;
  const Start& start;
  const linear::Limits& limits;
  const Execution& execution;
  const linear::Report& report;
};

template <class T>
LinearResult descend(const Task<T>& task, const std::vector<double>& squared_norms, uint64_t seed) {
  linear::CoordinateDescent<T> solver(task.data, squared_norms, task.program, task.limits, seed,
                                      task.execution, task.report);
  const linear::Outcome outcome = solver.run(task.start.multipliers);
  return {outcome, solver.take_machine()};
}

template <class T>
LinearResult take_newton_steps(const Task<T>& task) {
  linear::PrimalNewton<T> solver(task.data, task.program, task.limits, task.execution, task.report);
  const linear::Outcome outcome = solver.run(task.start.weights, task.start.bias);
  return {outcome, solver.take_machine()};
}

template <class T>
LinearResult sift(const Task<T>& task, const LinearResult* known) {
  linear::Sifting<T> solver(task.data, task.program, task.limits, task.execution, task.report);
  if (known != nullptr) solver.offer(known->machine, known->outcome.progress);
  const linear::Outcome outcome = solver.run(task.start.weights, task.start.bias);
  return {outcome, solver.take_machine()};
}

// The same problem over points without repeats, where many repeat others. For interior points alone:
// descents would visit a multiplier that stands for many points as rarely as the others, and Newton's
// method takes too few steps to make up for the search.
template <class T>
LinearResult sift_merged(const Task<T>& task, linear::Repeats<T>& repeats,
                         const LinearResult* known) {
  if (task.program.sides > 1 || repeats.first().empty()) return sift(task, known);
  const linear::MergedPoints<T> points(task.data, task.program, repeats.first());
  LinearResult merged;
  if (known != nullptr) {
    merged = *known;
    merged.machine.multipliers = points.merge(known->machine.multipliers);
  }
  LinearResult result = sift<T>({points.data(), points.program(), task.start, task.limits,
                                 task.execution, task.report},
                                known == nullptr ? nullptr : &merged);
  result.machine.multipliers = points.split(result.machine.multipliers);
  return result;
}

template <class T>
LinearResult solve_by_interior_points(const Task<T>& task, linear::Repeats<T>& repeats) {
  const bool is_cold = task.start.weights.empty();
  if (!is_cold || !linear::starts_by_descent(task.data, task.program)) {
    return sift_merged<T>(task, repeats, nullptr);
  }
  auto [outcome, machine, is_near] = linear::start_by_descent(
      task.data, task.program, task.limits, task.execution, task.report);
  LinearResult known{outcome, std::move(machine)};
  const bool has_ended = outcome.ending == linear::Ending::interrupted ||
                         outcome.progress.relative_gap() <= task.limits.gap ||
                         outcome.progress.iterations >= task.limits.most_iterations;
  if (has_ended) return known;
  const Start start = is_near ? Start{known.machine.weights, {}, known.machine.bias} : Start{};
  const Task<T> rest{task.data, task.program, start, task.limits, task.execution, task.report};
  return sift_merged(rest, repeats, &known);
}

template <class T>
nb::list solve(Method method, const HeldMatrix<T>& data, std::vector<HeldProgram*> programs,
               std::vector<Start*> starts, double gap, int64_t most_iterations, uint64_t seed,
               int n_threads, double seconds, nb::object watch) {
  const auto n_programs = static_cast<int64_t>(programs.size());
  if (starts.size() != programs.size()) {
    throw nb::value_error("there must be as many starts as programs");
  }
  for (size_t k = 0; k < programs.size(); ++k) {
    const size_t m = starts[k]->multipliers.size(), d = starts[k]->weights.size();
    const Program& program = programs[k]->view;
    if (program.n_points != data.view.n_rows || (m != 0 && m != program.sign.size()) ||
        (d != 0 && static_cast<int64_t>(d) != data.view.n_columns)) {
      throw nb::value_error("a program or a start does not fit the data");
    }
  }
  if (method == Method::coordinate_descent && !data.view.has_contiguous_rows()) {
    throw nb::value_error("coordinate descent needs contiguous rows");
  }
  if (method == Method::coordinate_descent && data.view.n_rows > linear::Roster::most_points) {
    throw nb::value_error("coordinate descent takes no more than 2^32 points");
  }
  const linear::Limits limits{gap, most_iterations};
  std::vector<LinearResult> results(programs.size());
  Listener listener(watch, seconds);
  const threads::ShouldStop should_stop = [&] { return listener.should_stop(); };
  {
    nb::gil_scoped_release without_interpreter;
    const bool descends = method == Method::coordinate_descent;
    const auto norms = descends ? squared_norms(data.view) : std::vector<double>();
    linear::Repeats<T> repeats(data.view);
    const auto solve_index = [&](int64_t k, int threads) {
      if (listener.should_stop()) return;
      const linear::Report report = [&, k](const linear::Progress& now) {
        listener.report_at_once(k, seen_of(now));
        if (listener.has_stopped()) throw threads::Interrupted();
      };
      const Execution execution{threads, should_stop};
      const Task<T> task{data.view, programs[k]->view, *starts[k], limits, execution, report};
      results[k] = descends                   ? descend(task, norms, seed)
                   : method == Method::newton ? take_newton_steps(task)
                                              : solve_by_interior_points(task, repeats);
      listener.program_done();
    };
    try {
      if (descends && n_programs > 1) {
        threads::parallel_for(n_programs, n_threads,
                              [&](int64_t k, threads::Worker&) { solve_index(k, 1); },
                              should_stop);
      } else {
        for (int64_t k = 0; k < n_programs; ++k) solve_index(k, n_threads);
      }
    } catch (const threads::Interrupted&) {
    }
  }
  listener.rethrow_error();
  return as_answers(std::move(results), listener);
}

template <class T>
void bind_matrix(nb::module_& module, const char* name) {
  nb::class_<HeldMatrix<T>>(module, name)
      .def_static("dense", &hold_dense<T>, "array"_a.noconvert())
      .def_static("csr", &hold_csr<T>, "values"_a.noconvert(), "columns"_a.noconvert(),
                  "starts"_a.noconvert(), "n_columns"_a);
  module.def("solve_linear", &solve<T>, "method"_a, "data"_a, "programs"_a, "starts"_a, "gap"_a,
             "most_iterations"_a, "seed"_a, "n_threads"_a, "seconds"_a, "watch"_a.none());
}

}  // namespace

void bind_linear(nb::module_& module) {
  nb::enum_<Method>(module, "LinearMethod")
      .value("interior_point", Method::interior_point)
      .value("newton", Method::newton)
      .value("coordinate_descent", Method::coordinate_descent);
  nb::class_<HeldProgram>(module, "LinearProgram")
      .def("__init__", [](HeldProgram* self, Vector<double> sign, Vector<double> linear_part,
                          Vector<double> cost, Vector<double> ridge, int64_t n_points,
                          double bias_weight) {
        new (self) HeldProgram(hold_program(sign, linear_part, cost, ridge, n_points, bias_weight));
      }, "sign"_a, "linear"_a, "cost"_a, "ridge"_a, "n_points"_a, "bias_weight"_a);
  nb::class_<Start>(module, "LinearStart")
      .def("__init__", [](Start* self, Vector<double> weights, double bias,
                          Vector<double> multipliers) {
        new (self) Start{copied(weights), copied(multipliers), bias};
      }, "weights"_a, "bias"_a, "multipliers"_a);
  bind_matrix<float>(module, "Matrix32");
  bind_matrix<double>(module, "Matrix64");
}

}  // namespace maxmargin::bindings
