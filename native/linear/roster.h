// Which points a sweep of coordinate descent visits.
//
// A multiplier that pushes against its bound is visited in vain. Its point rests: for one sweep, and
// twice as long each time it is found so again, until it moves. One that pushes harder than any other
// pulls leaves, until all are recalled; one that is proved to be at its bound is closed for good.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace maxmargin::linear {

class Roster {
 public:
  using Point = uint32_t;  // whose memory is read again and again

  explicit Roster(int64_t n_points) : open_(n_points), rests_(n_points) {
    std::iota(open_.begin(), open_.end(), Point{0});
    active_ = open_;
  }

  static constexpr int64_t most_points = int64_t{1} << 32;

  int64_t n_open() const { return static_cast<int64_t>(open_.size()); }

  // The points to visit next, in their order in memory.
  std::vector<Point>& next_sweep() {
    if (++sweep_ == far) start_counting_anew();
    due_.resize(active_.size());
    size_t n_kept = 0, n_due = 0;
    for (const Point point : active_) {
      const int32_t until = rests_[point].until;
      active_[n_kept] = due_[n_due] = point;
      n_kept += until != never;
      n_due += until <= sweep_;
    }
    active_.resize(n_kept);
    due_.resize(n_due);
    return due_;
  }

  // What a visit found; without branches, for it cannot be foreseen. Threads may tell of different
  // points.
  void note(int64_t point, bool rests, bool leaves) {
    Rest& own = rests_[point];
    const int32_t length = own.length;
    own.until = leaves ? never : rests ? sweep_ + 1 + length : 0;
    own.length = rests ? std::min(2 * length + 1, longest) : first;
  }

  // After a look at all points: those that it did not leave out take part again.
  void recall() { active_ = open_; }

  template <class Decide>
  void close_where(const Decide& decide) {
    std::erase_if(open_, decide);
  }

  void prefetch(int64_t point) const { __builtin_prefetch(&rests_[point], 1); }

 private:
  static constexpr int32_t never = std::numeric_limits<int32_t>::max(), far = 1 << 30;
  static constexpr int32_t first = 1, longest = 31;

  // `length` is how many sweeps to pass over when next found at rest.
  struct Rest {
    int32_t until = 0, length = first;
  };

  void start_counting_anew() {
    sweep_ = 0;
    for (Rest& own : rests_) own.until = own.until == never ? never : 0;
  }

  int32_t sweep_ = 0;
  std::vector<Point> open_, active_, due_;
  std::vector<Rest> rests_;
};

}  // namespace maxmargin::linear
