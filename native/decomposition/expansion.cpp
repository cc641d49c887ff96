#include "expansion.h"

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

// What a change adds to one of several sums.
struct Term {
  int64_t point;
  int32_t sum;
  double amount;
  bool is_free;
};

// Terms of one point share its row: sorts them by point, and returns where each point's begin, with
// the end behind the last.
std::vector<size_t> sort_by_point(std::vector<Term>& terms) {
  std::stable_sort(terms.begin(), terms.end(),
                   [](const Term& a, const Term& b) { return a.point < b.point; });
  std::vector<size_t> starts;
  for (size_t k = 0; k < terms.size(); ++k) {
    if (k == 0 || terms[k].point != terms[k - 1].point) starts.push_back(k);
  }
  starts.push_back(terms.size());
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

// By sum: the rows of one batch that it takes.
using Choices = std::vector<Choice>;

// Adds rows of a batch to all sums, `stride` apart, while their columns are in the cache.
template <class T>
void add_batch(const T* const* rows, const Choices& choices, int64_t first, int64_t n, double* sums,
               int64_t stride) {
  const T* chosen[batch_rows];
  for (size_t i = 0; i < choices.size(); ++i) {
    const auto count = static_cast<int64_t>(choices[i].rows.size());
    for (int64_t k = 0; k < count; ++k) chosen[k] = rows[choices[i].rows[k]];
    simd::active_loops<T>().add_weighted(chosen, choices[i].weights.data(), count, first, n,
                                         sums + static_cast<int64_t>(i) * stride);
  }
}

// How much of a variable belongs to a part.
double share(const QP& qp, int32_t part, int64_t variable) {
  return qp.shares[part * (qp.shares.size() / qp.n_parts) + variable];
}

// Adding rows to sums over one segment: kept ones, and others that are computed on the way.
template <class T>
class Addition {
 public:
  // The terms of each point begin at one of `starts`.
  Addition(rows::RowStore<T>& store, int64_t segment, int32_t n_sums, std::span<const Term> terms,
           std::span<const size_t> starts, int caution)
      : store_(store),
        segment_(segment),
        fresh_{store, segment, {}, {}} {
    std::vector<char> is_free;
    std::vector<double> weights(n_sums);
    for (size_t k = 0; k + 1 < starts.size(); ++k) {
      const auto own = terms.subspan(starts[k], starts[k + 1] - starts[k]);
      const T* part = store.find(segment, own[0].point);
      const size_t n_before = part != nullptr ? kept_.size() : fresh_.points.size();
      std::vector<Choices>& batches = part != nullptr ? kept_choices_ : fresh_choices_;
      if (n_before % batch_rows == 0) batches.emplace_back(n_sums);
      if (part != nullptr) {
        kept_.push_back(part);
      } else {
        fresh_.points.push_back(own[0].point);
        is_free.push_back(std::ranges::any_of(own, &Term::is_free));
      }
      std::ranges::fill(weights, 0.0);
      for (const Term& term : own) weights[term.sum] += term.amount;
      for (int32_t i = 0; i < n_sums; ++i) {
        batches.back()[i].add(static_cast<int64_t>(n_before % batch_rows), weights[i]);
      }
    }
    for (size_t k = 0; k < fresh_.points.size(); ++k) {
      fresh_.parts.push_back(store.reserve(segment, fresh_.points[k], is_free[k] != 0, caution));
    }
  }

  // To the sums, `stride` apart, at the segment's points.
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
      for (size_t b = 0; b < kept_choices_.size(); ++b) {
        worker.checkpoint();
        add_batch<T>(kept_.data() + b * batch_rows, kept_choices_[b], first, n, sums + first, stride);
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
        add_batch<T>(out, fresh_choices_[b], 0, n, sums + first, stride);
      }
    };
    threads::parallel_for((length + columns - 1) / columns, execution.n_threads, apply_tile,
                          execution.should_stop);
    fresh_.filled = true;
  }

 private:
  rows::RowStore<T>& store_;
  const int64_t segment_;
  std::vector<const T*> kept_;
  Reservations<T> fresh_;
  std::vector<Choices> kept_choices_, fresh_choices_;  // by batch of rows
};

}  // namespace

