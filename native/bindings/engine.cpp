// The engine's Python face: sources of rows, programs, and the run over them.
#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "../decomposition/decomposition.h"
#include "../rows/duplicates.h"
#include "../rows/matrix_source.h"
#include "../rows/vector_source.h"
#include "arrays.h"

namespace maxmargin::bindings {
namespace {

using namespace nb::literals;
using decomposition::Ending;
using decomposition::Program;
using kernels::Form;
using rows::Affine;
using rows::Execution;

// A source and the Python objects that its views look into.
template <class T>
struct HeldSource {
  std::unique_ptr<rows::RowSource<T>> source;
  double exponent_scale = 0;  // gamma times the typical squared distance from the centre
  nb::object data{};
  std::vector<int64_t> farthest{};  // some points with the largest norms, where rounding is worst
};

// Increasing cuts from the first point to behind the last.
std::vector<int64_t> checked(const Vector<int64_t>& cuts, int64_t n_points) {
  std::vector<int64_t> boundaries(cuts.data(), cuts.data() + cuts.size());
  const bool increase = std::is_sorted(boundaries.begin(), boundaries.end(), std::less_equal<>());
  if (boundaries.size() < 2 || boundaries.front() != 0 || boundaries.back() != n_points || !increase) {
    throw nb::value_error("the boundaries must increase from 0 to the number of points");
  }
  return boundaries;
}

// The rows of a source that are kept from run to run.
template <class T>
struct HeldStore {
  nb::object source;
  std::vector<int64_t> boundaries;
  rows::RowStore<T> store;

  HeldStore(nb::object held, Vector<int64_t> cuts, int64_t budget)
      : source(held),
        boundaries(checked(cuts, nb::cast<const HeldSource<T>&>(held).source->n_points())),
        store(*nb::cast<const HeldSource<T>&>(held).source, boundaries, budget) {}
};

// Rows from a Python function of points a and b (None for all of them).
template <class T>
class FunctionSource final : public rows::RowSource<T> {
 public:
  using typename rows::RowSource<T>::Batch;
  using Array = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

  FunctionSource(int64_t n_points, nb::object block)
      : n_points_(n_points), block_(std::move(block)) {}

  int64_t n_points() const override { return n_points_; }

  std::unique_ptr<Batch> prepare(std::span<const int64_t> points, const Execution&) const override {
    auto prepared = std::make_unique<Prepared>();
    nb::gil_scoped_acquire interpreter;
    prepared->rows = call(points, nb::none(), static_cast<int64_t>(points.size()), n_points_);
    return prepared;
  }

  void fill(const Batch& batch, int64_t begin, int64_t end, T* const* out,
            threads::Worker&) const override {
    const Array& rows = static_cast<const Prepared&>(batch).rows;
    for (int64_t r = 0; r < extent(rows, 0); ++r) {
      std::copy_n(rows.data() + r * n_points_ + begin, end - begin, out[r]);
    }
  }

  void fill_cross(std::span<const int64_t> a, std::span<const int64_t> b, T* const* out,
                  const Execution&) const override {
    nb::gil_scoped_acquire interpreter;
    const auto n = static_cast<int64_t>(b.size());
    const Array block = call(a, positions(b), static_cast<int64_t>(a.size()), n);
    for (int64_t i = 0; i < extent(block, 0); ++i) {
      std::copy_n(block.data() + i * n, n, out[i]);
    }
  }

 private:
  struct Prepared final : Batch {
    Array rows;
    ~Prepared() override {
      nb::gil_scoped_acquire interpreter;
      rows = Array();
    }
  };

  static nb::object positions(std::span<const int64_t> points) {
    return nb::cast(nb::ndarray<const int64_t, nb::numpy, nb::ndim<1>>(points.data(), {points.size()}),
                    nb::rv_policy::copy);
  }

  Array call(std::span<const int64_t> a, const nb::object& b, int64_t n_rows, int64_t n_columns) const {
    const Array block = nb::cast<Array>(block_(positions(a), b));
    if (extent(block, 0) != n_rows || extent(block, 1) != n_columns) {
      throw nb::value_error("a block of the kernel has the wrong shape");
    }
    return block;
  }

