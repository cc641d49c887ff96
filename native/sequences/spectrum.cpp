#include "spectrum.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "../kernels/symmetry.h"
#include "substring_names.h"

namespace maxmargin::sequences {
namespace {

constexpr int64_t rows_a_task = 16, mirrored_rows_a_task = 64;

// Both collections behind one another, so that their substrings get the same numbers.
struct Joined {
  std::vector<int32_t> codes;
  std::vector<int64_t> starts;

  explicit Joined(const Corpus& corpus) {
    append(corpus.left());
    if (!corpus.is_one_collection()) append(corpus.right());
  }

  Sequences view() const {
    return {codes.data(), starts.data(), static_cast<int64_t>(starts.size()) - 1};
  }

 private:
  void append(const Sequences& sequences) {
    if (starts.empty()) starts.push_back(0);
    const int64_t before = starts.back();
    codes.insert(codes.end(), sequences.codes, sequences.codes + sequences.starts[sequences.n]);
    for (int64_t i = 1; i <= sequences.n; ++i) starts.push_back(before + sequences.starts[i]);
  }
};

}  // namespace

Spectrum::Spectrum(const Corpus& corpus, int64_t shortest, int64_t longest)
    : is_one_(corpus.is_one_collection()) {
  const Joined joined(corpus);
  const Sequences all = joined.view();
  int64_t most_codes = 0;
  for (int64_t i = 0; i < all.n; ++i) most_codes = std::max(most_codes, all.length(i));
  std::vector<SubstringNames> of_length;
  std::vector<int64_t> offsets;
  for (int64_t length = shortest; length <= std::min(longest, most_codes); ++length) {
    of_length.push_back(name_substrings(all, length, corpus.n_letters()));
    offsets.push_back(n_names_);
    n_names_ += of_length.back().n;
  }
  if (n_names_ > std::numeric_limits<int32_t>::max()) {
    throw std::length_error("the sequences have too many different substrings");
  }
  std::vector<int32_t> own;
  for (int64_t i = 0; i < all.n; ++i) {
    own.clear();
    for (size_t k = 0; k < of_length.size(); ++k) {
      for (int64_t p = all.starts[i]; p < all.starts[i + 1]; ++p) {
        const int32_t name = of_length[k].at[p];
        if (name >= 0) own.push_back(static_cast<int32_t>(offsets[k] + name));
      }
    }
    std::sort(own.begin(), own.end());
    Counts& counts = i < corpus.left().n ? left_ : other_;
    for (size_t begin = 0, end; begin < own.size(); begin = end) {
      end = begin + 1;
      while (end < own.size() && own[end] == own[begin]) ++end;
      counts.names.push_back(own[begin]);
      counts.counts.push_back(static_cast<double>(end - begin));
    }
    counts.starts.push_back(static_cast<int64_t>(counts.names.size()));
  }
}

Spectrum::Owners Spectrum::owners_of(Places columns) const {
  const Counts& all = right();
  Owners owners{std::vector<int64_t>(n_names_ + 1), {}, {}};
  for (const int64_t column : columns) {
    for (int64_t e = all.starts[column]; e < all.starts[column + 1]; ++e) {
      ++owners.starts[all.names[e] + 1];
    }
  }
  for (int64_t f = 0; f < n_names_; ++f) owners.starts[f + 1] += owners.starts[f];
  owners.positions.resize(owners.starts.back());
  owners.counts.resize(owners.starts.back());
  std::vector<int64_t> next(owners.starts.begin(), owners.starts.end() - 1);
  for (size_t c = 0; c < columns.size(); ++c) {
    for (int64_t e = all.starts[columns[c]]; e < all.starts[columns[c] + 1]; ++e) {
      const int64_t place = next[all.names[e]]++;
      owners.positions[place] = static_cast<int32_t>(c);
      owners.counts[place] = all.counts[e];
    }
  }
  return owners;
}

// out[c] for the first n_columns columns.
void Spectrum::fill_row(int64_t row, const Owners& owners, int64_t n_columns, double* out) const {
  std::fill_n(out, n_columns, 0.0);
  for (int64_t e = left_.starts[row]; e < left_.starts[row + 1]; ++e) {
    const double count = left_.counts[e];
    const int32_t name = left_.names[e];
    const int64_t end = owners.starts[name + 1];
    for (int64_t o = owners.starts[name]; o < end && owners.positions[o] < n_columns; ++o) {
      out[owners.positions[o]] += count * owners.counts[o];
    }
  }
}

void Spectrum::fill(Places rows, Places columns, double* out, const Execution& execution) const {
  const bool mirrored = is_one_ && std::ranges::equal(rows, columns);
  const Owners owners = owners_of(columns);
  const auto n_rows = static_cast<int64_t>(rows.size());
  const auto stride = static_cast<int64_t>(columns.size());
  const auto fill_rows = [&](int64_t task, threads::Worker& worker) {
    // The longest rows of a triangle first.
    const int64_t end = n_rows - task * rows_a_task;
    for (int64_t r = std::max<int64_t>(0, end - rows_a_task); r < end; ++r) {
      worker.checkpoint();
      fill_row(rows[r], owners, mirrored ? r + 1 : stride, out + r * stride);
    }
  };
  threads::parallel_for((n_rows + rows_a_task - 1) / rows_a_task, execution.n_threads, fill_rows,
                        execution.should_stop);
  if (!mirrored) return;
  constexpr int64_t side = mirrored_rows_a_task;
  const auto mirror = [&](int64_t task, threads::Worker& worker) {
    const int64_t begin = task * side, end = std::min(begin + side, n_rows);
    for (int64_t column = 0; column < end; column += side) {
      worker.checkpoint();
      kernels::Target<double>{out, stride}.mirror(begin, end, column, column + side);
    }
  };
  threads::parallel_for((n_rows + side - 1) / side, execution.n_threads, mirror,
                        execution.should_stop);
}

void Spectrum::fill_diagonal(double* out, const Execution&) const {
  for (int64_t i = 0; i < left_.n(); ++i) {
    out[i] = 0;
    for (int64_t e = left_.starts[i]; e < left_.starts[i + 1]; ++e) {
      out[i] += left_.counts[e] * left_.counts[e];
    }
  }
}

}  // namespace maxmargin::sequences
