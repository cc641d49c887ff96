// Rows that occur more than once.
#pragma once

#include <cstdint>
#include <vector>

#include "../kernels/rows.h"

namespace maxmargin::data {

// For each row the first one that equals it.
template <class S>
std::vector<int64_t> first_alike(const kernels::Rows<S>& rows);

}  // namespace maxmargin::data
