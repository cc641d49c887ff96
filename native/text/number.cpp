#include "number.h"

#include <charconv>
#include <cstdint>
#include <locale>
#include <sstream>
#include <system_error>

namespace maxmargin::text {
namespace {

// Powers of ten, and whole numbers, that a double holds exactly: the product or quotient of two
// such is the nearest double after the one rounding (Clinger 1990).
constexpr double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int64_t largest_power = 22;
constexpr uint64_t largest_whole = uint64_t{1} << 53;

constexpr int most_digits = 19;  // that fit in 64 bits
constexpr int64_t most_exponent = 1'000'000'000;

// digits * 10^exponent, without the digits after the 19th.
struct Decimal {
  uint64_t digits = 0;
  int n_digits = 0;
  int64_t exponent = 0;
  bool has_digit = false;
  bool is_whole = true;

  void append(char letter, int places) {
    has_digit = true;
    if (n_digits < most_digits) {
      digits = 10 * digits + static_cast<uint64_t>(letter - '0');
      n_digits += digits != 0;
      exponent -= places;
    } else {
      is_whole = is_whole && letter == '0';
      exponent += 1 - places;
    }
  }

  bool is_easy() const {
    return is_whole && digits <= largest_whole && -largest_power <= exponent &&
           exponent <= largest_power;
  }

  double easy_value() const {
    const double whole = static_cast<double>(digits);
    return exponent < 0 ? whole / exact_powers[-exponent] : whole * exact_powers[exponent];
  }
};

// Returns the end of an exponent, or where it began if it has no digits.
const char* read_exponent(const char* begin, const char* end, int64_t& exponent) {
  const char* at = begin + 1;
  bool negative = false;
  if (at != end && (*at == '+' || *at == '-')) negative = *at++ == '-';
  if (at == end || !is_digit(*at)) return begin;
  int64_t value = 0;
  for (; at != end && is_digit(*at); ++at) {
    if (value < most_exponent) value = 10 * value + (*at - '0');
  }
  exponent += negative ? -value : value;
  return at;
}

bool nearest(const char* begin, const char* end, double& value) {
#ifdef __cpp_lib_to_chars
  return std::from_chars(begin, end, value).ec == std::errc();
#else
  std::istringstream stream(std::string(begin, end));
  stream.imbue(std::locale::classic());
  return static_cast<bool>(stream >> value);
#endif
}

}  // namespace

const char* read_number(const char* begin, const char* end, double& value) {
  const char* at = begin;
  bool negative = false;
  if (at != end && (*at == '+' || *at == '-')) negative = *at++ == '-';
  const char* magnitude = at;
  Decimal number;
  for (; at != end && is_digit(*at); ++at) number.append(*at, 0);
  if (at != end && *at == '.') {
    for (++at; at != end && is_digit(*at); ++at) number.append(*at, 1);
  }
  if (!number.has_digit) return nullptr;
  if (at != end && (*at == 'e' || *at == 'E')) at = read_exponent(at, end, number.exponent);
  if (number.digits == 0) {
    value = 0;
  } else if (number.is_easy()) {
    value = number.easy_value();
  } else if (!nearest(magnitude, at, value)) {
    if (number.n_digits + number.exponent > 0) return nullptr;
    value = 0;
  }
  if (negative) value = -value;
  return at;
}

void write_number(double value, std::string& out) {
  char digits[32];
  const auto written = std::to_chars(digits, digits + sizeof digits, value);
  out.append(digits, written.ptr);
}

}  // namespace maxmargin::text
