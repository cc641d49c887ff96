// Substrings of k codes, or of up to k, as features: sums of products of how often both have them.
//
// Leslie, Eskin, Noble 2002.
#pragma once

#include <memory>
#include <vector>

#include "comparison.h"
#include "sequences.h"

namespace maxmargin::sequences {

class Spectrum final : public Comparison {
 public:
  Spectrum(const Corpus& corpus, int64_t shortest, int64_t longest);

  void fill(Places rows, Places columns, double* out, const Execution& execution) const override;
  void fill_diagonal(double* out, const Execution& execution) const override;
  int64_t n_left() const override { return left_.n(); }
  int64_t n_right() const override { return right().n(); }

 private:
  // How often each sequence has each substring, in rows sorted by the substring's number.
  struct Counts {
    std::vector<int64_t> starts{0};
    std::vector<int32_t> names;
    std::vector<double> counts;
    int64_t n() const { return static_cast<int64_t>(starts.size()) - 1; }
  };
  // The same by substring: who has it, in ascending order.
  struct Owners {
    std::vector<int64_t> starts;
    std::vector<int32_t> positions;
    std::vector<double> counts;
  };

  const Counts& right() const { return is_one_ ? left_ : other_; }
  Owners owners_of(Places columns) const;
  void fill_row(int64_t row, const Owners& owners, int64_t n_columns, double* out) const;

  bool is_one_;
  int64_t n_names_ = 0;
  Counts left_, other_;
};

}  // namespace maxmargin::sequences
