// Decimal numbers in text, read to the nearest double and written in the fewest digits that read
// back alike, whatever the locale.
#pragma once

#include <string>

namespace maxmargin::text {

inline bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// Reads [+-]digits[.digits][e[+-]digits] and returns its end; null where there is no number, or
// one beyond the largest double. What is too small for a double is zero.
const char* read_number(const char* begin, const char* end, double& value);

void write_number(double value, std::string& out);

}  // namespace maxmargin::text
