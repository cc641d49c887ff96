// Numbers for the substrings of one length: equal ones have the same number.
#pragma once

#include <cstdint>
#include <vector>

#include "sequences.h"

namespace maxmargin::sequences {

struct SubstringNames {
  std::vector<int32_t> at;  // by the place where the substring begins; -1 where none does
  int32_t n = 0;
};

// Of all sequences together; `n_letters` bounds their codes.
SubstringNames name_substrings(const Sequences& sequences, int64_t length, int32_t n_letters);

}  // namespace maxmargin::sequences
