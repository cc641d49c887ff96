#include "newton.h"

#include <cmath>

namespace maxmargin::decomposition {
namespace {

// Multiplications that one run may cost.
constexpr double most_work = 2e9;

// How often a matrix that rounding made indefinite gets a hundredfold ridge.
constexpr int most_ridges = 4;

// Corrections of a direction's sums, and the sum, relative to the direction, that is rounding alone.
constexpr int most_corrections = 6;
constexpr double negligible_sum = 1e-14;

// Elimination for as many unknowns as there are sums; the system is positive definite.
void solve_small(std::vector<double> system, std::vector<double>& unknowns) {
  const size_t m = unknowns.size();
  for (size_t a = 0; a < m; ++a) {
    for (size_t b = a + 1; b < m; ++b) {
      const double factor = system[b * m + a] / system[a * m + a];
      for (size_t c = a; c < m; ++c) system[b * m + c] -= factor * system[a * m + c];
      unknowns[b] -= factor * unknowns[a];
    }
  }
  for (size_t a = m; a-- > 0;) {
    for (size_t b = a + 1; b < m; ++b) unknowns[a] -= system[a * m + b] * unknowns[b];
    unknowns[a] /= system[a * m + a];
  }
}

}  // namespace

Newton::Newton(std::vector<double> matrix, Scores variables, int32_t n_groups, double relative_ridge)
    : matrix_(std::move(matrix)), variables_(std::move(variables)), n_groups_(n_groups) {
  double trace = 0;
  for (int64_t v = 0; v < variables_.size(); ++v) trace += row(v)[v];
  ridge_ = relative_ridge * std::max(trace, 1e-300) /
           static_cast<double>(std::max<int64_t>(variables_.size(), 1));
}

bool Newton::is_slack(int64_t v) const {
  return std::isinf(variables_.low[v]) && std::isinf(variables_.high[v]) && row(v)[v] == 0;
}

std::vector<int64_t> Newton::free_variables() const {
  std::vector<int64_t> free;
  for (int64_t v = 0; v < variables_.size(); ++v) {
    if (variables_.can_rise(v) && variables_.can_fall(v) && !is_slack(v)) free.push_back(v);
  }
  return free;
}

// Minimises 1/2 d'Hd - score'd over directions that keep the equality constraints.
std::optional<std::vector<double>> Newton::direction(const std::vector<int64_t>& free) {
  const auto n = static_cast<int64_t>(free.size());
  std::vector<double> block(n * n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) block[i * n + j] = row(free[i])[free[j]];
  }
  if (!cholesky_.factorise_with_growing_ridge(block.data(), n, ridge_, most_ridges)) {
    return std::nullopt;
  }
  std::vector<double> d(n);
  for (int64_t k = 0; k < n; ++k) d[k] = variables_.score[free[k]];
  cholesky_.solve(d);
  std::vector<bool> has_slack(n_groups_);
  for (int64_t v = 0; v < variables_.size(); ++v) {
    if (is_slack(v)) has_slack[variables_.group[v]] = true;
  }
  // Multipliers project the direction onto the equality constraints. These have no variables in
  // common, but the matrix couples them, so their multipliers solve one linear system.
  std::vector<std::vector<double>> response;
  std::vector<int32_t> groups;
  for (int32_t g = 0; g < n_groups_; ++g) {
    std::vector<double> members(n);
    double count = 0;
    for (int64_t k = 0; k < n; ++k) count += members[k] = variables_.group[free[k]] == g ? 1.0 : 0.0;
    if (count == 0 || has_slack[g]) continue;
    cholesky_.solve(members);
    response.push_back(std::move(members));
    groups.push_back(g);
  }
  const size_t m = groups.size();
  std::vector<double> system(m * m);
  const auto sum_of = [&](const std::vector<double>& values, size_t a) {
    double total = 0;
    for (int64_t k = 0; k < n; ++k) {
      if (variables_.group[free[k]] == groups[a]) total += values[k];
    }
    return total;
  };
  for (size_t a = 0; a < m; ++a) {
    for (size_t b = 0; b < m; ++b) system[a * m + b] = sum_of(response[b], a);
  }
  // If the matrix is nearly singular, rounding of the large direction is left in the sums: the same
  // correction again removes it.
  for (int pass = 0; pass < most_corrections; ++pass) {
    double size = 0, missed = 0;
    std::vector<double> multipliers(m);
    for (const double part : d) size += std::abs(part);
    for (size_t a = 0; a < m; ++a) {
      multipliers[a] = sum_of(d, a);
      missed = std::max(missed, std::abs(multipliers[a]));
    }
    if (!std::isfinite(size)) return std::nullopt;
    if (missed <= negligible_sum * size) return d;
    solve_small(system, multipliers);
    for (size_t a = 0; a < m; ++a) {
      for (int64_t k = 0; k < n; ++k) d[k] -= multipliers[a] * response[a][k];
    }
  }
  return std::nullopt;
}

double Newton::move(const std::vector<int64_t>& free, const std::vector<double>& direction) {
  const auto n = static_cast<int64_t>(free.size());
  double share = 1;
  std::vector<double> left_over(n_groups_);
  for (int64_t k = 0; k < n; ++k) {
    const int64_t v = free[k];
    const double bound = direction[k] > 0 ? variables_.high[v] : variables_.low[v];
    if (direction[k] != 0) share = std::min(share, (bound - variables_.value[v]) / direction[k]);
  }
  for (int64_t k = 0; k < n; ++k) {
    const int64_t v = free[k];
    const double change = share * direction[k];
    const double bound = direction[k] > 0 ? variables_.high[v] : variables_.low[v];
    const bool meets = direction[k] != 0 && (bound - variables_.value[v]) / direction[k] <= share;
    variables_.value[v] = share < 1 && meets ? bound : variables_.value[v] + change;
    for (int64_t w = 0; w < variables_.size(); ++w) variables_.score[w] -= change * row(v)[w];
    left_over[variables_.group[v]] -= change;
  }
  for (int64_t w = 0; w < variables_.size(); ++w) {
    if (is_slack(w)) variables_.value[w] += left_over[variables_.group[w]];
  }
  return share;
}

bool Newton::run() {
  bool has_moved = false;
  for (double work = 0; work < most_work;) {
    const std::vector<int64_t> free = free_variables();
    if (free.size() < 2) break;
    const auto n = static_cast<double>(free.size());
    work += n * n * n / 6 + n * static_cast<double>(variables_.size());
    const auto towards = direction(free);
    if (!towards) break;
    const double share = move(free, *towards);
    has_moved = has_moved || share > 0;
    if (!(share < 1)) break;
  }
  return has_moved;
}

}  // namespace maxmargin::decomposition
