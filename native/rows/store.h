// The row store: Gram rows once computed are kept within a budget of memory, for all who share it.
//
// The columns are cut into segments (the classes of a multi-class problem), and a row is kept by
// segment: a machine for two classes then computes and keeps only the parts it needs, and shares
// them with every other machine for one of the two.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../kernels/memory.h"
#include "source.h"

namespace maxmargin::rows {

template <class T>
class RowStore {
 public:
  RowStore(const RowSource<T>& source, std::span<const int64_t> boundaries, int64_t budget_bytes);
  RowStore(const RowStore&) = delete;
  RowStore& operator=(const RowStore&) = delete;

  const RowSource<T>& source() const { return source_; }
  int64_t n_segments() const { return static_cast<int64_t>(segments_.size()); }
  int64_t begin(int64_t segment) const { return segments_[segment].begin; }
  int64_t end(int64_t segment) const { return segments_[segment].end; }
  int64_t segment_of(int64_t point) const;

  // The kept part of a row, or null; remembers that it was wanted.
  const T* find(int64_t segment, int64_t point);
  // The same without remembering; for any number of threads.
  const T* peek(int64_t segment, int64_t point) const;

  // Memory for a part that is not kept, or null: where the budget has none left, and the first times
  // that a row is wanted which the source says is cheap, `caution` times as many. The part counts as kept once `keep` says
  // that it has been filled; `cancel` gives the memory back instead.
  T* reserve(int64_t segment, int64_t point, bool is_free, int caution = 1);
  void keep(int64_t segment, int64_t point, T* part);
  void cancel(int64_t segment, T* part);

  // Parts wanted since the last tick are safe from being dropped for others.
  void tick() { ++now_; }

 private:
  struct Segment {
    int64_t begin, end, stride;
    std::vector<T*> parts;         // by point; null when absent
    std::vector<int64_t> wanted;   // when, by point
    std::vector<int8_t> computed;  // how often without being kept, by point
    std::vector<kernels::Memory<T>> chunks;
    std::vector<T*> vacant;
    int64_t bytes = 0;
    int64_t last_wanted = 0;

    bool is_used() const { return !parts.empty(); }
  };

  void open(Segment& segment);
  bool grow(Segment& segment);
  void drop_oldest_parts(Segment& segment);
  bool drop_oldest_segment(const Segment& needy);

  const RowSource<T>& source_;
  std::vector<Segment> segments_;
  int64_t budget_, used_ = 0, now_ = 1;
};

}  // namespace maxmargin::rows
