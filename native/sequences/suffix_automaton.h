// The suffix automaton of a sequence: the smallest machine that reads all of its substrings.
//
// Blumer, Blumer, Haussler, Ehrenfeucht, Chen, Seiferas 1985. Each state stands for the substrings
// that end at the same places; their lengths are an interval from one above that of the state's
// link up to its own.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sequences.h"

namespace maxmargin::sequences {

class SuffixAutomaton {
 public:
  explicit SuffixAutomaton(Sequence text);

  // The longest suffix of what was read so far that occurs in the text.
  struct Match {
    int32_t state = 0;
    int64_t length = 0;
  };
  Match read(Match match, int32_t code) const;

  // For each place of the text, the longest substring that ends there and at an earlier place too.
  const std::vector<int64_t>& repeats() const { return repeats_; }

  int64_t length(int32_t state) const { return states_[state].length; }
  int32_t link(int32_t state) const { return states_[state].link; }
  int32_t n_states() const { return static_cast<int32_t>(states_.size()); }

  // At how many places the substrings of each state end.
  std::vector<int64_t> occurrences() const;
  // The states, each behind its link.
  std::vector<int32_t> by_length() const;

 private:
  struct State {
    int64_t length;
    int32_t link;
    int32_t first_edge;
    bool is_prefix;  // of the text, and not a copy
  };
  struct Edge {
    int32_t code, target, next;
  };

  void extend(int32_t code);
  int32_t target(int32_t state, int32_t code) const;
  int32_t edge(int32_t state, int32_t code) const;
  void connect(int32_t state, int32_t code, int32_t target);
  int32_t add_state(int64_t length, bool is_prefix);
  int32_t split(int32_t state, int32_t from, int32_t code);

  std::vector<State> states_;
  std::vector<Edge> edges_;
  std::unordered_map<int32_t, int32_t> from_start_;  // the many edges of the first state
  int32_t last_ = 0;
  std::vector<int64_t> repeats_;
};

// Where in x the longest substring that z has too begins, and its length; the first of equals.
struct CommonSubstring {
  int64_t begin = 0, length = 0;
};
CommonSubstring longest_common_substring(Sequence x, Sequence z);

}  // namespace maxmargin::sequences
