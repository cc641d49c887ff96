// Shrinking: which points a sweep of coordinate descent visits.
//
// A multiplier that is pushed against its bound is visited in vain. Its point is skipped for one sweep,
// and for twice as many each time that this is found again, until it moves. If it is pushed harder
// than any other multiplier is pulled, its point is left out until all points are recalled. Points
// whose multipliers are proved to be at their bound (screened) are left out for good.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace maxmargin::linear {

class Shrinking {
 public:
  using Point = uint32_t;  // small, because these lists are read in every sweep

  explicit Shrinking(int64_t n_points) : points_(n_points), skips_(n_points) {
    std::iota(points_.begin(), points_.end(), Point{0});
    active_ = points_;
  }

  // The points to visit next, in their order in memory.
  std::vector<Point>& next_sweep() {
    if (++sweep_ == last_sweep) restart_count();
    due_.resize(active_.size());
    size_t n_kept = 0, n_due = 0;
    for (const Point point : active_) {
      const int32_t until = skips_[point].until;
      active_[n_kept] = due_[n_due] = point;
      n_kept += until != never;
      n_due += until <= sweep_;
    }
    active_.resize(n_kept);
    due_.resize(n_due);
    return due_;
  }

  // What a visit found; without branches, because it cannot be predicted. Threads may note different
  // points at the same time.
  void note(int64_t point, bool is_skipped, bool is_left_out) {
    Skip& own = skips_[point];
    const int32_t length = own.length;
    own.until = is_left_out ? never : is_skipped ? sweep_ + 1 + length : 0;
    own.length = is_skipped ? std::min(2 * length + 1, longest) : first;
  }

  // After a pass over all points: those that it did not leave out take part again.
  void recall() { active_ = points_; }

  template <class IsScreened>
  void screen(const IsScreened& is_screened) {
    std::erase_if(points_, is_screened);
    recall();
  }

  void prefetch(int64_t point) const { __builtin_prefetch(&skips_[point], 1); }

 private:
  static constexpr int32_t never = std::numeric_limits<int32_t>::max(), last_sweep = 1 << 30;
  static constexpr int32_t first = 1, longest = 31;  // sweeps

  // `until` is the sweep of the next visit, `length` how many sweeps to skip next time.
  struct Skip {
    int32_t until = 0, length = first;
  };

  void restart_count() {
    sweep_ = 0;
    for (Skip& own : skips_) own.until = own.until == never ? never : 0;
  }

  int32_t sweep_ = 0;
  std::vector<Point> points_, active_, due_;
  std::vector<Skip> skips_;
};

}  // namespace maxmargin::linear
