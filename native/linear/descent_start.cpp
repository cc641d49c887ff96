#include "descent_start.h"

#include <algorithm>

namespace maxmargin::linear {
namespace {

// Below so many points interior points take them all at once.
constexpr int64_t smallest = 8192;

// Sweeps that lead to the first gap in time go on, those that stay above the second end soon; below
// the third the weights are a start.
constexpr double promising = 1e-3, hopeless = 0.5, near = 1e-2;

// What interior points cost: so many iterations over this share of the points, and how much a
// multiplication there is cheaper than one in a visit, which waits for its row.
constexpr double likely_iterations = 12, open_share = 1.0 / 8, cheaper = 4;

// The visits of each point for which interior points would be done.
template <class T>
double affordable_visits(const Matrix<T>& data) {
  const auto n = static_cast<double>(data.n_rows), d = static_cast<double>(data.n_columns + 1);
  const double entries = 1 + data.n_entries() / n;
  const double iteration = d * d * d / 3 + open_share * n * entries * (entries + 12);
  return likely_iterations * iteration / (cheaper * entries * n);
}

}  // namespace

template <class T>
bool starts_by_descent(const Matrix<T>& data, const Program& program) {
  return data.is_sparse() && data.n_rows >= smallest && data.n_rows <= Roster::most_points &&
         !program.is_squared();
}

template <class T>
DescentStart start_by_descent(const Matrix<T>& data, const Program& program, const Limits& limits,
                              const Execution& execution, const Report& report) {
  std::vector<double> norms(data.n_rows);
  for (int64_t r = 0; r < data.n_rows; ++r) norms[r] = data.squared_norm(r);
  const auto visits =
      static_cast<int64_t>(affordable_visits(data) * static_cast<double>(data.n_rows));
  const Limits own{limits.gap, limits.most_iterations, visits, promising, hopeless};
  CoordinateDescent<T> solver(data, norms, program, own, 0, execution, report);
  const Outcome outcome = solver.run({});
  return {outcome, solver.take_machine(), outcome.progress.relative_gap() <= near};
}

template bool starts_by_descent(const Matrix<float>&, const Program&);
template bool starts_by_descent(const Matrix<double>&, const Program&);
template DescentStart start_by_descent(const Matrix<float>&, const Program&, const Limits&,
                                       const Execution&, const Report&);
template DescentStart start_by_descent(const Matrix<double>&, const Program&, const Limits&,
                                       const Execution&, const Report&);

}  // namespace maxmargin::linear
