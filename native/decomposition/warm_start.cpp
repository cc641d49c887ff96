#include "warm_start.h"

#include <algorithm>
#include <cmath>

namespace maxmargin::decomposition {
namespace {

// An equality constraint that is violated by no more than this share of the values holds.
constexpr double feasible = 1e-10;

// A value this close to its bound, relative to it, is there.
constexpr double at_bound = 1e-9;

double growth(const QP& solved, const QP& next, int64_t v) {
  const bool is_bounded = std::isfinite(solved.cost(v)) && std::isfinite(next.cost(v));
  return is_bounded && solved.cost(v) > 0 ? next.cost(v) / solved.cost(v) : 1.0;
}

// Moves values of one group until their sum is right, beginning with those whose move lowers the
// objective most.
void keep_sum(int32_t group, double missing, const std::vector<double>& gradient, QP& next) {
  struct Room {
    double slope, bound;
    int64_t variable;
  };
  std::vector<Room> rooms;
  const double way = missing > 0 ? 1.0 : -1.0;
  for (int64_t v = 0; v < next.size(); ++v) {
    const double bound = way > 0 ? next.high[v] : next.low[v];
    if (next.group[v] != group || bound == next.value[v]) continue;
    rooms.push_back({way * gradient[v], bound, v});
  }
  std::ranges::stable_sort(rooms, {}, &Room::slope);
  double left = std::abs(missing);
  for (const Room& room : rooms) {
    const double length = std::abs(room.bound - next.value[room.variable]);
    if (length <= left) {
      next.value[room.variable] = room.bound;
      left -= length;
    } else {
      next.value[room.variable] += way * left;
      return;
    }
  }
}

void scale(const QP& solved, const std::vector<double>& gradient, bool with_bounds, QP& next) {
  std::vector<double> missing(next.n_groups);
  std::vector<char> is_loose(next.n_groups);
  double size = 0;
  for (int64_t v = 0; v < next.size(); ++v) {
    missing[next.group[v]] += next.value[v];
    is_loose[next.group[v]] |= next.point[v] == no_point;
    if (next.point[v] == no_point) continue;
    const double scaled = (with_bounds ? growth(solved, next, v) : 1.0) * solved.value[v];
    next.value[v] = std::clamp(scaled, next.low[v], next.high[v]);
    // What was at its bound stays there, whatever rounding makes of the product.
    if (solved.value[v] != 0 && solved.value[v] == solved.high[v]) next.value[v] = next.high[v];
    if (solved.value[v] != 0 && solved.value[v] == solved.low[v]) next.value[v] = next.low[v];
    missing[next.group[v]] -= next.value[v];
    size = std::max(size, std::abs(next.value[v]));
  }
  for (int32_t g = 0; g < next.n_groups; ++g) {
    if (is_loose[g] || std::abs(missing[g]) <= feasible * size) continue;
    keep_sum(g, missing[g], gradient, next);
  }
}

}  // namespace

WarmStart start_from(const QP& solved, const std::vector<double>& gradient, QP& next) {
  double factor = 0;
  for (int64_t v = 0; v < next.size(); ++v) {
    if (next.point[v] != no_point) factor = std::max(factor, growth(solved, next, v));
  }
  scale(solved, gradient, true, next);
  return {factor};
}

WarmStart start_along_path(const QP& solved, const std::vector<double>& gradient, QP& next) {
  int64_t n_bounded = 0, n_support = 0;
  double before = 0, after = 0;
  for (int64_t v = 0; v < next.size(); ++v) {
    if (next.point[v] == no_point) continue;
    const double size = std::abs(solved.value[v]);
    n_support += size > 0;
    n_bounded += size > 0 && size >= (1 - at_bound) * solved.cost(v);
    before += solved.cost(v);
    after += next.cost(v);
  }
  const bool is_mostly_free = 2 * n_bounded < n_support;
  scale(solved, gradient, !is_mostly_free, next);
  const bool is_scaled = !is_mostly_free && before > 0 && std::isfinite(after / before);
  return {is_scaled ? after / before : 1.0};
}

}  // namespace maxmargin::decomposition