template <class T>
Expansion<T>::Expansion(rows::RowStore<T>& store, const QP& qp)
    : store_(store), qp_(qp) {
  const std::vector<int64_t>& points = qp.point;
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
  parts_.assign(qp.n_parts * n_columns, 0.0);
  for (const int64_t point : points) {
    const int64_t s = point == no_point ? 0 : store.segment_of(point);
    column_.push_back(point == no_point ? -1 : offsets[s] + point - store.begin(s));
  }
}

template <class T>
std::vector<int64_t> Expansion<T>::columns() const {
  std::vector<int64_t> columns;
  for (const View& view : views_) {
    for (int64_t p = store_.begin(view.segment); p < store_.end(view.segment); ++p) {
      columns.push_back(p);
    }
  }
  return columns;
}

template <class T>
void Expansion<T>::set(std::vector<double> values) {
  values_ = base_ = std::move(values);
  const auto n_columns = static_cast<int64_t>(values_.size());
  for (int32_t p = 0; p < qp_.n_parts; ++p) {
    for (int64_t c = 0; c < n_columns; ++c) base_[c] -= parts_[p * n_columns + c];
  }
}

template <class T>
bool Expansion<T>::is_kept(int64_t point) {
  return std::all_of(views_.begin(), views_.end(), [&](const View& view) {
    return store_.find(view.segment, point) != nullptr;
  });
}

template <class T>
void Expansion<T>::gather(int64_t point, const std::vector<int64_t>& points,
                          const std::vector<int32_t>& order, T* out) const {
  if (views_.size() == 1) {
    const T* part = store_.peek(views_[0].segment, point) - store_.begin(views_[0].segment);
    for (const int32_t k : order) out[k] = part[points[k]];
    return;
  }
  for (const int32_t k : order) {
    const int64_t segment = store_.segment_of(points[k]);
    out[k] = store_.peek(segment, point)[points[k] - store_.begin(segment)];
  }
}

// Computes the rows that are not kept on the way. Until all of it is done the old values stand, so
// that an interrupt leaves a consistent state.
template <class T>
void Expansion<T>::add(const std::vector<Change>& changes, const rows::Execution& execution,
                       int caution) {
  if (qp_.n_parts == 0) {
    Expansion<T>* alone = this;
    add_to_all({&alone, 1}, {&changes, 1}, execution, caution);
    return;
  }
  if (changes.empty()) return;
  std::vector<Term> terms;
  for (const Change& c : changes) {
    for (int32_t p = 0; p < qp_.n_parts; ++p) {
      terms.push_back({c.point, p, share(qp_, p, c.variable) * c.amount, c.is_free});
    }
  }
  const std::vector<size_t> starts = sort_by_point(terms);
  const auto n_columns = static_cast<int64_t>(values_.size());
  std::vector<double> updated = parts_;
  for (const View& view : views_) {
    Addition<T> addition(store_, view.segment, qp_.n_parts, terms, starts, caution);
    addition.apply(updated.data() + view.offset, n_columns, execution);
  }
  parts_.swap(updated);
  values_ = base_;
  for (int32_t p = 0; p < qp_.n_parts; ++p) {
    for (int64_t c = 0; c < n_columns; ++c) values_[c] += parts_[p * n_columns + c];
  }
}

template <class T>
void Expansion<T>::add_to_all(std::span<Expansion* const> all,
                              std::span<const std::vector<Change>> changes,
                              const rows::Execution& execution, int caution) {
  std::vector<Term> terms;
  for (size_t k = 0; k < all.size(); ++k) {
    for (const Change& c : changes[k]) {
      terms.push_back({c.point, static_cast<int32_t>(k), c.amount, c.is_free});
    }
  }
  if (terms.empty()) return;
  const std::vector<size_t> starts = sort_by_point(terms);
  Expansion& first = *all[0];
  const auto n_columns = static_cast<int64_t>(first.values_.size());
  std::vector<double> updated;
  for (const Expansion* own : all) {
    updated.insert(updated.end(), own->values_.begin(), own->values_.end());
  }
  for (const View& view : first.views_) {
    Addition<T> addition(first.store_, view.segment, static_cast<int32_t>(all.size()), terms, starts,
                         caution);
    addition.apply(updated.data() + view.offset, n_columns, execution);
  }
  for (size_t k = 0; k < all.size(); ++k) {
    const auto begin = updated.begin() + static_cast<std::ptrdiff_t>(k) * n_columns;
    std::copy_n(begin, n_columns, all[k]->values_.begin());
  }
}

template class Expansion<float>;
template class Expansion<double>;

}  // namespace maxmargin::decomposition
