// A substring of few letters is a number of 64 bits; a longer one is a pair of names of its halves,
// which may overlap (Karp, Miller, Rosenberg 1972).
#include "substring_names.h"

#include <algorithm>
#include <bit>

namespace maxmargin::sequences {
namespace {

constexpr int bits_of_a_key = 63, bits_of_a_table = 22;

struct Keyed {
  uint64_t key;
  int64_t place;
};

// Calls visit(place) where a substring of this length begins.
template <class Visit>
void for_each_substring(const Sequences& sequences, int64_t length, Visit&& visit) {
  for (int64_t i = 0; i < sequences.n; ++i) {
    for (int64_t p = sequences.starts[i]; p + length <= sequences.starts[i + 1]; ++p) visit(p);
  }
}

SubstringNames name_by_table(const std::vector<Keyed>& keyed, int64_t n_places, int bits) {
  SubstringNames names{std::vector<int32_t>(n_places, -1)};
  std::vector<int32_t> name_of(size_t{1} << bits, -1);
  for (const Keyed& substring : keyed) {
    int32_t& name = name_of[substring.key];
    if (name < 0) name = names.n++;
    names.at[substring.place] = name;
  }
  return names;
}

SubstringNames name_by_sorting(std::vector<Keyed>& keyed, int64_t n_places) {
  SubstringNames names{std::vector<int32_t>(n_places, -1)};
  std::sort(keyed.begin(), keyed.end(),
            [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
  for (size_t k = 0; k < keyed.size(); ++k) {
    if (k > 0 && keyed[k].key != keyed[k - 1].key) ++names.n;
    names.at[keyed[k].place] = names.n;
  }
  names.n += !keyed.empty();
  return names;
}

}  // namespace

SubstringNames name_substrings(const Sequences& sequences, int64_t length, int32_t n_letters) {
  const int64_t n_places = sequences.starts[sequences.n];
  const int bits = std::bit_width(static_cast<uint32_t>(std::max(n_letters - 1, 1)));
  std::vector<Keyed> keyed;
  keyed.reserve(n_places);
  if (length <= bits_of_a_key / bits) {
    const int width = bits * static_cast<int>(length);
    const uint64_t mask = (uint64_t{1} << width) - 1;
    uint64_t key = 0;
    int64_t last = -1;
    for_each_substring(sequences, length, [&](int64_t place) {
      // Neighbours share all letters but one.
      const bool is_neighbour = last >= 0 && place == last + 1;
      for (int64_t p = is_neighbour ? place + length - 1 : place; p < place + length; ++p) {
        key = (key << bits | static_cast<uint64_t>(sequences.codes[p])) & mask;
      }
      last = place;
      keyed.push_back({key, place});
    });
    if (width <= bits_of_a_table) return name_by_table(keyed, n_places, width);
  } else {
    const int64_t half = (length + 1) / 2;
    const SubstringNames halves = name_substrings(sequences, half, n_letters);
    for_each_substring(sequences, length, [&](int64_t place) {
      const auto first = static_cast<uint64_t>(halves.at[place]);
      const auto second = static_cast<uint64_t>(halves.at[place + length - half]);
      keyed.push_back({first << 32 | second, place});
    });
  }
  return name_by_sorting(keyed, n_places);
}

}  // namespace maxmargin::sequences
