#include "duplicates.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace maxmargin::rows {
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

}  // namespace

template <class S>
std::vector<int64_t> first_alike(const kernels::Rows<S>& rows) {
  std::vector<uint64_t> hashes(rows.n_rows);
  for (int64_t row = 0; row < rows.n_rows; ++row) hashes[row] = hash_of(rows, row);
  std::vector<int64_t> order(rows.n_rows), first(rows.n_rows);
  std::iota(order.begin(), order.end(), 0);
  std::iota(first.begin(), first.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return hashes[a] != hashes[b] ? hashes[a] < hashes[b] : a < b;
  });
  std::vector<int64_t> seen;  // different rows of one hash
  for (size_t k = 0; k < order.size(); ++k) {
    if (k == 0 || hashes[order[k]] != hashes[order[k - 1]]) seen.clear();
    const auto alike = std::find_if(seen.begin(), seen.end(), [&](int64_t other) {
      return are_equal(rows, order[k], other);
    });
    if (alike == seen.end()) {
      seen.push_back(order[k]);
    } else {
      first[order[k]] = *alike;
    }
  }
  return first;
}

template std::vector<int64_t> first_alike(const kernels::Rows<float>&);
template std::vector<int64_t> first_alike(const kernels::Rows<double>&);

}  // namespace maxmargin::rows
