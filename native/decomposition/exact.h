// What is known about the kernel beside its rows: values in float64, to see what rounding does.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace maxmargin::decomposition {

struct Exact {
  // The expansion of coefficients, one per point, at some points; empty where the rows are exact.
  std::function<std::vector<double>(std::span<const int64_t> at,
                                    const std::vector<double>& coefficients)>
      expansion;
  // Points where rounding is worst.
  std::vector<int64_t> farthest;
  // The errors of a sample of rows, row by row with one entry per point, where they were measured.
  std::span<const double> row_errors;

  bool is_needed() const { return static_cast<bool>(expansion); }
};

}  // namespace maxmargin::decomposition
