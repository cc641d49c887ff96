#include "similarities.h"

#include <algorithm>

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

// Variables of one point share its row.
void merge_points(std::vector<Change>& changes) {
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.point < b.point; });
  size_t last = 0;
  for (size_t k = 1; k < changes.size(); ++k) {
    if (changes[k].point == changes[last].point) {
      changes[last].amount += changes[k].amount;
      changes[last].is_free = changes[last].is_free || changes[k].is_free;
    } else {
      changes[++last] = changes[k];
    }
  }
  if (!changes.empty()) changes.resize(last + 1);
}

}  // namespace

template <class T>
Similarities<T>::Similarities(rows::RowStore<T>& store, const std::vector<int64_t>& points)
    : store_(store) {
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
  merge_points(changes);
  if (changes.empty()) return;
  std::vector<double> updated = values_;
  const auto& loops = simd::active_loops<T>();
  for (const View& view : views_) {
    const int64_t begin = store_.begin(view.segment), length = store_.end(view.segment) - begin;
    std::vector<const T*> kept;
    std::vector<double> kept_changes, new_changes;
    Reservations<T> fresh{store_, view.segment, {}, {}};
    std::vector<char> is_free;
    for (const Change& change : changes) {
      if (const T* part = store_.find(view.segment, change.point)) {
        kept.push_back(part);
        kept_changes.push_back(change.amount);
      } else {
        fresh.points.push_back(change.point);
        new_changes.push_back(change.amount);
        is_free.push_back(change.is_free);
      }
    }
    for (size_t k = 0; k < fresh.points.size(); ++k) {
      fresh.parts.push_back(store_.reserve(view.segment, fresh.points[k], is_free[k] != 0));
    }

    const auto n_fresh = static_cast<int64_t>(fresh.points.size());
    std::vector<std::unique_ptr<typename rows::RowSource<T>::Batch>> batches;
    for (int64_t first = 0; first < n_fresh; first += batch_rows) {
      const int64_t count = std::min(batch_rows, n_fresh - first);
      batches.push_back(store_.source().prepare({fresh.points.data() + first,
                                                 static_cast<size_t>(count)}, execution));
    }
    const int64_t columns = task_columns(length);
    std::vector<kernels::Memory<T>> scratch(std::max(execution.n_threads, 1));
    const auto apply_tile = [&](int64_t task, threads::Worker& worker) {
      const int64_t first = task * columns, n = std::min(columns, length - first);
      double* sums = updated.data() + view.offset + first;
      loops.add_weighted(kept.data(), kept_changes.data(), static_cast<int64_t>(kept.size()), first,
                         n, sums);
      auto& spare = scratch[worker.index()];
      if (!spare) spare = kernels::allocate<T>(batch_rows * (columns + rows::overrun<T>));
      T* out[batch_rows];
      for (size_t b = 0; b < batches.size(); ++b) {
        worker.checkpoint();
        const int64_t start = static_cast<int64_t>(b) * batch_rows;
        const int64_t count = std::min(batch_rows, n_fresh - start);
        for (int64_t r = 0; r < count; ++r) {
          T* part = fresh.parts[start + r];
          out[r] = part != nullptr ? part + first : spare.get() + r * (columns + rows::overrun<T>);
        }
        store_.source().fill(*batches[b], begin + first, begin + first + n, out, worker);
        loops.add_weighted(out, new_changes.data() + start, count, 0, n, sums);
      }
    };
    threads::parallel_for((length + columns - 1) / columns, execution.n_threads, apply_tile,
                          execution.should_stop);
    fresh.filled = true;
  }
  values_.swap(updated);
}

template class Similarities<float>;
template class Similarities<double>;

}  // namespace maxmargin::decomposition
