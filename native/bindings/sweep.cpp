// The Python face of machines along a price, and of the matrix they share.
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "../decomposition/sweep.h"
#include "../rows/shared_gram.h"
#include "arrays.h"
#include "listener.h"

namespace maxmargin::bindings {
namespace {

using namespace nb::literals;
using decomposition::Ending;
using decomposition::SharedGram;
using rows::Affine;
using rows::Execution;

template <class T>
void map_gram(kernels::Form form, Matrix<T> sums, Output<T> gram, double gamma, double coef0,
              int degree, double factor, double constant, int n_threads) {
  const int64_t n = extent(sums, 0);
  if (extent(sums, 1) != n || extent(gram, 0) <= n || extent(gram, 1) < n) {
    throw nb::value_error("the sums must be square, and the matrix larger than they are");
  }
  const kernels::Kernel<T> kernel{form, static_cast<T>(gamma), static_cast<T>(coef0), degree};
  const Affine<T> affine{static_cast<T>(factor), static_cast<T>(constant)};
  const int64_t stride = extent(gram, 1);
  nb::gil_scoped_release without_interpreter;
  rows::map_gram<T>(kernel, affine, sums.data(), n, gram.data(), stride, Execution{n_threads, {}});
}

template <class T>
struct HeldSweep {
  Matrix<T> gram;
  decomposition::Sweep<T> sweep;

  HeldSweep(Matrix<T> matrix, int64_t n_points, Vector<int64_t> points, int n_groups, bool loose,
            bool precise)
      : gram(matrix),
        sweep(checked(matrix, n_points), distinct(points, n_points), n_groups, loose, precise) {}

  static SharedGram<T> checked(const Matrix<T>& matrix, int64_t n_points) {
    if (extent(matrix, 0) <= n_points || extent(matrix, 1) < n_points + SharedGram<T>::room) {
      throw nb::value_error("the matrix has no room behind its points");
    }
    return {matrix.data(), n_points, extent(matrix, 1)};
  }

  static std::vector<int64_t> distinct(const Vector<int64_t>& points, int64_t n_points) {
    std::vector<int64_t> copy(points.data(), points.data() + points.size());
    std::vector<char> is_taken(n_points);
    for (const int64_t point : copy) {
      if (point < 0 || point >= n_points || is_taken[point]) {
        throw nb::value_error("the points must be different ones of the matrix");
      }
      is_taken[point] = 1;
    }
    return copy;
  }
};

const char* name_of(Ending ending, const Listener& listener) {
  switch (ending) {
    case Ending::converged: return "converged";
    case Ending::steps: return "steps";
    case Ending::stalled: return "stalled";
    default: return listener.reason().c_str();
  }
}

template <class T>
nb::tuple solve(HeldSweep<T>& held, Vector<double> start, Vector<double> low, Vector<double> high,
                Vector<double> linear, Vector<int64_t> group, double factor, double tolerance,
                double coarse, int64_t most_steps, int n_threads, double seconds, nb::object watch) {
  decomposition::Sweep<T>& sweep = held.sweep;
  const auto m = static_cast<size_t>(sweep.n_variables());
  for (const size_t size : {start.size(), low.size(), high.size(), linear.size(), group.size()}) {
    if (size != m) throw nb::value_error("the arrays of a stage must have one entry a variable");
  }
  for (size_t v = 0; v < m; ++v) {
    if (group.data()[v] < 0 || group.data()[v] >= sweep.n_groups()) {
      throw nb::value_error("a variable's sum lies outside those of the sweep");
    }
  }
  const decomposition::Stage stage{{start.data(), m}, {low.data(), m},   {high.data(), m},
                                   {linear.data(), m}, {group.data(), m}, factor,
                                   tolerance,          coarse,            most_steps};
  Listener listener(watch, seconds);
  const threads::ShouldStop should_stop = [&] { return listener.should_stop(); };
  decomposition::Outcome outcome{};
  std::vector<double> values, gradient;
  {
    nb::gil_scoped_release without_interpreter;
    listener.report(0, {});
    outcome = sweep.solve(stage, Execution{n_threads, should_stop});
    values = sweep.values();
    gradient = sweep.gradient();
  }
  listener.rethrow_error();
  return nb::make_tuple(as_array(values, m), as_array(gradient, m), outcome.progress.violation,
                        outcome.progress.steps, name_of(outcome.ending, listener));
}

template <class T>
nb::object similarities(const HeldSweep<T>& held, Vector<int64_t> at) {
  const std::span<const int64_t> points(at.data(), at.size());
  for (const int64_t point : points) {
    if (point < 0 || point >= held.sweep.n_points()) {
      throw nb::value_error("a point lies outside the matrix");
    }
  }
  std::vector<double> sums;
  {
    nb::gil_scoped_release without_interpreter;
    sums = held.sweep.similarities(points);
  }
  return as_array(sums, sums.size());
}

template <class T>
void set_similarities(HeldSweep<T>& held, Vector<double> known) {
  if (extent(known, 0) != held.sweep.n_points()) {
    throw nb::value_error("there must be one similarity a point");
  }
  held.sweep.set_similarities({known.data(), known.size()});
}

template <class T>
void bind_one(nb::module_& module, const char* name) {
  module.def("map_gram", &map_gram<T>, "form"_a, "sums"_a.noconvert(), "gram"_a.noconvert(),
             "gamma"_a, "coef0"_a, "degree"_a, "factor"_a, "constant"_a, "n_threads"_a);
  nb::class_<HeldSweep<T>>(module, name)
      .def(nb::init<Matrix<T>, int64_t, Vector<int64_t>, int, bool, bool>(), "gram"_a.noconvert(),
           "n_points"_a, "points"_a, "n_groups"_a, "loose"_a, "precise"_a)
      .def("solve", &solve<T>, "start"_a, "low"_a, "high"_a, "linear"_a, "group"_a, "factor"_a,
           "tolerance"_a, "coarse"_a, "most_steps"_a, "n_threads"_a, "seconds"_a,
           "watch"_a.none())
      .def("similarities", &similarities<T>, "at"_a)
      .def("set_similarities", &set_similarities<T>, "known"_a);
}

}  // namespace

void bind_sweep(nb::module_& module) {
  bind_one<float>(module, "Sweep32");
  bind_one<double>(module, "Sweep64");
}

}  // namespace maxmargin::bindings