  int64_t n_points_;
  nb::object block_;
};

template <class T, class S>
HeldSource<T> source_by_products(const HeldRows<S>& rows, Vector<int64_t> boundaries, Form form,
                                 double gamma, double coef0, int degree, double factor, double constant,
                                 int n_threads) {
  const kernels::Kernel<T> kernel{form, static_cast<T>(gamma), static_cast<T>(coef0), degree};
  const std::span<const int64_t> cuts(boundaries.data(), boundaries.size());
  nb::gil_scoped_release without_interpreter;
  kernels::Points<T> points(rows.view, cuts, form == Form::gaussian, n_threads);
  const double scale = gamma * points.typical_norm();
  std::vector<int64_t> farthest = points.farthest(64);
  return {std::make_unique<rows::ProductSource<T>>(std::move(points), kernel,
                                                   Affine<T>{static_cast<T>(factor), static_cast<T>(constant)}),
          scale, nb::object(), std::move(farthest)};
}

template <class T>
HeldSource<T> source_by_blocks(nb::object held, Form form, double gamma, double coef0, int degree,
                               double factor, double constant) {
  const auto& rows = nb::cast<const HeldRows<T>&>(held);
  const kernels::Kernel<T> kernel{form, static_cast<T>(gamma), static_cast<T>(coef0), degree};
  return {std::make_unique<rows::BlockSource<T>>(rows.view, kernel, Affine<T>{static_cast<T>(factor), static_cast<T>(constant)}), 0,
          held};
}

template <class T, class S>
HeldSource<T> source_of_matrix(Matrix<S> matrix, double factor, double constant) {
  if (extent(matrix, 0) != extent(matrix, 1)) throw nb::value_error("the matrix must be square");
  return {std::make_unique<rows::MatrixSource<T, S>>(matrix.data(), extent(matrix, 0),
                                                     extent(matrix, 1), Affine<T>{static_cast<T>(factor), static_cast<T>(constant)}),
          0, nb::cast(matrix)};
}

template <class T>
HeldSource<T> source_of_function(int64_t n_points, nb::object block) {
  return {std::make_unique<FunctionSource<T>>(n_points, block), 0, nb::object()};
}

template <class S>
nb::object first_alike(const HeldRows<S>& rows) {
  std::vector<int64_t> first;
  {
    nb::gil_scoped_release without_interpreter;
    first = rows::first_alike(rows.view);
  }
  return nb::cast(nb::ndarray<const int64_t, nb::numpy, nb::ndim<1>>(first.data(), {first.size()}),
                  nb::rv_policy::copy);
}

// Listens for the reasons to end a run early. Only the thread that started the run asks Python.
class Listener {
 public:
  Listener(nb::object watch, double seconds)
      : watch_(std::move(watch)), started_(Clock::now()), seconds_(seconds) {}

  bool should_stop() {
    if (stopped_) return true;
    if (seconds_ >= 0 && since(started_) >= seconds_) return stop("seconds");
    if (std::this_thread::get_id() != caller_) return false;
    nb::gil_scoped_acquire interpreter;
    try {
      return ask_python();
    } catch (nb::python_error& thrown) {
      // Kept until no thread works on the run any more.
      error_ = std::current_exception();
      return stop("error");
    }
  }

  void report(int64_t program, const decomposition::Progress& progress) {
    std::lock_guard lock(mutex_);
    program_ = program;
    progress_ = progress;
    has_reported_ = true;
  }

  void program_done() { ++n_done_; }
  bool has_stopped() const { return stopped_; }
  const std::string& reason() const { return reason_; }

  void rethrow_error() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  static double since(Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  }

  bool ask_python() {
    if (PyErr_CheckSignals() != 0) {
      if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw nb::python_error();
      PyErr_Clear();
      return stop("interrupt");
    }
    if (watch_.is_none() || !has_reported_ || since(last_shown_) < 0.05) return false;
    return show();
  }

  bool stop(const char* reason) {
    std::lock_guard lock(mutex_);
    if (!stopped_) reason_ = reason;
    stopped_ = true;
    return true;
  }

