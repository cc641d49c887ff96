#include "similarities.h"

#include <algorithm>
#include <span>

#include "../simd/dispatch.h"

namespace maxmargin::decomposition {
namespace {

// Rows computed together, and the columns of one task: together they fit a second-level cache.
constexpr int64_t batch_rows = 128;
int64_t task_columns(int64_t n_columns) { return n_columns >= 16384 ? 1024 : 256; }

// Rows that wait to be filled give their memory back if that is interrupted.
template <class T>
struct Reservations {
  rows::RowStore<T>& store;
  int64_t segment;
  std::vector<int64_t> points;
  std::vector<T*> parts;
  bool filled = false;

  ~Reservations() {
    for (size_t k = 0; k < parts.size(); ++k) {
      if (parts[k] == nullptr) continue;
      if (filled) {
        store.keep(segment, points[k], parts[k]);
      } else {
        store.cancel(segment, parts[k]);
      }
    }
  }
};

// Variables of one point share its row: sorts the changes by point, and returns where each point's
// begin, with the end behind the last.
std::vector<size_t> sort_by_point(std::vector<Change>& changes) {
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.point < b.point; });
  std::vector<size_t> starts;
  for (size_t k = 0; k < changes.size(); ++k) {
    if (k == 0 || changes[k].point != changes[k - 1].point) starts.push_back(k);
  }
  starts.push_back(changes.size());
  return starts;
}

// Some of the rows that are added up, and by how much.
struct Choice {
  std::vector<int64_t> rows;
  std::vector<double> weights;

  void add(int64_t row, double weight) {
    if (weight == 0) return;
    rows.push_back(row);
    weights.push_back(weight);
  }
};

template <class T>
void add_chosen(const T* const* rows, const Choice& choice, int64_t first, int64_t n, double* sums) {
  const auto& loops = simd::active_loops<T>();
  const auto n_chosen = static_cast<int64_t>(choice.rows.size());
  const T* chosen[batch_rows];
  for (int64_t begin = 0; begin < n_chosen; begin += batch_rows) {
    const int64_t count = std::min(batch_rows, n_chosen - begin);
    for (int64_t k = 0; k < count; ++k) chosen[k] = rows[choice.rows[begin + k]];
    loops.add_weighted(chosen, choice.weights.data() + begin, count, first, n, sums);
  }
}

// How much of a variable belongs to a part; without parts there is one, of everything.
double share(const Program& program, int32_t part, int64_t variable) {
  if (program.n_parts == 0) return 1;
  return program.shares[part * (program.shares.size() / program.n_parts) + variable];
}

// Adding rows to the sums of one segment: kept ones, and others that are computed on the way.
template <class T>
class Addition {
 public:
  // The changes of each point begin at one of `starts`.
  Addition(rows::RowStore<T>& store, const Program& program, int64_t segment,
           std::span<const Change> changes, std::span<const size_t> starts)
      : store_(store),
        segment_(segment),
        n_parts_(std::max(program.n_parts, 1)),
        fresh_{store, segment, {}, {}},
        kept_parts_(n_parts_) {
    std::vector<char> is_free;
    for (size_t k = 0; k + 1 < starts.size(); ++k) {
      const auto own = changes.subspan(starts[k], starts[k + 1] - starts[k]);
      std::vector<Choice>* parts = &kept_parts_;
      size_t row = kept_.size();
      if (const T* part = store.find(segment, own[0].point)) {
        kept_.push_back(part);
      } else {
        row = fresh_.points.size() % batch_rows;
        if (row == 0) new_parts_.emplace_back(n_parts_);
        parts = &new_parts_.back();
        fresh_.points.push_back(own[0].point);
        is_free.push_back(std::ranges::any_of(own, &Change::is_free));
      }
      for (int32_t p = 0; p < n_parts_; ++p) {
        double weight = 0;
        for (const Change& c : own) weight += share(program, p, c.variable) * c.amount;
        (*parts)[p].add(static_cast<int64_t>(row), weight);
      }
    }
    for (size_t k = 0; k < fresh_.points.size(); ++k) {
      fresh_.parts.push_back(store.reserve(segment, fresh_.points[k], is_free[k] != 0));
    }
  }

