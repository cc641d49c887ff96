#include "rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace maxmargin::decomposition {
namespace {

// The share of the tolerance up to which twice the error is met by a tighter tolerance.
constexpr double small_error = 0.7;

// Variables of each kind that tell the error, and rounds.
constexpr int64_t n_sampled = 64, n_evenly = 128;
constexpr int most_rounds = 12;

std::vector<double> coefficients_of(const QP& qp, const std::vector<double>& values,
                                    int64_t n_points) {
  std::vector<double> coefficients(n_points);
  for (int64_t v = 0; v < qp.size(); ++v) {
    if (qp.point[v] != no_point) coefficients[qp.point[v]] += qp.direction[v] * values[v];
  }
  return coefficients;
}

std::vector<int64_t> sample(const QP& qp, const Exact& exact) {
  const int64_t n = qp.size() - (qp.point.back() == no_point);
  std::vector<int64_t> chosen, order(n);
  for (int64_t k = 0; k < std::min(n, n_evenly); ++k) {
    chosen.push_back(n <= n_evenly ? k : k * (n - 1) / (n_evenly - 1));
  }
  std::iota(order.begin(), order.end(), 0);
  const int64_t largest = std::min(n, n_sampled);
  std::ranges::nth_element(order, order.begin() + (largest - 1), {},
                           [&](int64_t v) { return -std::abs(qp.value[v]); });
  chosen.insert(chosen.end(), order.begin(), order.begin() + largest);
  std::vector<int64_t> far = exact.farthest;
  std::ranges::sort(far);
  int64_t n_far = 0;
  for (int64_t v = 0; v < n && n_far < 2 * n_sampled; ++v) {
    if (!std::ranges::binary_search(far, qp.point[v])) continue;
    chosen.push_back(v);
    ++n_far;
  }
  std::ranges::sort(chosen);
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

}  // namespace

double gradient_error(const QP& qp, const std::vector<double>& gradient, const Exact& exact,
                      const std::vector<double>& settled, int64_t n_points) {
  double worst = 0;
  if (!exact.row_errors.empty()) {
    std::vector<double> moved(qp.value);
    for (int64_t v = 0; v < qp.size(); ++v) moved[v] -= settled[v];
    const std::vector<double> coefficients = coefficients_of(qp, moved, n_points);
    for (size_t begin = 0; begin < exact.row_errors.size(); begin += n_points) {
      const double error = std::inner_product(coefficients.begin(), coefficients.end(),
                                              exact.row_errors.begin() + begin, 0.0);
      worst = std::max(worst, std::abs(error));
    }
    return worst;
  }
  const std::vector<int64_t> chosen = sample(qp, exact);
  std::vector<int64_t> points;
  for (const int64_t v : chosen) points.push_back(qp.point[v]);
  const std::vector<double> expansion =
      exact.expansion(points, coefficients_of(qp, qp.value, n_points));
  for (size_t k = 0; k < chosen.size(); ++k) {
    const int64_t v = chosen[k];
    const double right = qp.direction[v] * expansion[k] + qp.linear[v] + qp.ridge[v] * qp.value[v];
    worst = std::max(worst, std::abs(gradient[v] - right));
  }
  return worst;
}

template <class T>
Settled settle(Decomposition<T>& solver, const QP& qp, const Exact& exact, int64_t most_steps,
               std::vector<double>& settled) {
  constexpr bool has_finer_rows = sizeof(T) < sizeof(double);
  const int64_t n_points = solver.expansion().store().source().n_points();
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < most_rounds; ++round) {
    const bool is_converged = solver.status() == run::Status::converged;
    if (!is_converged && solver.status() != run::Status::stalled) return Settled::yes;
    const double wanted = solver.wanted();
    const double error = 2 * gradient_error(qp, solver.gradient(), exact, settled, n_points);
    const double reached = solver.progress().violation;
    if (is_converged && reached + error <= wanted) return Settled::yes;
    if (is_converged && error <= small_error * wanted) {
      solver.resume(qp.tolerance * (1 - error / wanted));
    } else {
      solver.resume(qp.tolerance, exact.expansion(solver.expansion().columns(),
                                                  coefficients_of(qp, qp.value, n_points)));
      settled = qp.value;
      const double now = solver.progress().violation;
      if (now <= solver.wanted()) {
        solver.end_by_measure();
        return Settled::yes;
      }
      if (now > 0.5 * before && has_finer_rows) return Settled::by_no_rows;
      before = now;
    }
    solver.run(most_steps);
    if (solver.status() == run::Status::stalled && solver.progress().violation <= solver.wanted()) {
      solver.end_by_measure();
    }
  }
  solver.give_up();
  return Settled::yes;
}

template Settled settle(Decomposition<float>&, const QP&, const Exact&, int64_t,
                        std::vector<double>&);
template Settled settle(Decomposition<double>&, const QP&, const Exact&, int64_t,
                        std::vector<double>&);

}  // namespace maxmargin::decomposition
