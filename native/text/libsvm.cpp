#include "libsvm.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "number.h"

namespace maxmargin::text {
namespace {

bool is_blank(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\v' || letter == '\f';
}

bool ends_row(const char* at, const char* end) { return at == end || *at == '\n' || *at == '#'; }

bool ends_token(const char* at, const char* end) { return ends_row(at, end) || is_blank(*at); }

const char* skip_blanks(const char* at, const char* end) {
  while (at != end && is_blank(*at)) ++at;
  return at;
}

// Returns the end of the digits, of which there may be none; a number too large stays too large.
const char* read_whole(const char* at, const char* end, int64_t& value) {
  constexpr int64_t large = int64_t{1} << 58;
  for (value = 0; at != end && is_digit(*at); ++at) {
    if (value < large) value = 10 * value + (*at - '0');
  }
  return at;
}

template <class T>
class Parser {
 public:
  Parser(std::string_view text, Indices indices, ParsedRows<T>& rows)
      : begin_(text.data()), end_(begin_ + text.size()), indices_(indices), rows_(rows) {}

  Complaint parse() {
    const char* at = begin_;
    while (at != end_) {
      line_ = at;
      at = skip_blanks(at, end_);
      if (!ends_row(at, end_)) at = parse_row(at);
      if (at == nullptr) return complaint_;
      at = std::find(at, end_, '\n');
      if (at != end_) ++at;
    }
    return {};
  }

 private:
  // Returns where the row's tokens end, or null after a complaint.
  const char* parse_row(const char* at) {
    double label;
    const char* stop = read_number(at, end_, label);
    if (stop == nullptr || !ends_token(stop, end_)) return complain(Fault::label, at);
    rows_.labels.push_back(label);
    at = parse_query(skip_blanks(stop, end_));
    const int64_t start = static_cast<int64_t>(rows_.values.size());
    int64_t last = -1;
    bool ascends = true;
    while (at != nullptr && !ends_row(at, end_)) {
      const int64_t column = parse_entry(at, stop);
      if (column < 0) return nullptr;
      ascends = ascends && column > last;
      last = column;
      at = skip_blanks(stop, end_);
    }
    if (at != nullptr && !ascends && !sort_from(start)) return complain(Fault::repeated, line_);
    rows_.starts.push_back(static_cast<int64_t>(rows_.values.size()));
    return at;
  }

  const char* parse_query(const char* at) {
    constexpr std::string_view mark = "qid:";
    const std::string_view rest(at, static_cast<size_t>(end_ - at));
    rows_.queries.push_back(no_query);
    if (!rest.starts_with(mark)) return at;
    const char* digits = at + mark.size();
    const char* stop = read_whole(digits, end_, rows_.queries.back());
    if (stop == digits || !ends_token(stop, end_)) return complain(Fault::query, at);
    return skip_blanks(stop, end_);
  }

  // Returns the column and where the entry stops, or a negative number after a complaint.
  int64_t parse_entry(const char* at, const char*& stop) {
    int64_t index;
    double number;
    const char* colon = read_whole(at, end_, index);
    const bool has_index = colon != at && colon != end_ && *colon == ':';
    stop = has_index ? read_number(colon + 1, end_, number) : nullptr;
    const bool is_number = stop != nullptr && ends_token(stop, end_);
    const T value = is_number ? static_cast<T>(number) : T{0};
    if (!is_number || !std::isfinite(value)) return refuse(Fault::entry, at);
    if (index < indices_.first) return refuse(Fault::below_first, at);
    const int64_t column = index - indices_.first;
    if (column >= indices_.n_columns) return refuse(Fault::above_last, at);
    rows_.values.push_back(value);
    rows_.columns.push_back(static_cast<int32_t>(column));
    rows_.widest = std::max(rows_.widest, column + 1);
    return column;
  }

  // Sorts a row by its columns; false if one appears twice.
  bool sort_from(int64_t start) {
    const size_t n = rows_.columns.size() - static_cast<size_t>(start);
    int32_t* columns = rows_.columns.data() + start;
    T* values = rows_.values.data() + start;
    std::vector<size_t> order(n);
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return columns[a] < columns[b]; });
    const std::vector<int32_t> old_columns(columns, columns + n);
    const std::vector<T> old_values(values, values + n);
    for (size_t k = 0; k < n; ++k) {
      columns[k] = old_columns[order[k]];
      values[k] = old_values[order[k]];
    }
    return std::adjacent_find(columns, columns + n) == columns + n;
  }

  const char* complain(Fault fault, const char* token) {
    const char* stop = token;
    while (!ends_token(stop, end_)) ++stop;
    complaint_ = {fault, line_ - begin_, token - begin_, stop - begin_};
    return nullptr;
  }

  int64_t refuse(Fault fault, const char* token) {
    complain(fault, token);
    return -1;
  }

  const char* begin_;
  const char* end_;
  Indices indices_;
  ParsedRows<T>& rows_;
  const char* line_ = nullptr;
  Complaint complaint_;
};

}  // namespace

template <class T>
Complaint parse_libsvm(std::string_view text, Indices indices, ParsedRows<T>& rows) {
  // No row has more entries than colons, and no file more rows than line ends and one.
  const auto n_entries = static_cast<size_t>(std::count(text.begin(), text.end(), ':'));
  const auto n_lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  rows.values.reserve(n_entries + 1);
  rows.columns.reserve(n_entries + 1);
  rows.starts.reserve(n_lines + 1);
  rows.labels.reserve(n_lines);
  rows.queries.reserve(n_lines);
  return Parser<T>(text, indices, rows).parse();
}

template Complaint parse_libsvm<float>(std::string_view, Indices, ParsedRows<float>&);
template Complaint parse_libsvm<double>(std::string_view, Indices, ParsedRows<double>&);

void format_libsvm(const RowsToWrite& rows, int64_t first_index, std::string& out) {
  char digits[24];
  for (int64_t i = 0; i < rows.n_rows; ++i) {
    write_number(rows.labels[i], out);
    if (rows.queries != nullptr) {
      out += " qid:";
      out.append(digits, std::to_chars(digits, digits + sizeof digits, rows.queries[i]).ptr);
    }
    for (int64_t k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
      const int64_t index = rows.columns[k] + first_index;
      out += ' ';
      out.append(digits, std::to_chars(digits, digits + sizeof digits, index).ptr);
      out += ':';
      write_number(rows.values[k], out);
    }
    out += '\n';
  }
}

}  // namespace maxmargin::text
