// The online learner's Python face: the caller keeps the machines' state, calls learn from rows.
#include <nanobind/stl/string.h>

#include "../linear/online/online.h"
#include "linear_matrix.h"
#include "listener.h"

namespace maxmargin::bindings {
namespace {

using namespace nb::literals;
using linear::OnlineNumbers;
using linear::OnlineRule;

// The arrays are the caller's and change in place; a machine's vectors follow each other in a row.
struct Machines {
  Output<double> vectors, numbers;

  std::vector<linear::OnlineState> states() const {
    std::vector<linear::OnlineState> all(vectors.shape(0));
    for (size_t k = 0; k < all.size(); ++k) {
      auto* own = reinterpret_cast<OnlineNumbers*>(numbers.data() + k * linear::online_numbers);
      all[k] = {vectors.data() + k * vectors.shape(1), own};
    }
    return all;
  }
};

struct Rows {
  Vector<int64_t> order;
  Vector<int32_t> labels;
  Vector<double> importance, penalties;
};

void check(const Machines& machines, int64_t n_entries) {
  const int64_t k = extent(machines.vectors, 0);
  if (k < 1 || extent(machines.numbers, 0) != k || extent(machines.vectors, 1) != n_entries ||
      extent(machines.numbers, 1) != linear::online_numbers) {
    throw nb::value_error("the machines' state does not fit the data and the rule");
  }
}

void check(const Rows& rows, int64_t n_rows) {
  const int64_t n_labels = extent(rows.penalties, 0);
  if (extent(rows.labels, 0) != n_rows || extent(rows.importance, 0) != n_rows) {
    throw nb::value_error("there must be a label and an importance for every row");
  }
  for (size_t k = 0; k < rows.order.size(); ++k) {
    const int64_t row = rows.order.data()[k];
    if (row < 0 || row >= n_rows) throw nb::value_error("the order names a row that is not there");
  }
  for (size_t r = 0; r < rows.labels.size(); ++r) {
    const int32_t label = rows.labels.data()[r];
    if (label < 0 || label >= n_labels) throw nb::value_error("a label has no penalty");
  }
}

template <class T>
nb::tuple learn(const HeldMatrix<T>& held, const Rows& rows, const OnlineRule& rule,
                const Machines& machines, int n_threads, double seconds) {
  const data::Matrix<T>& data = held.view;
  check(machines, rule.n_vectors() * data.n_columns);
  check(rows, data.n_rows);
  const linear::OnlineRows order{rows.order.data(), extent(rows.order, 0), rows.labels.data(),
                                 rows.importance.data(), rows.penalties.data()};
  Listener listener(nb::none(), seconds);
  int64_t n_learnt;
  {
    nb::gil_scoped_release without_interpreter;
    n_learnt = linear::learn_online<T>(data, order, rule, machines.states(), n_threads,
                                       [&] { return listener.should_stop(); });
  }
  listener.rethrow_error();
  return nb::make_tuple(n_learnt, listener.reason());
}

template <class T>
void bind_learning(nb::module_& module) {
  module.def("learn_online", &learn<T>, "data"_a, "rows"_a, "rule"_a, "machines"_a, "n_threads"_a,
             "seconds"_a);
}

}  // namespace

void bind_online(nb::module_& module) {
  nb::enum_<linear::OnlineLoss>(module, "OnlineLoss")
      .value("hinge", linear::OnlineLoss::hinge)
      .value("squared_hinge", linear::OnlineLoss::squared_hinge);
  nb::enum_<linear::OnlineStep>(module, "OnlineStep")
      .value("adaptive", linear::OnlineStep::adaptive)
      .value("proximal", linear::OnlineStep::proximal)
      .value("pegasos", linear::OnlineStep::pegasos);
  nb::class_<OnlineRule>(module, "OnlineRule")
      .def(nb::init<linear::OnlineLoss, linear::OnlineStep, double, double, bool, bool, double,
                    double>(),
           "loss"_a, "step"_a, "lambda_"_a, "bias_square"_a, "bias_is_scaled"_a, "bias_shrinks"_a,
           "bias_slope"_a, "highest_penalty"_a);
  nb::class_<Machines>(module, "OnlineMachines")
      .def(nb::init<Output<double>, Output<double>>(), "vectors"_a.noconvert(),
           "numbers"_a.noconvert());
  nb::class_<Rows>(module, "OnlineRows")
      .def(nb::init<Vector<int64_t>, Vector<int32_t>, Vector<double>, Vector<double>>(),
           "order"_a.noconvert(), "labels"_a.noconvert(), "importance"_a.noconvert(),
           "penalties"_a.noconvert());
  bind_learning<float>(module);
  bind_learning<double>(module);
}

}  // namespace maxmargin::bindings
