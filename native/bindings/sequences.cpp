// Comparisons of sequences: codes in, blocks of kernel values out.
#include <nanobind/stl/optional.h>

#include <memory>
#include <numeric>
#include <optional>

#include "../sequences/common_substrings.h"
#include "../sequences/mismatch.h"
#include "../sequences/spectrum.h"
#include "../sequences/subsequence.h"
#include "../sequences/suffix_automaton.h"
#include "../sequences/weighted_degree.h"
#include "arrays.h"
#include "interrupts.h"

namespace maxmargin::bindings {
namespace {

using namespace nb::literals;
using sequences::Comparison;
using sequences::Corpus;

// A view of the sequences and the arrays that keep it valid.
struct HeldSequences {
  sequences::Sequences view;
  Vector<int32_t> codes;
  Vector<int64_t> starts;
};

HeldSequences hold(Vector<int32_t> codes, Vector<int64_t> starts) {
  const int64_t n = extent(starts, 0) - 1;
  if (n < 0 || !sequences::is_well_formed(codes.data(), extent(codes, 0), starts.data(), n)) {
    throw nb::value_error("the starts do not lie within the codes, or a code is negative");
  }
  return {{codes.data(), starts.data(), n}, codes, starts};
}

// Comparisons copy what they need of the sequences.
struct HeldComparison {
  std::unique_ptr<const Comparison> comparison;
};

std::unique_ptr<const Corpus> corpus_of(const HeldSequences& left, const HeldSequences& right) {
  return std::make_unique<const Corpus>(left.view, right.view);
}

HeldComparison common_substrings(const HeldSequences& left, const HeldSequences& right,
                                 bool distinct, int64_t shortest, int64_t longest) {
  nb::gil_scoped_release without_interpreter;
  const auto count = distinct ? sequences::Count::distinct : sequences::Count::pairs;
  return {std::make_unique<sequences::CommonSubstrings>(corpus_of(left, right), count,
                                                        sequences::Lengths{shortest, longest})};
}

HeldComparison spectrum(const HeldSequences& left, const HeldSequences& right, int64_t shortest,
                        int64_t longest) {
  nb::gil_scoped_release without_interpreter;
  return {std::make_unique<sequences::Spectrum>(Corpus(left.view, right.view), shortest, longest)};
}

HeldComparison mismatch(const HeldSequences& left, const HeldSequences& right, int64_t window,
                        Vector<double> weights) {
  nb::gil_scoped_release without_interpreter;
  return {std::make_unique<sequences::Mismatch>(corpus_of(left, right), window, copied(weights))};
}

HeldComparison weighted_degree(const HeldSequences& left, const HeldSequences& right,
                               int64_t degree, int64_t shift) {
  nb::gil_scoped_release without_interpreter;
  return {std::make_unique<sequences::WeightedDegree>(corpus_of(left, right), degree, shift)};
}

HeldComparison subsequence(const HeldSequences& left, const HeldSequences& right, int64_t length,
                           double decay) {
  nb::gil_scoped_release without_interpreter;
  return {std::make_unique<sequences::Subsequence>(corpus_of(left, right), length, decay)};
}

// Some places of n, or all of them.
class HeldPlaces {
 public:
  HeldPlaces(const std::optional<Vector<int64_t>>& given, int64_t n) {
    if (given) {
      places_ = {given->data(), given->size()};
      for (const int64_t place : places_) {
        if (place < 0 || place >= n) throw nb::index_error("a place lies outside the sequences");
      }
    } else {
      all_.resize(n);
      std::iota(all_.begin(), all_.end(), int64_t{0});
      places_ = all_;
    }
  }
  HeldPlaces(const HeldPlaces&) = delete;
  HeldPlaces& operator=(const HeldPlaces&) = delete;

  sequences::Places get() const { return places_; }
  int64_t size() const { return static_cast<int64_t>(places_.size()); }

 private:
  std::vector<int64_t> all_;
  sequences::Places places_;
};

void fill(const HeldComparison& held, std::optional<Vector<int64_t>> rows,
          std::optional<Vector<int64_t>> columns, Output<double> out, int n_threads) {
  const Comparison& comparison = *held.comparison;
  const HeldPlaces down(rows, comparison.n_left()), across(columns, comparison.n_right());
  if (extent(out, 0) != down.size() || extent(out, 1) != across.size()) {
    throw nb::value_error("the shape of the output does not match the places");
  }
  const kernels::Execution execution{n_threads, signal_is_pending};
  try {
    nb::gil_scoped_release without_interpreter;
    comparison.fill(down.get(), across.get(), out.data(), execution);
  } catch (const threads::Interrupted&) {
    throw nb::python_error();
  }
}

void fill_diagonal(const HeldComparison& held,
                   nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu> out,
                   int n_threads) {
  const Comparison& comparison = *held.comparison;
  if (extent(out, 0) != comparison.n_left() || comparison.n_left() != comparison.n_right()) {
    throw nb::value_error("the shape of the output does not match the sequences");
  }
  const kernels::Execution execution{n_threads, signal_is_pending};
  try {
    nb::gil_scoped_release without_interpreter;
    comparison.fill_diagonal(out.data(), execution);
  } catch (const threads::Interrupted&) {
    throw nb::python_error();
  }
}

nb::tuple longest_common_substring(Vector<int32_t> x, Vector<int32_t> z) {
  const sequences::Sequence first(x.data(), x.size()), second(z.data(), z.size());
  const auto found = sequences::longest_common_substring(first, second);
  return nb::make_tuple(found.begin, found.length);
}

}  // namespace

void bind_sequences(nb::module_& module) {
  nb::class_<HeldSequences>(module, "Sequences")
      .def_static("of", &hold, "codes"_a.noconvert(), "starts"_a.noconvert());
  nb::class_<HeldComparison>(module, "Comparison")
      .def("fill", &fill, "rows"_a.none(), "columns"_a.none(), "out"_a.noconvert(), "n_threads"_a)
      .def("fill_diagonal", &fill_diagonal, "out"_a.noconvert(), "n_threads"_a)
      .def_prop_ro("n_left", [](const HeldComparison& c) { return c.comparison->n_left(); })
      .def_prop_ro("n_right", [](const HeldComparison& c) { return c.comparison->n_right(); });
  module.def("common_substrings", &common_substrings, "left"_a, "right"_a, "distinct"_a,
             "shortest"_a, "longest"_a);
  module.def("spectrum", &spectrum, "left"_a, "right"_a, "shortest"_a, "longest"_a);
  module.def("mismatch", &mismatch, "left"_a, "right"_a, "window"_a, "weights"_a.noconvert());
  module.def("weighted_degree", &weighted_degree, "left"_a, "right"_a, "degree"_a, "shift"_a);
  module.def("subsequence", &subsequence, "left"_a, "right"_a, "length"_a, "decay"_a);
  module.def("longest_common_substring", &longest_common_substring, "x"_a.noconvert(),
             "z"_a.noconvert());
}

}  // namespace maxmargin::bindings
