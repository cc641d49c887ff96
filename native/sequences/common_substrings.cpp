#include "common_substrings.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "../simd/dispatch.h"
#include "panel.h"
#include "suffix_automaton.h"

namespace maxmargin::sequences {
namespace {

// Clock ticks, roughly: for a cell of the matrix in all lanes, to read a code, to add one.
constexpr double ticks_a_cell = 4, ticks_to_read = 40, ticks_to_add = 150;

int64_t clipped(int64_t from, int64_t to, const Lengths& lengths) {
  return std::max<int64_t>(
      0, std::min(to, lengths.longest) - std::max(from, lengths.shortest - 1));
}

// How many pairs of occurrences a substring of z, read by the automaton of x, ends.
class OccurrencePairs {
 public:
  OccurrencePairs(const SuffixAutomaton& automaton, const Lengths& lengths)
      : automaton_(automaton),
        lengths_(lengths),
        occurrences_(automaton.occurrences()),
        up_to_(automaton.n_states()) {
    for (const int32_t state : automaton.by_length()) {
      if (state != 0) up_to_[state] = ending_at(state, automaton.length(state));
    }
  }

  int64_t of(const SuffixAutomaton::Match& match) const {
    return match.length == 0 ? 0 : ending_at(match.state, match.length);
  }

 private:
  int64_t ending_at(int32_t state, int64_t length) const {
    const int32_t link = automaton_.link(state);
    return up_to_[link] +
           occurrences_[state] * clipped(automaton_.length(link), length, lengths_);
  }

  const SuffixAutomaton& automaton_;
  Lengths lengths_;
  std::vector<int64_t> occurrences_, up_to_;
};

template <class T>
T capped(int64_t value) {
  return static_cast<T>(std::min<int64_t>(value, std::numeric_limits<T>::max()));
}

// A tile's columns with lanes of T, and room to work in.
template <class T>
struct Lanes {
  struct Group {
    Panel<T> panel;
    kernels::Memory<T> floors, above, longest;
  };
  std::vector<Group> groups;

  Lanes(const Sequences& sequences, Places columns) {
    for (Panel<T>& panel : panels_of<T>(sequences, columns)) {
      kernels::Memory<T> above = panel.room();
      groups.push_back({std::move(panel), {}, std::move(above), {}});
    }
  }

  // A substring that is no longer than its floor does not count where it ends.
  void set_floors(const Sequences& sequences, Places columns,
                  const std::vector<int64_t>& floor_of) {
    constexpr size_t width = Panel<T>::width;
    for (size_t g = 0; g < groups.size(); ++g) {
      Group& group = groups[g];
      group.longest = group.panel.room();
      group.floors = group.panel.fill(std::numeric_limits<T>::max());
      for (size_t l = 0; l < width && g * width + l < columns.size(); ++l) {
        const int64_t column = columns[g * width + l];
        const int64_t start = sequences.starts[column];
        for (int64_t j = 0; j < sequences.length(column); ++j) {
          group.floors[j * width + l] = capped<T>(floor_of[start + j]);
        }
      }
    }
  }
};

}  // namespace

struct CommonSubstrings::Tile {
  Places columns;
  std::optional<Lanes<uint8_t>> lanes8;
  std::optional<Lanes<uint16_t>> lanes16;
  std::optional<Lanes<uint32_t>> lanes32;

