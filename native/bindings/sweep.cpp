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

constexpr double infinity = std::numeric_limits<double>::infinity();

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

struct HeldStage {
  Vector<double> start, low, high, linear;
  Vector<int64_t> group;
  double factor, tolerance, coarse;
  int64_t most_steps;

  template <class T>
  decomposition::Stage view_for(const decomposition::Sweep<T>& sweep) const {
    const auto m = static_cast<size_t>(sweep.n_variables());
    for (const size_t size : {start.size(), low.size(), high.size(), linear.size(), group.size()}) {
      if (size != m) throw nb::value_error("the arrays of a stage must have one entry a variable");
    }
    for (size_t v = 0; v < m; ++v) {
      if (group.data()[v] < 0 || group.data()[v] >= sweep.n_groups()) {
        throw nb::value_error("a variable's sum lies outside those of the sweep");
      }
    }
    return {{start.data(), m}, {low.data(), m}, {high.data(), m}, {linear.data(), m},
            {group.data(), m}, factor,          tolerance,        coarse,
            most_steps};
  }
};

// Where a sweep that is not reached stays.
struct Solved {
  decomposition::Outcome outcome{Ending::interrupted, {.violation = infinity}};
  std::vector<double> values, gradient;
};

// Sweeps side by side, each on one thread.
template <class T>
nb::list solve(std::vector<HeldSweep<T>*> sweeps, std::vector<HeldStage*> stages, int n_threads,
               nb::object watch) {
  if (sweeps.size() != stages.size()) throw nb::value_error("there must be one stage a sweep");
  std::vector<decomposition::Stage> views;
  for (size_t k = 0; k < sweeps.size(); ++k) views.push_back(stages[k]->view_for(sweeps[k]->sweep));
  std::vector<Solved> solved(sweeps.size());
  Listener listener(watch, -1);
  const threads::ShouldStop should_stop = [&] { return listener.should_stop(); };
  {
    nb::gil_scoped_release without_interpreter;
    listener.report(0, {});
    const auto solve_one = [&](int64_t k, threads::Worker&) {
      decomposition::Sweep<T>& sweep = sweeps[k]->sweep;
      solved[k] = {sweep.solve(views[k], Execution{1, should_stop}), sweep.values(),
                   sweep.gradient()};
    };
    try {
      threads::parallel_for(static_cast<int64_t>(sweeps.size()), n_threads, solve_one, should_stop);
    } catch (const threads::Interrupted&) {
    }
  }
  listener.rethrow_error();
  nb::list found;
  for (const auto& [outcome, values, gradient] : solved) {
    found.append(nb::make_tuple(as_array(values, values.size()), as_array(gradient, gradient.size()),
                                outcome.progress.violation, outcome.progress.steps,
                                name_of(outcome.ending, listener)));
  }
  return found;
}

// One sweep after the other, at all points each.
template <class T>
nb::object similarities(std::vector<HeldSweep<T>*> sweeps, Vector<int64_t> at, int n_threads) {
  const std::span<const int64_t> points(at.data(), at.size());
  for (const HeldSweep<T>* held : sweeps) {
    for (const int64_t point : points) {
      if (point < 0 || point >= held->sweep.n_points()) {
        throw nb::value_error("a point lies outside the matrix");
      }
    }
  }
  std::vector<double> sums(sweeps.size() * points.size());
  {
    nb::gil_scoped_release without_interpreter;
    const auto find_one = [&](int64_t k, threads::Worker&) {
      sweeps[k]->sweep.similarities(points, sums.data() + k * static_cast<int64_t>(points.size()));
    };
    threads::parallel_for(static_cast<int64_t>(sweeps.size()), n_threads, find_one, {});
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
      .def_static("solve", &solve<T>, "sweeps"_a, "stages"_a, "n_threads"_a, "watch"_a.none())
      .def_static("similarities", &similarities<T>, "sweeps"_a, "at"_a, "n_threads"_a)
      .def("set_similarities", &set_similarities<T>, "known"_a);
}

}  // namespace

void bind_sweep(nb::module_& module) {
  nb::class_<HeldStage>(module, "Stage")
      .def(nb::init<Vector<double>, Vector<double>, Vector<double>, Vector<double>, Vector<int64_t>,
                    double, double, double, int64_t>(),
           "start"_a, "low"_a, "high"_a, "linear"_a, "group"_a, "factor"_a, "tolerance"_a,
           "coarse"_a, "most_steps"_a);
  bind_one<float>(module, "Sweep32");
  bind_one<double>(module, "Sweep64");
}

}  // namespace maxmargin::bindings
