// Sequences side by side, a lane each, and one sequence as a row against them.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "../kernels/memory.h"
#include "../simd/loops.h"
#include "sequences.h"

namespace maxmargin::sequences {

// Codes that equal no letter: T holds n letters if both are left over.
template <class T>
inline constexpr T behind_column = static_cast<T>(-1);
template <class T>
inline constexpr T behind_row = static_cast<T>(-2);

template <class T>
bool holds_letters(int32_t n_letters) {
  return n_letters <= static_cast<int64_t>(std::numeric_limits<T>::max()) - 1;
}

template <>
inline bool holds_letters<double>(int32_t) {
  return true;
}

// As many sequences as there are lanes of T, or fewer.
template <class T>
class Panel {
 public:
  static constexpr int64_t width = simd::lanes<T>;

  Panel(const Sequences& sequences, std::span<const int64_t> columns) {
    for (const int64_t column : columns) {
      n_columns_ = std::max(n_columns_, sequences.length(column));
    }
    codes_ = fill(behind_column<T>);
    for (size_t l = 0; l < columns.size(); ++l) {
      const Sequence sequence = sequences[columns[l]];
      for (size_t j = 0; j < sequence.size(); ++j) {
        codes_[j * width + l] = static_cast<T>(sequence[j]);
      }
    }
  }

  int64_t n_columns() const { return n_columns_; }
  const T* codes() const { return codes_.get(); }
  bool is_end(int64_t k) const { return codes_[k] == behind_column<T>; }

  // Room for one value a code.
  kernels::Memory<T> room() const { return kernels::allocate<T>(n_columns_ * width); }
  kernels::Memory<T> fill(T value) const {
    kernels::Memory<T> values = room();
    std::fill_n(values.get(), n_columns_ * width, value);
    return values;
  }

 private:
  int64_t n_columns_ = 0;
  kernels::Memory<T> codes_;
};

// A tile's columns in panels, in order.
template <class T>
std::vector<Panel<T>> panels_of(const Sequences& sequences, std::span<const int64_t> columns) {
  std::vector<Panel<T>> panels;
  for (size_t begin = 0; begin < columns.size(); begin += Panel<T>::width) {
    const size_t count = std::min<size_t>(Panel<T>::width, columns.size() - begin);
    panels.emplace_back(sequences, columns.subspan(begin, count));
  }
  return panels;
}

// A sequence as a row, padded to whole strips.
template <class T>
std::vector<T> row_of(Sequence sequence) {
  constexpr size_t strip = simd::run_strip;
  std::vector<T> row((sequence.size() + strip - 1) / strip * strip, behind_row<T>);
  std::transform(sequence.begin(), sequence.end(), row.begin(),
                 [](int32_t code) { return static_cast<T>(code); });
  return row;
}

}  // namespace maxmargin::sequences
