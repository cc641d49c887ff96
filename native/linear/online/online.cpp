#include "online.h"

#include <algorithm>

#include "../../data/subset.h"
#include "../../run/pacer.h"
#include "adaptive.h"
#include "uniform.h"

namespace maxmargin::linear {
namespace {

// Rows between two looks at the clock; all machines learn them before the next ones.
constexpr int64_t rows_at_once = 512;

}  // namespace

template <class T>
int64_t learn_online(const Matrix<T>& data, const OnlineRows& rows, const OnlineRule& rule,
                     const std::vector<OnlineState>& machines, int n_threads,
                     const threads::ShouldStop& should_stop) {
  const auto n_machines = static_cast<int64_t>(machines.size());
  run::Pacer pacer(should_stop);
  data::RowSubset<T> copies;
  for (int64_t begin = 0; begin < rows.n_rows; begin += rows_at_once) {
    try {
      pacer.checkpoint();
    } catch (const threads::Interrupted&) {
      return begin;
    }
    const int64_t n = std::min(rows_at_once, rows.n_rows - begin);
    const int64_t* order = rows.order + begin;
    const bool is_copied = !data.has_contiguous_rows();
    if (is_copied) copies.assign(data, {order, static_cast<size_t>(n)});
    const Matrix<T>& view = is_copied ? copies.view() : data;
    const auto place = [&](int64_t j) { return is_copied ? j : order[j]; };
    const auto learn_by = [&](int64_t k, auto machine) {
      const int64_t positive = n_machines == 1 ? 1 : k;
      for (int64_t j = 0; j < n; ++j) {
        const int64_t row = order[j];
        if (j + 1 < n) view.prefetch(place(j + 1));
        const double sign = rows.labels[row] == positive ? 1.0 : -1.0;
        machine.learn(view, place(j), sign, rows.importance[row], rows.penalties[rows.labels[row]]);
      }
    };
    const auto learn = [&](int64_t k) {
      if (rule.step == OnlineStep::adaptive) {
        learn_by(k, AdaptiveMachine<T>(rule, machines[k], data.n_columns));
      } else {
        learn_by(k, UniformMachine<T>(rule, machines[k], data.n_columns));
      }
    };
    if (n_machines == 1) {
      learn(0);
    } else {
      threads::parallel_for(n_machines, n_threads,
                            [&](int64_t k, threads::Worker&) { learn(k); }, {});
    }
  }
  return rows.n_rows;
}

template int64_t learn_online(const Matrix<float>&, const OnlineRows&, const OnlineRule&,
                              const std::vector<OnlineState>&, int, const threads::ShouldStop&);
template int64_t learn_online(const Matrix<double>&, const OnlineRows&, const OnlineRule&,
                              const std::vector<OnlineState>&, int, const threads::ShouldStop&);

}  // namespace maxmargin::linear
