#include "rows.h"

#include <algorithm>

namespace maxmargin::kernels {

bool is_well_formed(const int64_t* starts, int64_t n_rows, const int32_t* columns,
                    int64_t n_entries, int64_t n_columns) {
  if (starts[0] != 0 || starts[n_rows] > n_entries) return false;
  if (!std::is_sorted(starts, starts + n_rows + 1)) return false;
  uint32_t largest = 0;  // a negative column becomes a large one
  for (int64_t e = 0; e < starts[n_rows]; ++e) {
    largest = std::max(largest, static_cast<uint32_t>(columns[e]));
  }
  return starts[n_rows] == 0 || static_cast<int64_t>(largest) < n_columns;
}

}  // namespace maxmargin::kernels
