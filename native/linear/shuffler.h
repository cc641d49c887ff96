// A seeded random order, the same on every machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace maxmargin::linear {

class Shuffler {
 public:
  explicit Shuffler(uint64_t seed) : state_(seed * 2 + 1) {}

  // Groups of `together` neighbours stay as they are; what is left over stays at the end.
  template <class Item>
  void shuffle(Item* items, size_t n, size_t together = 1) {
    const size_t n_groups = n / together;
    for (size_t k = 0; k + 1 < n_groups; ++k) {
      // The high half of a product of 32 bits: no division.
      const uint64_t jump = ((next() >> 32) * static_cast<uint64_t>(n_groups - k)) >> 32;
      Item* from = items + k * together;
      if (jump > 0) std::swap_ranges(from, from + together, from + jump * together);
    }
  }

 private:
  uint64_t next() {  // xorshift64*
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1DULL;
  }

  uint64_t state_;
};

}  // namespace maxmargin::linear
