// The Python face of the native core: arrays become views, the interpreter is left while the core
// works, and its errors become Python's.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "../blas/gemm.h"
#include "../blas/lapack.h"
#include "../kernels/block.h"
#include "../kernels/wide.h"
#include "../simd/dispatch.h"
#include "arrays.h"
#include "interrupts.h"
#include "sources.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace maxmargin;
using namespace maxmargin::bindings;
using kernels::Form;

namespace {

template <class T>
HeldRows<T> hold_dense(Matrix<T> array) {
  const kernels::Rows<T> view{extent(array, 0), extent(array, 1), array.data()};
  return {.view = view, .dense = array, .values = {}, .starts = {}, .columns = {}};
}

template <class T>
HeldRows<T> hold_csr(Vector<T> values, Vector<int32_t> columns, Vector<int64_t> starts,
                     int64_t n_columns) {
  const kernels::Rows<T> view{checked_rows(values, columns, starts, n_columns), n_columns,
                              values.data(), starts.data(), columns.data()};
  return {.view = view, .dense = {}, .values = values, .starts = starts, .columns = columns};
}

template <class T>
void fill(Form form, const HeldRows<T>& a, const HeldRows<T>& b, Output<T> out, double gamma,
          double coef0, int degree, int n_threads) {
  if (a.view.n_columns != b.view.n_columns || extent(out, 0) != a.view.n_rows ||
      extent(out, 1) != b.view.n_rows) {
    throw nb::value_error("the shapes of the rows and of the output do not match");
  }
  const kernels::Kernel<T> kernel{form, static_cast<T>(gamma), static_cast<T>(coef0), degree};
  const kernels::Execution execution{n_threads, signal_is_pending};
  T* values = out.data();
  try {
    nb::gil_scoped_release without_interpreter;
    if (&a == &b) {
      kernels::fill_symmetric_block(kernel, a.view, values, execution);
    } else {
      kernels::fill_block(kernel, a.view, b.view, values, execution);
    }
  } catch (const threads::Interrupted&) {
    throw nb::python_error();
  }
}

template <class T>
bool weigh(Form form, const HeldRows<T>& a, const HeldRows<T>& b, Vector<double> weights,
           nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu> sums, double gamma,
           double coef0, int degree, int n_threads) {
  if (a.view.n_columns != b.view.n_columns || extent(weights, 0) != b.view.n_rows ||
      extent(sums, 0) != a.view.n_rows) {
    throw nb::value_error("the shapes of the rows, the weights and the sums do not match");
  }
  const kernels::Kernel<T> kernel{form, static_cast<T>(gamma), static_cast<T>(coef0), degree};
  const kernels::Execution execution{n_threads, signal_is_pending};
  try {
    nb::gil_scoped_release without_interpreter;
    return kernels::weigh_by_wide_panels(kernel, a.view, b.view, weights.data(), sums.data(),
                                         execution);
  } catch (const threads::Interrupted&) {
    throw nb::python_error();
  }
}

template <class Function>
Function function_of(const nb::object& capsule) {
  if (capsule.is_none()) return nullptr;
  return reinterpret_cast<Function>(nb::cast<nb::capsule>(capsule).data());
}

template <class T>
void bind_rows(nb::module_& module, const char* name) {
  nb::class_<HeldRows<T>>(module, name)
      .def_static("dense", &hold_dense<T>, "array"_a.noconvert())
      .def_static("csr", &hold_csr<T>, "values"_a.noconvert(), "columns"_a.noconvert(),
                  "starts"_a.noconvert(), "n_columns"_a);
  module.def("fill", &fill<T>, "form"_a, "a"_a, "b"_a, "out"_a.noconvert(), "gamma"_a, "coef0"_a,
             "degree"_a, "n_threads"_a);
  module.def("weigh", &weigh<T>, "form"_a, "a"_a, "b"_a, "weights"_a.noconvert(),
             "sums"_a.noconvert(), "gamma"_a, "coef0"_a, "degree"_a, "n_threads"_a);
}

}  // namespace

NB_MODULE(_native, module) {
  nb::enum_<Form>(module, "Form")
      .value("linear", Form::linear)
      .value("polynomial", Form::polynomial)
      .value("gaussian", Form::gaussian)
      .value("tanh", Form::tanh)
      .value("laplacian", Form::laplacian)
      .value("chi2", Form::chi2);
  bind_rows<float>(module, "Rows32");
  bind_rows<double>(module, "Rows64");
  bind_sources(module);
  bind_decomposition(module);
  bind_linear(module);
  bind_online(module);
  bind_descent(module);
  bind_sequences(module);
  bind_text(module);
  module.def("connect_blas", [](nb::object sgemm, nb::object dgemm) {
    blas::connect<float>(function_of<blas::Gemm<float>>(sgemm));
    blas::connect<double>(function_of<blas::Gemm<double>>(dgemm));
  }, "sgemm"_a.none(), "dgemm"_a.none());
  module.def("connect_lapack", [](nb::object dpotrf) {
    blas::potrf = function_of<blas::Potrf>(dpotrf);
  }, "dpotrf"_a.none());
  module.def("note_interrupt", &note_interrupt, "is_pending"_a);
  module.def("simd_levels", &simd::available_levels);
  module.def("simd_level", &simd::active_level);
  module.def("use_simd_level", &simd::use_level, "level"_a);
}
