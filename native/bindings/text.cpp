// The Python face of the text formats: bytes in, arrays that own their memory out, and back.
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "../kernels/rows.h"
#include "../text/libsvm.h"
#include "arrays.h"

namespace maxmargin::bindings {
namespace {

using namespace nb::literals;
using text::Fault;

const char* name_of(Fault fault) {
  switch (fault) {
    case Fault::none: return "";
    case Fault::label: return "label";
    case Fault::query: return "query";
    case Fault::entry: return "entry";
    case Fault::below_first: return "below_first";
    case Fault::above_last: return "above_last";
    case Fault::repeated: return "repeated";
  }
  return "";
}

template <class T>
nb::tuple parse(nb::bytes block, int64_t first_index, int64_t n_columns) {
  const std::string_view whole(block.c_str(), block.size());
  text::ParsedRows<T> rows;
  text::Complaint found;
  {
    nb::gil_scoped_release without_interpreter;
    found = text::parse_libsvm<T>(whole, {first_index, n_columns}, rows);
  }
  return nb::make_tuple(
      name_of(found.fault), found.line, found.token, found.token_end,
      nb::make_tuple(owned(std::move(rows.values)), owned(std::move(rows.columns)),
                     owned(std::move(rows.starts)), owned(std::move(rows.labels)),
                     owned(std::move(rows.queries)), rows.widest));
}

nb::bytes format(Vector<double> values, Vector<int32_t> columns, Vector<int64_t> starts,
                 Vector<double> labels, std::optional<Vector<int64_t>> queries,
                 int64_t first_index) {
  const int64_t n_rows = extent(starts, 0) - 1;
  const int64_t n_entries = std::min(extent(values, 0), extent(columns, 0));
  if (n_rows < 0 || extent(labels, 0) != n_rows ||
      (queries.has_value() && extent(*queries, 0) != n_rows) ||
      !kernels::is_well_formed(starts.data(), n_rows, columns.data(), n_entries, int64_t{1} << 31)) {
    throw nb::value_error("the rows, labels and queries do not fit each other");
  }
  const text::RowsToWrite rows{n_rows,        values.data(), columns.data(),
                               starts.data(), labels.data(), queries ? queries->data() : nullptr};
  std::string out;
  {
    nb::gil_scoped_release without_interpreter;
    text::format_libsvm(rows, first_index, out);
  }
  return nb::bytes(out.data(), out.size());
}

}  // namespace

void bind_text(nb::module_& module) {
  module.def("parse_libsvm32", &parse<float>, "block"_a, "first_index"_a, "n_columns"_a);
  module.def("parse_libsvm64", &parse<double>, "block"_a, "first_index"_a, "n_columns"_a);
  module.def("format_libsvm", &format, "values"_a.noconvert(), "columns"_a.noconvert(),
             "starts"_a.noconvert(), "labels"_a.noconvert(), "queries"_a.none(), "first_index"_a);
}

}  // namespace maxmargin::bindings