  // To the sums of each part, `stride` apart, at the segment's points.
  void apply(double* sums, int64_t stride, const rows::Execution& execution) {
    const int64_t begin = store_.begin(segment_), length = store_.end(segment_) - begin;
    const auto n_fresh = static_cast<int64_t>(fresh_.points.size());
    std::vector<std::unique_ptr<typename rows::RowSource<T>::Batch>> batches;
    for (int64_t first = 0; first < n_fresh; first += batch_rows) {
      const int64_t count = std::min(batch_rows, n_fresh - first);
      batches.push_back(store_.source().prepare({fresh_.points.data() + first,
                                                 static_cast<size_t>(count)}, execution));
    }
    const int64_t columns = task_columns(length);
    std::vector<kernels::Memory<T>> scratch(std::max(execution.n_threads, 1));
    const auto apply_tile = [&](int64_t task, threads::Worker& worker) {
      const int64_t first = task * columns, n = std::min(columns, length - first);
      for (int32_t p = 0; p < n_parts_; ++p) {
        add_chosen<T>(kept_.data(), kept_parts_[p], first, n, sums + p * stride + first);
      }
      auto& spare = scratch[worker.index()];
      if (!spare) spare = kernels::allocate<T>(batch_rows * (columns + rows::overrun<T>));
      T* out[batch_rows];
      for (size_t b = 0; b < batches.size(); ++b) {
        worker.checkpoint();
        const int64_t start = static_cast<int64_t>(b) * batch_rows;
        const int64_t count = std::min(batch_rows, n_fresh - start);
        for (int64_t r = 0; r < count; ++r) {
          T* part = fresh_.parts[start + r];
          out[r] = part != nullptr ? part + first : spare.get() + r * (columns + rows::overrun<T>);
        }
        store_.source().fill(*batches[b], begin + first, begin + first + n, out, worker);
        for (int32_t p = 0; p < n_parts_; ++p) {
          add_chosen<T>(out, new_parts_[b][p], 0, n, sums + p * stride + first);
        }
      }
    };
    threads::parallel_for((length + columns - 1) / columns, execution.n_threads, apply_tile,
                          execution.should_stop);
    fresh_.filled = true;
  }

 private:
  rows::RowStore<T>& store_;
  const int64_t segment_;
  const int32_t n_parts_;
  std::vector<const T*> kept_;
  Reservations<T> fresh_;
  std::vector<Choice> kept_parts_;              // by part
  std::vector<std::vector<Choice>> new_parts_;  // by batch of new rows, and part
};

}  // namespace

template <class T>
Similarities<T>::Similarities(rows::RowStore<T>& store, const Program& program)
    : store_(store), program_(program) {
  const std::vector<int64_t>& points = program.point;
  std::vector<int64_t> offsets(store.n_segments(), -1);
  for (const int64_t point : points) {
    if (point != no_point) offsets[store.segment_of(point)] = 0;
  }
  int64_t n_columns = 0;
  for (int64_t s = 0; s < store.n_segments(); ++s) {
    if (offsets[s] < 0) continue;
    offsets[s] = n_columns;
    views_.push_back({s, n_columns});
    n_columns += store.end(s) - store.begin(s);
  }
  values_.assign(n_columns, 0.0);
  base_ = values_;
  parts_.assign(program.n_parts * n_columns, 0.0);
  for (const int64_t point : points) {
    const int64_t s = point == no_point ? 0 : store.segment_of(point);
    column_.push_back(point == no_point ? -1 : offsets[s] + point - store.begin(s));
  }
}

template <class T>
bool Similarities<T>::is_kept(int64_t point) {
  return std::all_of(views_.begin(), views_.end(), [&](const View& view) {
    return store_.find(view.segment, point) != nullptr;
  });
}

// Takes the values of some points out of a kept row.
template <class T>
void Similarities<T>::gather(int64_t point, const std::vector<int64_t>& points, T* out) const {
  if (point == no_point) return;
  if (views_.size() == 1) {
    const T* part = store_.peek(views_[0].segment, point) - store_.begin(views_[0].segment);
    for (size_t k = 0; k < points.size(); ++k) out[k] = part[points[k]];
    return;
  }
  for (size_t k = 0; k < points.size(); ++k) {
    const int64_t segment = store_.segment_of(points[k]);
    out[k] = store_.peek(segment, point)[points[k] - store_.begin(segment)];
  }
}

// Computes the rows that are not kept on the way. Until all of it is done the old values stand, so
// that an interrupt leaves a consistent state.
template <class T>
void Similarities<T>::add(std::vector<Change> changes, const rows::Execution& execution) {
  if (changes.empty()) return;
  const std::vector<size_t> starts = sort_by_point(changes);
  const auto n_columns = static_cast<int64_t>(values_.size());
  std::vector<double> updated = program_.n_parts > 0 ? parts_ : values_;
  for (const View& view : views_) {
    Addition<T> addition(store_, program_, view.segment, changes, starts);
    addition.apply(updated.data() + view.offset, n_columns, execution);
  }
  if (program_.n_parts == 0) {
    values_.swap(updated);
    return;
  }
  parts_.swap(updated);
  values_ = base_;
  for (int32_t p = 0; p < program_.n_parts; ++p) {
    for (int64_t c = 0; c < n_columns; ++c) values_[c] += parts_[p * n_columns + c];
  }
}

template class Similarities<float>;
template class Similarities<double>;

}  // namespace maxmargin::decomposition
