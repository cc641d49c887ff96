#include "sequences.h"

#include <algorithm>

namespace maxmargin::sequences {
namespace {

int64_t table_size(const Sequences& sequences) {
  const int64_t n_codes = sequences.starts[sequences.n];
  const auto largest = std::max_element(sequences.codes, sequences.codes + n_codes);
  return n_codes == 0 ? 0 : int64_t{*largest} + 1;
}

}  // namespace

bool is_well_formed(const int32_t* codes, int64_t n_codes, const int64_t* starts, int64_t n) {
  if (starts[0] != 0 || starts[n] != n_codes) return false;
  return std::is_sorted(starts, starts + n + 1) &&
         std::all_of(codes, codes + n_codes, [](int32_t code) { return code >= 0; });
}

Corpus::Corpus(const Sequences& left, const Sequences& right)
    : is_one_(left.codes == right.codes && left.starts == right.starts) {
  // Code points and numbered tokens are small enough for a table.
  std::vector<int32_t> letter_of(std::max(table_size(left), table_size(right)), -1);
  const auto renumber = [&](const Sequences& from, Owned& to) {
    to.starts.assign(from.starts, from.starts + from.n + 1);
    to.codes.resize(from.starts[from.n]);
    for (size_t k = 0; k < to.codes.size(); ++k) {
      int32_t& letter = letter_of[from.codes[k]];
      if (letter < 0) letter = n_letters_++;
      to.codes[k] = letter;
    }
    return to.view();
  };
  left_ = renumber(left, owned_left_);
  right_ = is_one_ ? left_ : renumber(right, owned_right_);
}

}  // namespace maxmargin::sequences