  template <class T>
  std::optional<Lanes<T>>& lanes() {
    if constexpr (sizeof(T) == 1) {
      return lanes8;
    } else if constexpr (sizeof(T) == 2) {
      return lanes16;
    } else {
      return lanes32;
    }
  }
};

CommonSubstrings::CommonSubstrings(std::unique_ptr<const Corpus> corpus, Count count,
                                   Lengths lengths)
    : TiledComparison(std::move(corpus)), count_(count), lengths_(lengths) {
  if (count_ == Count::pairs) return;
  floors_.reserve(right().starts[right().n]);
  for (int64_t i = 0; i < right().n; ++i) {
    const SuffixAutomaton automaton(right()[i]);
    for (const int64_t repeat : automaton.repeats()) {
      floors_.push_back(std::max(repeat, lengths_.shortest - 1));
    }
  }
}

template <class T>
bool CommonSubstrings::suits(int64_t longest_run) const {
  const int64_t widest = std::numeric_limits<T>::max();
  const int64_t most = count_ == Count::pairs ? simd::longest_run<T> : widest;
  return holds_letters<T>(corpus().n_letters()) && longest_run <= most;
}

void CommonSubstrings::fill_tile(Places rows, Places columns, double* values,
                                 threads::Worker& worker) const {
  Tile tile{.columns = columns, .lanes8 = {}, .lanes16 = {}, .lanes32 = {}};
  int64_t n_codes = 0;
  for (const int64_t column : columns) n_codes += right().length(column);
  const int64_t widest = right().length(columns.back());
  for (const int64_t row : rows) {
    worker.checkpoint();
    const int64_t length = left().length(row);
    // Runs are cut at the longest length only where all pairs are counted.
    int64_t longest_run = std::min(length, widest);
    if (count_ == Count::pairs) longest_run = std::min(longest_run, lengths_.longest);
    const int width = suits<uint8_t>(longest_run) ? 1 : suits<uint16_t>(longest_run) ? 2 : 4;
    const double cells = static_cast<double>(length) * static_cast<double>(widest) * width;
    if (cells * ticks_a_cell > static_cast<double>(n_codes) * ticks_to_read +
                                   static_cast<double>(length) * ticks_to_add) {
      by_automaton(row, columns, values, worker);
    } else if (width == 1) {
      by_lanes<uint8_t>(row, tile, values);
    } else if (width == 2) {
      by_lanes<uint16_t>(row, tile, values);
    } else {
      by_lanes<uint32_t>(row, tile, values);
    }
    values += tile_size;
  }
}

template <class T>
void CommonSubstrings::by_lanes(int64_t row, Tile& tile, double* values) const {
  constexpr int64_t width = Panel<T>::width;
  const auto& loops = simd::active_sequence_loops<T>();
  std::optional<Lanes<T>>& lanes = tile.template lanes<T>();
  if (!lanes) {
    lanes.emplace(right(), tile.columns);
    if (count_ == Count::distinct) lanes->set_floors(right(), tile.columns, floors_);
  }
  const std::vector<T> letters = row_of<T>(left()[row]);
  const auto n_rows = static_cast<int64_t>(letters.size());
  const bool limited = lengths_.shortest > 1 || lengths_.longest < left().length(row);
  const T below = capped<T>(lengths_.shortest - 1), most = capped<T>(lengths_.longest);
  for (size_t g = 0; g < lanes->groups.size(); ++g) {
    const typename Lanes<T>::Group& group = lanes->groups[g];
    const T* codes = group.panel.codes();
    const int64_t n_columns = group.panel.n_columns();
    std::array<uint64_t, width> sums{};
    if (count_ == Count::distinct) {
      loops.sum_longest_runs(codes, n_columns, letters.data(), n_rows, group.floors.get(), most,
                             group.above.get(), group.longest.get(), sums.data());
    } else {
      (limited ? loops.sum_limited_runs : loops.sum_runs)(codes, n_columns, letters.data(), n_rows,
                                                          below, most, group.above.get(),
                                                          sums.data());
    }
    const size_t first = g * width;
    const size_t count = std::min<size_t>(width, tile.columns.size() - first);
    for (size_t l = 0; l < count; ++l) values[first + l] = static_cast<double>(sums[l]);
  }
}

void CommonSubstrings::by_automaton(int64_t row, Places columns, double* values,
                                    threads::Worker& worker) const {
  const SuffixAutomaton automaton(left()[row]);
  const bool distinct = count_ == Count::distinct;
  std::optional<OccurrencePairs> pairs;
  if (!distinct) pairs.emplace(automaton, lengths_);
  for (const int64_t column : columns) {
    worker.checkpoint();
    const int64_t* floor = distinct ? floors_.data() + right().starts[column] : nullptr;
    int64_t total = 0;
    SuffixAutomaton::Match match;
    for (const int32_t code : right()[column]) {
      match = automaton.read(match, code);
      total += distinct ? clipped(*floor++, match.length, lengths_) : pairs->of(match);
    }
    *values++ = static_cast<double>(total);
  }
}

}  // namespace maxmargin::sequences