  bool show() {
    last_shown_ = Clock::now();
    decomposition::Progress latest;
    int64_t program;
    {
      std::lock_guard lock(mutex_);
      latest = progress_;
      program = program_;
    }
    const nb::object answer = watch_(program, n_done_.load(), latest.steps, latest.violation,
                                     latest.primal, latest.dual);
    return nb::cast<bool>(answer) && stop("watch");
  }

  nb::object watch_;
  Clock::time_point started_, last_shown_{};
  double seconds_;  // negative: no limit
  const std::thread::id caller_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::atomic<bool> stopped_{false}, has_reported_{false};
  std::atomic<int64_t> n_done_{0};
  std::string reason_;
  std::exception_ptr error_;
  int64_t program_ = 0;
  decomposition::Progress progress_{};
};

std::vector<double> copied(const Vector<double>& values) {
  return {values.data(), values.data() + values.size()};
}

Program make_program(Vector<int64_t> point, Vector<double> direction, Vector<double> low,
                     Vector<double> high, Vector<double> linear, Vector<double> ridge,
                     Vector<int64_t> group, Vector<double> value) {
  Program program;
  const size_t n = point.size();
  for (const size_t size : {direction.size(), low.size(), high.size(), linear.size(), ridge.size(),
                            group.size(), value.size()}) {
    if (size != n) throw nb::value_error("the arrays of a program differ in length");
  }
  program.point.assign(point.data(), point.data() + n);
  program.direction = copied(direction);
  program.low = copied(low);
  program.high = copied(high);
  program.linear = copied(linear);
  program.ridge = copied(ridge);
  program.value = copied(value);
  bool loose = n == 0;
  for (size_t v = 0; v < n; ++v) {
    loose = loose || group.data()[v] < 0;
    program.group.push_back(static_cast<int32_t>(std::max<int64_t>(group.data()[v], 0)));
    program.n_groups = std::max(program.n_groups, program.group.back() + 1);
  }
  if (loose) program.add_slack_variable();
  return program;
}

nb::object as_array(const std::vector<double>& values, size_t n) {
  return nb::cast(nb::ndarray<const double, nb::numpy, nb::ndim<1>>(values.data(), {n}),
                  nb::rv_policy::copy);
}

struct Result {
  decomposition::Outcome outcome{Ending::interrupted, {}};
  std::vector<double> gradient, similarities;
};

const char* name_of(Ending ending, const std::string& reason) {
  switch (ending) {
    case Ending::converged: return "converged";
    case Ending::steps: return "steps";
    case Ending::stalled: return "stalled";
    default: return reason.c_str();
  }
}

template <class T>
nb::list decompose(HeldStore<T>& held, std::vector<Program*> programs, std::vector<nb::object> similarities,
                   double tolerance, int64_t most_steps, int64_t working_set, int64_t whole_up_to, int64_t widest,
                   int n_threads, double seconds, nb::object watch) {
  rows::RowStore<T>& store = held.store;
  const int64_t n_points = store.source().n_points();
  if (similarities.size() != programs.size()) {
    throw nb::value_error("there must be as many similarities as programs");
  }
  for (const Program* program : programs) {
    for (const int64_t point : program->point) {
      if (point >= n_points || point < decomposition::no_point) {
        throw nb::value_error("a program's point lies outside the data");
      }
    }
  }
  const decomposition::Limits limits{tolerance, most_steps, working_set, whole_up_to, widest};
  const auto n_programs = static_cast<int64_t>(programs.size());
  std::vector<std::vector<double>> known(programs.size());
  for (size_t k = 0; k < similarities.size(); ++k) {
    if (!similarities[k].is_none()) known[k] = copied(nb::cast<Vector<double>>(similarities[k]));
  }
  std::vector<Result> results(programs.size());
  Listener listener(watch, seconds);
  const threads::ShouldStop should_stop = [&] { return listener.should_stop(); };
  {
    nb::gil_scoped_release without_interpreter;
    const auto solve_one = [&](int64_t index, int threads) {
      if (listener.has_stopped()) return;
      const Execution execution{threads, should_stop};
      const decomposition::Report report = [&, index](const decomposition::Progress& progress) {
        listener.report(index, progress);
      };
      decomposition::Decomposition<T> solver(*programs[index], store, limits, execution, report);
      results[index].outcome = solver.run(std::move(known[index]));
      results[index].gradient = solver.gradient();
      if (!solver.takes_all()) results[index].similarities = solver.similarities();
      listener.program_done();
    };
    // Small programs run side by side and leave the store alone; large ones share it in turn.
    std::vector<int64_t> small;
    for (int64_t k = 0; k < n_programs; ++k) {
      if (n_programs > 1 && programs[k]->size() <= whole_up_to) small.push_back(k);
    }
    try {
      threads::parallel_for(static_cast<int64_t>(small.size()), n_threads,
                            [&](int64_t task, threads::Worker&) { solve_one(small[task], 1); },
                            should_stop);
      for (int64_t k = 0; k < n_programs; ++k) {
        if (n_programs == 1 || programs[k]->size() > whole_up_to) solve_one(k, n_threads);
      }
    } catch (const threads::Interrupted&) {
    }
  }
  listener.rethrow_error();
  nb::list answers;
  for (size_t k = 0; k < programs.size(); ++k) {
    const auto& [outcome, gradient, similarities_at_end] = results[k];
    answers.append(nb::make_tuple(as_array(programs[k]->value, programs[k]->size()),
                                  as_array(gradient, gradient.size()), outcome.progress.violation,
                                  outcome.progress.steps,
                                  name_of(outcome.ending, listener.reason()),
                                  as_array(similarities_at_end, similarities_at_end.size())));
  }
  return answers;
}

template <class T>
void bind_source(nb::module_& module, const char* name, const char* store_name) {
  nb::class_<HeldSource<T>>(module, name)
      .def_static("by_products", &source_by_products<T, float>, "rows"_a, "boundaries"_a, "form"_a,
                  "gamma"_a, "coef0"_a, "degree"_a, "factor"_a, "constant"_a, "n_threads"_a)
      .def_static("by_products", &source_by_products<T, double>, "rows"_a, "boundaries"_a, "form"_a,
                  "gamma"_a, "coef0"_a, "degree"_a, "factor"_a, "constant"_a, "n_threads"_a)
      .def_static("by_blocks", &source_by_blocks<T>, "rows"_a, "form"_a, "gamma"_a, "coef0"_a,
                  "degree"_a, "factor"_a, "constant"_a)
      .def_static("of_matrix", &source_of_matrix<T, float>, "matrix"_a.noconvert(), "factor"_a, "constant"_a)
      .def_static("of_matrix", &source_of_matrix<T, double>, "matrix"_a.noconvert(), "factor"_a, "constant"_a)
      .def_static("of_function", &source_of_function<T>, "n_points"_a, "block"_a)
      .def_ro("exponent_scale", &HeldSource<T>::exponent_scale)
      .def_ro("farthest", &HeldSource<T>::farthest);
  nb::class_<HeldStore<T>>(module, store_name)
      .def(nb::init<nb::object, Vector<int64_t>, int64_t>(), "source"_a, "boundaries"_a, "budget"_a);
  module.def("decompose", &decompose<T>, "store"_a, "programs"_a, "similarities"_a,
             "tolerance"_a, "most_steps"_a, "working_set"_a, "whole_up_to"_a, "widest"_a,
             "n_threads"_a, "seconds"_a, "watch"_a.none());
}

}  // namespace

void bind_engine(nb::module_& module) {
  nb::class_<Program>(module, "Program")
      .def("__init__", [](Program* self, Vector<int64_t> point, Vector<double> direction,
                          Vector<double> low, Vector<double> high, Vector<double> linear,
                          Vector<double> ridge, Vector<int64_t> group, Vector<double> value) {
        new (self) Program(make_program(point, direction, low, high, linear, ridge, group, value));
      }, "point"_a, "direction"_a, "low"_a, "high"_a, "linear"_a, "ridge"_a, "group"_a, "value"_a);
  module.def("first_alike", &first_alike<float>, "rows"_a);
  module.def("first_alike", &first_alike<double>, "rows"_a);
  bind_source<float>(module, "Source32", "Store32");
  bind_source<double>(module, "Source64", "Store64");
}

}  // namespace maxmargin::bindings
