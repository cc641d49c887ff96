#include "store.h"

#include <algorithm>

namespace maxmargin::rows {
namespace {

constexpr int64_t chunk_bytes = int64_t{32} << 20;

}  // namespace

template <class T>
RowStore<T>::RowStore(const RowSource<T>& source, std::span<const int64_t> boundaries,
                      int64_t budget_bytes)
    : source_(source), budget_(budget_bytes) {
  for (size_t s = 0; s + 1 < boundaries.size(); ++s) {
    Segment segment{};
    segment.begin = boundaries[s];
    segment.end = boundaries[s + 1];
    const int64_t length = segment.end - segment.begin;
    segment.stride = (length + overrun<T> - 1) / overrun<T> * overrun<T>;
    segments_.push_back(std::move(segment));
  }
}

template <class T>
int64_t RowStore<T>::segment_of(int64_t point) const {
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), point,
                                      [](int64_t p, const Segment& s) { return p < s.end; });
  return after - segments_.begin();
}

template <class T>
void RowStore<T>::open(Segment& segment) {
  if (segment.is_used()) return;
  segment.parts.resize(source_.n_points());
  segment.wanted.resize(source_.n_points());
  segment.computed.resize(source_.n_points());
}

template <class T>
const T* RowStore<T>::peek(int64_t s, int64_t point) const {
  const Segment& segment = segments_[s];
  if (const T* row = source_.resident(point)) return row + segment.begin;
  return segment.is_used() ? segment.parts[point] : nullptr;
}

template <class T>
const T* RowStore<T>::find(int64_t s, int64_t point) {
  const T* part = peek(s, point);
  Segment& segment = segments_[s];
  if (part != nullptr && segment.is_used()) segment.wanted[point] = segment.last_wanted = now_;
  return part;
}

template <class T>
T* RowStore<T>::reserve(int64_t s, int64_t point, bool is_free, int caution) {
  Segment& segment = segments_[s];
  open(segment);
  segment.wanted[point] = segment.last_wanted = now_;
  if (segment.computed[point] < caution * source_.times_before_keeping(is_free)) {
    ++segment.computed[point];
    return nullptr;
  }
  if (segment.vacant.empty() && !grow(segment)) {
    drop_oldest_parts(segment);
    if (segment.vacant.empty() && (!drop_oldest_segment(segment) || !grow(segment))) return nullptr;
  }
  T* part = segment.vacant.back();
  segment.vacant.pop_back();
  return part;
}

template <class T>
void RowStore<T>::keep(int64_t s, int64_t point, T* part) {
  segments_[s].parts[point] = part;
}

template <class T>
void RowStore<T>::cancel(int64_t s, T* part) {
  segments_[s].vacant.push_back(part);
}

template <class T>
bool RowStore<T>::grow(Segment& segment) {
  const int64_t part_bytes = segment.stride * static_cast<int64_t>(sizeof(T));
  const auto there = segment.bytes / part_bytes;
  const int64_t most = std::min({(budget_ - used_) / part_bytes, source_.n_points() - there,
                                 std::max<int64_t>(chunk_bytes / part_bytes, 1)});
  if (most <= 0) return false;
  kernels::Memory<T> chunk = kernels::allocate<T>(most * segment.stride);
  for (int64_t k = most - 1; k >= 0; --k) segment.vacant.push_back(chunk.get() + k * segment.stride);
  segment.chunks.push_back(std::move(chunk));
  segment.bytes += most * part_bytes;
  used_ += most * part_bytes;
  return true;
}

// An eighth at once, so that the search for the oldest is paid for rarely.
template <class T>
void RowStore<T>::drop_oldest_parts(Segment& segment) {
  std::vector<int64_t> idle;
  for (int64_t point = 0; point < source_.n_points(); ++point) {
    if (segment.parts[point] != nullptr && segment.wanted[point] < now_) idle.push_back(point);
  }
  if (idle.empty()) return;
  const auto count = std::max<int64_t>(1, static_cast<int64_t>(idle.size()) / 8);
  const auto older = [&](int64_t a, int64_t b) {
    return segment.wanted[a] != segment.wanted[b] ? segment.wanted[a] < segment.wanted[b] : a < b;
  };
  std::nth_element(idle.begin(), idle.begin() + count - 1, idle.end(), older);
  for (int64_t k = 0; k < count; ++k) {
    segment.vacant.push_back(segment.parts[idle[k]]);
    segment.parts[idle[k]] = nullptr;
  }
}

template <class T>
bool RowStore<T>::drop_oldest_segment(const Segment& needy) {
  Segment* oldest = nullptr;
  for (Segment& segment : segments_) {
    const bool can_go = &segment != &needy && segment.bytes > 0 && segment.last_wanted < now_;
    if (can_go && (oldest == nullptr || segment.last_wanted < oldest->last_wanted)) oldest = &segment;
  }
  if (oldest == nullptr) return false;
  std::fill(oldest->parts.begin(), oldest->parts.end(), nullptr);
  oldest->vacant.clear();
  oldest->chunks.clear();
  used_ -= oldest->bytes;
  oldest->bytes = 0;
  return true;
}

template class RowStore<float>;
template class RowStore<double>;

}  // namespace maxmargin::rows
