// Kernel machines: stores of rows, QPs, and the solver over them.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>

#include "../decomposition/batch.h"
#include "arrays.h"
#include "listener.h"
#include "sources.h"

namespace maxmargin::bindings {
namespace {

using namespace nb::literals;
using decomposition::Exact;
using decomposition::QP;

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

QP make_qp(Vector<int64_t> point, Vector<double> direction, Vector<double> low, Vector<double> high,
           Vector<double> linear, Vector<double> ridge, Vector<int64_t> group, Vector<double> value,
           Matrix<double> shares, double tolerance, bool is_relative_to_margin, int64_t follows,
           int left_out) {
  QP qp;
  const size_t n = point.size();
  for (const size_t size : {direction.size(), low.size(), high.size(), linear.size(), ridge.size(),
                            group.size(), value.size()}) {
    if (size != n || n == 0) throw nb::value_error("the arrays of a QP differ in length, or are empty");
  }
  qp.point.assign(point.data(), point.data() + n);
  qp.direction = copied(direction);
  qp.low = copied(low);
  qp.high = copied(high);
  qp.linear = copied(linear);
  qp.ridge = copied(ridge);
  qp.value = copied(value);
  qp.n_parts = static_cast<int32_t>(extent(shares, 0));
  if (qp.n_parts > 0 && extent(shares, 1) != static_cast<int64_t>(n)) {
    throw nb::value_error("the shares must have a column for each variable");
  }
  qp.shares.assign(shares.data(), shares.data() + shares.size());
  bool is_loose = false;
  for (size_t v = 0; v < n; ++v) {
    is_loose = is_loose || group.data()[v] < 0;
    qp.group.push_back(static_cast<int32_t>(std::max<int64_t>(group.data()[v], 0)));
    qp.n_groups = std::max(qp.n_groups, qp.group.back() + 1);
  }
  if (is_loose) qp.add_slack_variable();
  qp.tolerance = tolerance;
  qp.is_relative_to_margin = is_relative_to_margin;
  qp.follows = follows;
  qp.left_out = left_out;
  return qp;
}

void check(const std::vector<QP*>& qps, int64_t n_points) {
  for (size_t k = 0; k < qps.size(); ++k) {
    const auto lies_outside = [&](int64_t p) { return p >= n_points || p < decomposition::no_point; };
    if (std::ranges::any_of(qps[k]->point, lies_outside)) {
      throw nb::value_error("a QP's point lies outside the data");
    }
    if (qps[k]->follows < 0) continue;
    if (qps[k]->follows >= static_cast<int64_t>(k) ||
        qps[qps[k]->follows]->size() != qps[k]->size()) {
      throw nb::value_error("a QP must follow an earlier one with as many variables");
    }
    if (qps[k]->left_out >= qps[qps[k]->follows]->n_parts) {
      throw nb::value_error("a QP leaves out a part that is not kept apart");
    }
  }
}

std::string ending_of(const decomposition::Result& result, const Listener& listener) {
  // A QP whose leader used up its share of the time was not begun; nothing has stopped the run.
  const bool was_stopped = !result.is_late && !listener.reason().empty();
  if (result.status == run::Status::interrupted && !was_stopped) return "time_limit";
  return listener.name_of(result.status);
}

// A Python function of points and coefficients; the core calls it without the interpreter's lock.
auto expansion_by(const nb::object& function) {
  return [function = function.ptr()](std::span<const int64_t> at,
                                     const std::vector<double>& coefficients) {
    nb::gil_scoped_acquire interpreter;
    const nb::object points = nb::cast(
        nb::ndarray<const int64_t, nb::numpy, nb::ndim<1>>(at.data(), {at.size()}),
        nb::rv_policy::copy);
    const nb::object found =
        nb::handle(function)(points, as_array(coefficients, coefficients.size()));
    const auto values = nb::cast<Vector<double>>(found);
    if (values.size() != at.size()) throw nb::value_error("an expansion has the wrong length");
    return copied(values);
  };
}

template <class T>
nb::list solve_qps(HeldStore<T>& held, std::vector<QP*> qps, int64_t widest, bool is_resident,
                   int64_t most_steps, int n_threads, double seconds, nb::object watch,
                   nb::object exact_expansion, std::vector<int64_t> farthest,
                   Matrix<double> row_errors, nb::object fine_store) {
  check(qps, held.store.source().n_points());
  Exact exact{{}, std::move(farthest), {row_errors.data(), row_errors.size()}};
  if (!exact_expansion.is_none()) exact.expansion = expansion_by(exact_expansion);
  nb::object fine;  // kept alive while the batch runs
  const auto make_fine = [&]() -> rows::RowStore<double>& {
    nb::gil_scoped_acquire interpreter;
    if (!fine.is_valid()) fine = fine_store();
    return nb::cast<HeldStore<double>&>(fine).store;
  };
  auto tuning = is_resident ? decomposition::Tuning::resident() : decomposition::Tuning();
  tuning.widest = std::min(tuning.widest, widest);
  Listener listener(watch, seconds);
  std::vector<decomposition::Result> results;
  {
    nb::gil_scoped_release without_interpreter;
    const decomposition::Work<T> work{held.store, qps, tuning, most_steps, n_threads, exact,
                                      make_fine};
    results = decomposition::Batch<T>(work, listener).run();
  }
  listener.rethrow_error();
  nb::list answers;
  for (size_t k = 0; k < qps.size(); ++k) {
    decomposition::Result& result = results[k];
    const std::string ending = ending_of(result, listener);
    answers.append(nb::make_tuple(owned(std::move(qps[k]->value)), owned(std::move(result.gradient)),
                                  result.progress.violation, result.progress.iterations, ending,
                                  owned(std::move(result.expansion))));
  }
  return answers;
}

template <class T>
void bind_store(nb::module_& module, const char* name) {
  nb::class_<HeldStore<T>>(module, name)
      .def(nb::init<nb::object, Vector<int64_t>, int64_t>(), "source"_a, "boundaries"_a, "budget"_a);
  module.def("solve_qps", &solve_qps<T>, "store"_a, "qps"_a, "widest"_a, "is_resident"_a,
             "most_steps"_a, "n_threads"_a, "seconds"_a, "watch"_a.none(),
             "exact_expansion"_a.none(), "farthest"_a, "row_errors"_a, "fine_store"_a.none());
}

}  // namespace

void bind_decomposition(nb::module_& module) {
  nb::class_<QP>(module, "QP").def(
      "__init__",
      [](QP* self, Vector<int64_t> point, Vector<double> direction, Vector<double> low,
         Vector<double> high, Vector<double> linear, Vector<double> ridge, Vector<int64_t> group,
         Vector<double> value, Matrix<double> shares, double tolerance, bool is_relative_to_margin,
         int64_t follows, int left_out) {
        new (self) QP(make_qp(point, direction, low, high, linear, ridge, group, value, shares,
                              tolerance, is_relative_to_margin, follows, left_out));
      },
      "point"_a, "direction"_a, "low"_a, "high"_a, "linear"_a, "ridge"_a, "group"_a, "value"_a,
      "shares"_a, "tolerance"_a, "is_relative_to_margin"_a, "follows"_a, "left_out"_a);
  bind_store<float>(module, "Store32");
  bind_store<double>(module, "Store64");
}

}  // namespace maxmargin::bindings
