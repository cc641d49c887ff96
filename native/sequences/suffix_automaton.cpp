#include "suffix_automaton.h"

#include <algorithm>

namespace maxmargin::sequences {
namespace {
constexpr int32_t start = 0, none = -1;
}

SuffixAutomaton::SuffixAutomaton(Sequence text) {
  states_.reserve(2 * text.size() + 1);
  edges_.reserve(3 * text.size());
  repeats_.reserve(text.size());
  add_state(0, false);
  states_[start].link = none;
  for (const int32_t code : text) extend(code);
}

int32_t SuffixAutomaton::add_state(int64_t length, bool is_prefix) {
  states_.push_back({length, start, none, is_prefix});
  return static_cast<int32_t>(states_.size()) - 1;
}

void SuffixAutomaton::extend(int32_t code) {
  const int32_t whole = add_state(states_[last_].length + 1, true);
  int32_t state = last_;
  last_ = whole;
  while (state != none && target(state, code) == none) {
    connect(state, code, whole);
    state = states_[state].link;
  }
  if (state != none) states_[whole].link = split(target(state, code), state, code);
  repeats_.push_back(states_[states_[whole].link].length);
}

// Returns the state of the substrings of `state` that are one code longer than those of `from`.
int32_t SuffixAutomaton::split(int32_t state, int32_t from, int32_t code) {
  const int64_t length = states_[from].length + 1;
  if (states_[state].length == length) return state;
  const int32_t copy = add_state(length, false);
  states_[copy].link = states_[state].link;
  for (int32_t e = states_[state].first_edge; e != none; e = edges_[e].next) {
    connect(copy, edges_[e].code, edges_[e].target);
  }
  states_[state].link = copy;
  for (; from != none; from = states_[from].link) {
    if (target(from, code) != state) break;
    (from == start ? from_start_[code] : edges_[edge(from, code)].target) = copy;
  }
  return copy;
}

int32_t SuffixAutomaton::target(int32_t state, int32_t code) const {
  if (state == start) {
    const auto found = from_start_.find(code);
    return found == from_start_.end() ? none : found->second;
  }
  const int32_t e = edge(state, code);
  return e == none ? none : edges_[e].target;
}

int32_t SuffixAutomaton::edge(int32_t state, int32_t code) const {
  int32_t e = states_[state].first_edge;
  while (e != none && edges_[e].code != code) e = edges_[e].next;
  return e;
}

void SuffixAutomaton::connect(int32_t state, int32_t code, int32_t target) {
  if (state == start) {
    from_start_[code] = target;
    return;
  }
  edges_.push_back({code, target, states_[state].first_edge});
  states_[state].first_edge = static_cast<int32_t>(edges_.size()) - 1;
}

SuffixAutomaton::Match SuffixAutomaton::read(Match match, int32_t code) const {
  for (;;) {
    const int32_t next = target(match.state, code);
    if (next != none) return {next, match.length + 1};
    match.state = states_[match.state].link;
    if (match.state == none) return {};
    match.length = states_[match.state].length;
  }
}

std::vector<int32_t> SuffixAutomaton::by_length() const {
  std::vector<int32_t> order(states_.size());
  for (int32_t s = 0; s < n_states(); ++s) order[s] = s;
  std::sort(order.begin(), order.end(),
            [&](int32_t a, int32_t b) { return states_[a].length < states_[b].length; });
  return order;
}

std::vector<int64_t> SuffixAutomaton::occurrences() const {
  std::vector<int64_t> count(states_.size());
  const std::vector<int32_t> order = by_length();
  for (auto state = order.rbegin(); state != order.rend() && *state != start; ++state) {
    count[*state] += states_[*state].is_prefix;
    count[states_[*state].link] += count[*state];
  }
  return count;
}

CommonSubstring longest_common_substring(Sequence x, Sequence z) {
  const SuffixAutomaton automaton(z);
  CommonSubstring longest;
  SuffixAutomaton::Match match;
  for (size_t i = 0; i < x.size(); ++i) {
    match = automaton.read(match, x[i]);
    if (match.length > longest.length) {
      longest = {static_cast<int64_t>(i) + 1 - match.length, match.length};
    }
  }
  return longest;
}

}  // namespace maxmargin::sequences
