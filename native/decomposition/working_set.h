// Which variables are worked on together: half of them stay for another round, first in first out,
// and the worst violators of both kinds join. Members keep their slot as long as they stay.
#pragma once

#include <cstdint>
#include <vector>

#include "scores.h"

namespace maxmargin::decomposition {

// The share of the violation within which a bounded variable counts as one that may still move.
inline constexpr double active_margin = 0.25;

// Whether a variable is free, or its score comes within `margin` of a violation.
bool is_active(const Scores& scores, int64_t v, const std::vector<Ends>& ends, double margin);

class WorkingSet {
 public:
  // `n_variables` to choose from.
  WorkingSet(int64_t capacity, int64_t n_variables)
      : capacity_(std::min(capacity, n_variables)), slot_of_(n_variables, -1) {}

  // Returns the slots that got new members.
  const std::vector<int32_t>& renew(const Scores& scores, int64_t n, const std::vector<Ends>& ends);

  // Makes every variable a member, variable v in slot v.
  const std::vector<int32_t>& take_all();

  // Adds every variable that is free, or whose score comes within `margin` of a violation, beside
  // the members there are; returns the new slots. More than the capacity are not admitted.
  const std::vector<int32_t>& admit(const Scores& scores, const std::vector<Ends>& ends,
                                    double margin);

  int64_t size() const { return static_cast<int64_t>(members_.size()); }
  bool contains(int64_t variable) const { return slot_of_[variable] >= 0; }
  int32_t member(int64_t slot) const { return members_[slot]; }
  const std::vector<int32_t>& members() const { return members_; }
  void clear();

 private:
  struct Candidate {
    double violation;
    int32_t variable;
  };

  void collect(const Scores& scores, int64_t n, const std::vector<Ends>& ends);
  void choose(std::vector<Candidate>& candidates, int64_t count);

  int64_t capacity_, round_ = 0;
  std::vector<int32_t> members_;   // by slot
  std::vector<int64_t> since_;     // by slot
  std::vector<int32_t> slot_of_;   // by variable
  std::vector<Candidate> rising_, falling_;
  std::vector<int32_t> chosen_, by_age_, renewed_;
};

}  // namespace maxmargin::decomposition
