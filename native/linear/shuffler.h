// A seeded random order, the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace maxmargin::linear {

class Shuffler {
 public:
  explicit Shuffler(uint64_t seed) : state_(seed * 2 + 1) {}

  template <class Item>
  void shuffle(Item* items, size_t n) {
    for (size_t k = 0; k + 1 < n; ++k) {
      // The high half of a product of 32 bits: no division.
      const uint64_t jump = ((next() >> 32) * static_cast<uint64_t>(n - k)) >> 32;
      std::swap(items[k], items[k + jump]);
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
