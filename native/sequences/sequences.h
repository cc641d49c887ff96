// Sequences of codes, one behind the other in memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace maxmargin::sequences {

using Sequence = std::span<const int32_t>;

struct Sequences {
  const int32_t* codes = nullptr;
  const int64_t* starts = nullptr;  // n + 1 of them
  int64_t n = 0;

  int64_t length(int64_t i) const { return starts[i + 1] - starts[i]; }
  Sequence operator[](int64_t i) const {
    return {codes + starts[i], static_cast<size_t>(length(i))};
  }
};

// Whether the starts rise within the codes, and no code is negative.
bool is_well_formed(const int32_t* codes, int64_t n_codes, const int64_t* starts, int64_t n);

// Two collections of sequences in an alphabet of their own: letters are numbered from zero.
class Corpus {
 public:
  // `left` and `right` may be the same.
  Corpus(const Sequences& left, const Sequences& right);
  Corpus(const Corpus&) = delete;
  Corpus& operator=(const Corpus&) = delete;

  const Sequences& left() const { return left_; }
  const Sequences& right() const { return right_; }
  bool is_one_collection() const { return is_one_; }
  int32_t n_letters() const { return n_letters_; }

 private:
  struct Owned {
    std::vector<int32_t> codes;
    std::vector<int64_t> starts;
    Sequences view() const {
      return {codes.data(), starts.data(), static_cast<int64_t>(starts.size()) - 1};
    }
  };

  Owned owned_left_, owned_right_;
  Sequences left_, right_;
  bool is_one_;
  int32_t n_letters_ = 0;
};

}  // namespace maxmargin::sequences
