#include "working_set.h"

#include <algorithm>
#include <numeric>

namespace maxmargin::decomposition {

void WorkingSet::clear() {
  for (const int32_t variable : members_) slot_of_[variable] = -1;
  members_.clear();
  since_.clear();
}

const std::vector<int32_t>& WorkingSet::take_all() {
  members_.resize(slot_of_.size());
  std::iota(members_.begin(), members_.end(), 0);
  since_.assign(members_.size(), round_);
  slot_of_ = members_;
  return renewed_ = members_;
}

bool is_active(const Scores& scores, int64_t v, const std::vector<Ends>& ends, double margin) {
  const Ends& own = ends[scores.group[v]];
  const bool rises = scores.can_rise(v), falls = scores.can_fall(v);
  return (rises && falls) || (rises && scores.score[v] > own.bottom - margin) ||
         (falls && scores.score[v] < own.top + margin);
}

const std::vector<int32_t>& WorkingSet::admit(const Scores& scores, const std::vector<Ends>& ends,
                                              double margin) {
  renewed_.clear();
  for (int64_t v = 0; v < scores.size() && size() < capacity_; ++v) {
    if (slot_of_[v] >= 0 || !is_active(scores, v, ends, margin)) continue;
    slot_of_[v] = static_cast<int32_t>(size());
    renewed_.push_back(slot_of_[v]);
    members_.push_back(static_cast<int32_t>(v));
    since_.push_back(round_);
  }
  return renewed_;
}

// Everyone but the members that stay may come (again).
void WorkingSet::collect(const Scores& scores, int64_t n, const std::vector<Ends>& ends) {
  rising_.clear();
  falling_.clear();
  for (int64_t v = 0; v < n; ++v) {
    const Ends& own = ends[scores.group[v]];
    const bool rises = scores.can_rise(v) && scores.score[v] > own.bottom;
    const bool falls = scores.can_fall(v) && scores.score[v] < own.top;
    if (!rises && !falls) continue;
    if (slot_of_[v] >= 0 && since_[slot_of_[v]] == round_) continue;
    const auto variable = static_cast<int32_t>(v);
    if (rises) rising_.push_back({scores.score[v] - own.bottom, variable});
    if (falls) falling_.push_back({own.top - scores.score[v], variable});
  }
}

// Adds up to `count` of the worst to the chosen; the others stay behind in `candidates`.
void WorkingSet::choose(std::vector<Candidate>& candidates, int64_t count) {
  count = std::min<int64_t>(count, static_cast<int64_t>(candidates.size()));
  const auto worse = [](const Candidate& a, const Candidate& b) {
    return a.violation != b.violation ? a.violation > b.violation : a.variable < b.variable;
  };
  std::nth_element(candidates.begin(), candidates.begin() + count, candidates.end(), worse);
  for (int64_t k = 0; k < count; ++k) chosen_.push_back(candidates[k].variable);
  candidates.erase(candidates.begin(), candidates.begin() + count);
}

const std::vector<int32_t>& WorkingSet::renew(const Scores& scores, int64_t n,
                                              const std::vector<Ends>& ends) {
  by_age_.resize(members_.size());
  for (size_t slot = 0; slot < members_.size(); ++slot) by_age_[slot] = static_cast<int32_t>(slot);
  std::stable_sort(by_age_.begin(), by_age_.end(),
                   [&](int32_t a, int32_t b) { return since_[a] < since_[b]; });
  const int64_t n_staying = std::min(size(), capacity_ / 2);
  ++round_;
  // Marking the young with this round keeps `collect` off them; their true age is set back below.
  std::vector<int64_t> age(since_);
  for (int64_t k = size() - n_staying; k < size(); ++k) since_[by_age_[k]] = round_;

  collect(scores, n, ends);
  chosen_.clear();
  const int64_t room = capacity_ - n_staying;
  choose(rising_, room / 2);
  choose(falling_, room / 2);
  choose(rising_, room - static_cast<int64_t>(chosen_.size()));
  choose(falling_, room - static_cast<int64_t>(chosen_.size()));
  std::sort(chosen_.begin(), chosen_.end());
  chosen_.erase(std::unique(chosen_.begin(), chosen_.end()), chosen_.end());

  for (int64_t k = size() - n_staying; k < size(); ++k) since_[by_age_[k]] = age[by_age_[k]];
  for (const int32_t variable : chosen_) {
    if (slot_of_[variable] >= 0) since_[slot_of_[variable]] = round_;
  }
  renewed_.clear();
  size_t oldest = 0;
  for (const int32_t variable : chosen_) {
    if (slot_of_[variable] >= 0) continue;
    int32_t slot;
    if (size() < capacity_) {
      slot = static_cast<int32_t>(size());
      members_.push_back(variable);
      since_.push_back(round_);
    } else {
      while (since_[by_age_[oldest]] == round_) ++oldest;
      slot = by_age_[oldest++];
      slot_of_[members_[slot]] = -1;
      members_[slot] = variable;
      since_[slot] = round_;
    }
    slot_of_[variable] = slot;
    renewed_.push_back(slot);
  }
  return renewed_;
}

}  // namespace maxmargin::decomposition
