// LIBSVM's format, a row a line: label [qid:n] index:value index:value ... # comment
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace maxmargin::text {

inline constexpr int64_t no_query = -1;

// Rows in CSR; the columns of a row ascend.
template <class T>
struct ParsedRows {
  std::vector<T> values;
  std::vector<int32_t> columns;
  std::vector<int64_t> starts = {0};
  std::vector<double> labels;
  std::vector<int64_t> queries;
  int64_t widest = 0;  // columns that the indices imply
};

enum class Fault { none, label, query, entry, below_first, above_last, repeated };

// What is wrong, as offsets into the text.
struct Complaint {
  Fault fault = Fault::none;
  int64_t line = 0;
  int64_t token = 0;
  int64_t token_end = 0;
};

struct Indices {
  int64_t first;
  int64_t n_columns;  // at most 2^31 - 1
};

// Reads whole lines up to the first that is wrong.
template <class T>
Complaint parse_libsvm(std::string_view text, Indices indices, ParsedRows<T>& rows);

struct RowsToWrite {
  int64_t n_rows;
  const double* values;
  const int32_t* columns;
  const int64_t* starts;
  const double* labels;
  const int64_t* queries;  // null for none
};

// Each number reads back alike.
void format_libsvm(const RowsToWrite& rows, int64_t first_index, std::string& out);

}  // namespace maxmargin::text
