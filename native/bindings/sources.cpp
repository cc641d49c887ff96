#include "sources.h"

#include <nanobind/stl/vector.h>

#include <algorithm>

#include "../data/duplicates.h"
#include "../rows/matrix_source.h"
#include "../rows/resident_gram.h"
#include "../rows/vector_source.h"

namespace maxmargin::bindings {
namespace {

using namespace nb::literals;
using kernels::Form;
using rows::Affine;
using rows::Execution;

// Rows from a Python function of points a and b (None for all of them).
template <class T>
class FunctionSource final : public rows::RowSource<T> {
 public:
  using typename rows::RowSource<T>::Batch;
  using Array = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

  FunctionSource(int64_t n_points, nb::object block)
      : n_points_(n_points), block_(std::move(block)) {}

  int64_t n_points() const override { return n_points_; }

  std::unique_ptr<Batch> prepare(std::span<const int64_t> points, const Execution&) const override {
    auto prepared = std::make_unique<Prepared>();
    nb::gil_scoped_acquire interpreter;
    prepared->rows = call(points, nb::none(), static_cast<int64_t>(points.size()), n_points_);
    return prepared;
  }

  void fill(const Batch& batch, int64_t begin, int64_t end, T* const* out,
            threads::Worker&) const override {
    const Array& rows = static_cast<const Prepared&>(batch).rows;
    for (int64_t r = 0; r < extent(rows, 0); ++r) {
      std::copy_n(rows.data() + r * n_points_ + begin, end - begin, out[r]);
    }
  }

  void fill_cross(std::span<const int64_t> a, std::span<const int64_t> b, T* const* out,
                  const Execution&) const override {
    nb::gil_scoped_acquire interpreter;
    const auto n = static_cast<int64_t>(b.size());
    const Array block = call(a, positions(b), static_cast<int64_t>(a.size()), n);
    for (int64_t i = 0; i < extent(block, 0); ++i) {
      std::copy_n(block.data() + i * n, n, out[i]);
    }
  }

 private:
  struct Prepared final : Batch {
    Array rows;
    ~Prepared() override {
      nb::gil_scoped_acquire interpreter;
      rows = Array();
    }
  };

  static nb::object positions(std::span<const int64_t> points) {
    return nb::cast(nb::ndarray<const int64_t, nb::numpy, nb::ndim<1>>(points.data(), {points.size()}),
                    nb::rv_policy::copy);
  }

  Array call(std::span<const int64_t> a, const nb::object& b, int64_t n_rows, int64_t n_columns) const {
    const Array block = nb::cast<Array>(block_(positions(a), b));
    if (extent(block, 0) != n_rows || extent(block, 1) != n_columns) {
      throw nb::value_error("a block of the kernel has the wrong shape");
    }
    return block;
  }

