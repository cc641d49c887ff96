#include "duplicates.h"

#include <algorithm>
#include <bit>

namespace maxmargin::data {
namespace {

uint64_t mix(uint64_t hash, uint64_t bits) {
  hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

// Zeros do not count, so that a stored zero is none.
template <class S>
uint64_t hash_of(const kernels::Rows<S>& rows, int64_t row) {
  uint64_t hash = 0x51;
  rows.for_each_entry(row, [&](int64_t c, S value) {
    if (value == 0) return;
    hash = mix(mix(hash, static_cast<uint64_t>(c)), std::bit_cast<uint64_t>(static_cast<double>(value)));
  });
  return hash;
}

template <class S>
bool are_equal(const kernels::Rows<S>& rows, int64_t a, int64_t b) {
  if (!rows.is_sparse()) {
    return std::equal(rows.dense_row(a), rows.dense_row(a) + rows.n_columns, rows.dense_row(b));
  }
  int64_t i = rows.starts[a], j = rows.starts[b];
  for (;; ++i, ++j) {
    while (i < rows.starts[a + 1] && rows.values[i] == 0) ++i;
    while (j < rows.starts[b + 1] && rows.values[j] == 0) ++j;
    const bool at_end = i == rows.starts[a + 1], other_at_end = j == rows.starts[b + 1];
    if (at_end || other_at_end) return at_end && other_at_end;
    if (rows.columns[i] != rows.columns[j] || rows.values[i] != rows.values[j]) return false;
  }
}

constexpr int64_t none = -1;

struct Place {
  uint64_t hash = 0;
  int64_t row = none;
};

}  // namespace

// Each row goes into the first place from its hash on that is empty or holds its like.
template <class S>
std::vector<int64_t> first_alike(const kernels::Rows<S>& rows) {
  std::vector<Place> table(std::bit_ceil(static_cast<uint64_t>(2 * rows.n_rows + 1)));
  const uint64_t mask = table.size() - 1;
  std::vector<int64_t> first(rows.n_rows);
  for (int64_t row = 0; row < rows.n_rows; ++row) {
    const uint64_t hash = hash_of(rows, row);
    uint64_t at = hash & mask;
    const auto is_other = [&](const Place& place) {
      return place.row != none && (place.hash != hash || !are_equal(rows, row, place.row));
    };
    while (is_other(table[at])) at = (at + 1) & mask;
    if (table[at].row == none) table[at] = {hash, row};
    first[row] = table[at].row;
  }
  return first;
}

template std::vector<int64_t> first_alike(const kernels::Rows<float>&);
template std::vector<int64_t> first_alike(const kernels::Rows<double>&);

}  // namespace maxmargin::data
