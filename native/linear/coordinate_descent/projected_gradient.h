// The gradient of multipliers, projected onto their bounds.
#pragma once

#include <algorithm>

#include "../solution.h"
#include "constraint.h"

namespace maxmargin::linear {

// Of projected gradients, and zero.
struct Range {
  double highest = 0, lowest = 0;

  void add(double slope) {
    highest = std::max(highest, slope);
    lowest = std::min(lowest, slope);
  }
  double width() const { return highest - lowest; }
};

// The projected gradient of one multiplier; whether it is at a bound, and pushed against it harder
// than any other is pulled.
struct Pull {
  double slope;
  bool is_bound, is_hopeless;
};

// A multiplier at zero with a slope above the first, or at its cost with one below the second, is
// pushed harder against its bound than any was pulled in the last sweep.
struct ShrinkBounds {
  double above = infinity, below = -infinity;

  static ShrinkBounds of(const Range& range) {
    return {range.highest > 0 ? range.highest : infinity, range.lowest < 0 ? range.lowest : -infinity};
  }

  // Without branches, because which multipliers are at a bound cannot be predicted.
  Pull pull(const Constraint& own, double slope) const {
    const bool is_lowest = own.multiplier == 0, is_highest = own.multiplier == own.cost;
    const double least = is_highest ? 0.0 : -infinity, most = is_lowest ? 0.0 : infinity;
    const bool is_hopeless = (is_lowest & (slope > above)) | (is_highest & (slope < below));
    return {std::max(least, std::min(most, slope)), bool{is_lowest || is_highest}, is_hopeless};
  }

  Pull pull(const Tube& tube) const {
    const double value = tube.value, up = tube.slope_up, down = tube.slope_down;
    const bool is_highest = value == tube.up.cost, is_lowest = value == -tube.down.cost;
    if (value > 0) {
      return {is_highest ? std::max(up, 0.0) : up, is_highest, is_highest && up < below};
    }
    if (value < 0) {
      return {is_lowest ? std::max(down, 0.0) : down, is_lowest, is_lowest && down < below};
    }
    return {std::min({is_highest ? 0.0 : up, is_lowest ? 0.0 : down, 0.0}), true,
            std::min(up, down) > above};
  }
};

}  // namespace maxmargin::linear