  int64_t n_points_;
  nb::object block_;
};

template <class T, class S>
HeldSource<T> source_by_products(const HeldRows<S>& rows, Vector<int64_t> boundaries, Form form,
                                 double gamma, double coef0, int degree, double factor, double constant,
                                 int n_threads) {
  const kernels::Kernel<T> kernel{form, static_cast<T>(gamma), static_cast<T>(coef0), degree};
  const std::span<const int64_t> cuts(boundaries.data(), boundaries.size());
  nb::gil_scoped_release without_interpreter;
  kernels::Points<T> points(rows.view, cuts, form == Form::gaussian, n_threads);
  const double scale = gamma * points.typical_norm();
  std::vector<int64_t> farthest = points.farthest(64);
  return {std::make_unique<rows::ProductSource<T>>(std::move(points), kernel,
                                                   Affine<T>{static_cast<T>(factor), static_cast<T>(constant)}),
          scale, nb::object(), std::move(farthest)};
}

template <class T>
HeldSource<T> source_by_blocks(nb::object held, Form form, double gamma, double coef0, int degree,
                               double factor, double constant) {
  const auto& rows = nb::cast<const HeldRows<T>&>(held);
  const kernels::Kernel<T> kernel{form, static_cast<T>(gamma), static_cast<T>(coef0), degree};
  return {std::make_unique<rows::BlockSource<T>>(rows.view, kernel, Affine<T>{static_cast<T>(factor), static_cast<T>(constant)}), 0,
          held};
}

template <class T, class S>
HeldSource<T> source_of_matrix(Matrix<S> matrix, double factor, double constant) {
  if (extent(matrix, 0) != extent(matrix, 1)) throw nb::value_error("the matrix must be square");
  return {std::make_unique<rows::MatrixSource<T, S>>(matrix.data(), extent(matrix, 0),
                                                     extent(matrix, 1), Affine<T>{static_cast<T>(factor), static_cast<T>(constant)}),
          0, nb::cast(matrix)};
}

template <class T>
HeldSource<T> source_of_function(int64_t n_points, nb::object block) {
  return {std::make_unique<FunctionSource<T>>(n_points, block), 0, nb::object()};
}

template <class S>
nb::object first_alike(const HeldRows<S>& rows) {
  std::vector<int64_t> first;
  {
    nb::gil_scoped_release without_interpreter;
    first = data::first_alike(rows.view);
  }
  return nb::cast(nb::ndarray<const int64_t, nb::numpy, nb::ndim<1>>(first.data(), {first.size()}),
                  nb::rv_policy::copy);
}

template <class T>
HeldSource<T> source_of_resident(Matrix<T> matrix, int64_t n_points) {
  if (extent(matrix, 0) < n_points || extent(matrix, 1) < n_points) {
    throw nb::value_error("the matrix has fewer rows or columns than points");
  }
  return {std::make_unique<rows::MatrixSource<T, T>>(matrix.data(), n_points, extent(matrix, 1),
                                                     Affine<T>{}),
          0, nb::cast(matrix)};
}

template <class T>
void map_gram(Form form, Matrix<T> terms, Output<T> gram, double gamma, double coef0, int degree,
              double factor, double constant, int n_threads) {
  const int64_t n = extent(terms, 0);
  if (extent(terms, 1) != n || extent(gram, 0) < n || extent(gram, 1) < n) {
    throw nb::value_error("the terms must be square, and the matrix at least as large");
  }
  const kernels::Kernel<T> kernel{form, static_cast<T>(gamma), static_cast<T>(coef0), degree};
  const Affine<T> affine{static_cast<T>(factor), static_cast<T>(constant)};
  const int64_t stride = extent(gram, 1);
  nb::gil_scoped_release without_interpreter;
  rows::map_gram<T>(kernel, affine, terms.data(), n, gram.data(), stride, Execution{n_threads, {}});
}

// One row of values for each of several coefficient vectors.
template <class T>
nb::object expand(Matrix<T> gram, int64_t n_points, Matrix<double> coefficients, Vector<int64_t> at,
                  int n_threads) {
  const std::span<const int64_t> points(at.data(), at.size());
  const auto lies_outside = [&](int64_t p) { return p < 0 || p >= n_points; };
  if (extent(gram, 0) < n_points || extent(gram, 1) < n_points ||
      extent(coefficients, 1) != n_points || std::ranges::any_of(points, lies_outside)) {
    throw nb::value_error("the coefficients or the points do not fit the matrix");
  }
  const int64_t n_vectors = extent(coefficients, 0);
  std::vector<double> values(n_vectors * points.size());
  {
    nb::gil_scoped_release without_interpreter;
    rows::expand<T>({gram.data(), n_points, extent(gram, 1)}, coefficients.data(), n_vectors, points,
                    values.data(), Execution{n_threads, {}});
  }
  return owned(std::move(values));
}

template <class T>
void bind_source(nb::module_& module, const char* name) {
  module.def("map_gram", &map_gram<T>, "form"_a, "terms"_a.noconvert(), "gram"_a.noconvert(),
             "gamma"_a, "coef0"_a, "degree"_a, "factor"_a, "constant"_a, "n_threads"_a);
  module.def("expand", &expand<T>, "gram"_a.noconvert(), "n_points"_a, "coefficients"_a, "at"_a,
             "n_threads"_a);
  nb::class_<HeldSource<T>>(module, name)
      .def_static("by_products", &source_by_products<T, float>, "rows"_a, "boundaries"_a, "form"_a,
                  "gamma"_a, "coef0"_a, "degree"_a, "factor"_a, "constant"_a, "n_threads"_a)
      .def_static("by_products", &source_by_products<T, double>, "rows"_a, "boundaries"_a, "form"_a,
                  "gamma"_a, "coef0"_a, "degree"_a, "factor"_a, "constant"_a, "n_threads"_a)
      .def_static("by_blocks", &source_by_blocks<T>, "rows"_a, "form"_a, "gamma"_a, "coef0"_a,
                  "degree"_a, "factor"_a, "constant"_a)
      .def_static("of_matrix", &source_of_matrix<T, float>, "matrix"_a.noconvert(), "factor"_a, "constant"_a)
      .def_static("of_matrix", &source_of_matrix<T, double>, "matrix"_a.noconvert(), "factor"_a, "constant"_a)
      .def_static("of_resident", &source_of_resident<T>, "matrix"_a.noconvert(), "n_points"_a)
      .def_static("of_function", &source_of_function<T>, "n_points"_a, "block"_a)
      .def_ro("exponent_scale", &HeldSource<T>::exponent_scale)
      .def_ro("farthest", &HeldSource<T>::farthest);
}

}  // namespace

void bind_sources(nb::module_& module) {
  module.def("first_alike", &first_alike<float>, "rows"_a);
  module.def("first_alike", &first_alike<double>, "rows"_a);
  bind_source<float>(module, "Source32");
  bind_source<double>(module, "Source64");
}

}  // namespace maxmargin::bindings
