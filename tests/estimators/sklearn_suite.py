"""Load a test file of the installed scikit-learn with our estimators in place of its own."""

import importlib.util
from collections.abc import Collection
from types import ModuleType, SimpleNamespace

import pytest
import sklearn.svm

import maxmargin

OURS = ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "LinearSVC", "LinearSVR")

#: Tests that cannot pass, and why: file, test and, in brackets, the parameters that fail.
#: docs/howto/coming-from-scikit-learn.md lists them too.
CANNOT_PASS = {
    "test_svm.test_svr_errors": (
        "Its kernel function returns a matrix of the wrong shape, for which `fit` already raises "
        "an error."
    ),
    "test_svm.test_custom_kernel_not_array_input": (
        "Its kernel function is correct only for all training points at once; here it is called "
        "with blocks of points and with the support vectors only."
    ),
    "test_svm.test_linearsvc_parameters[l1-hinge]": (
        "It expects `dual` in the message, which names only `penalty` and `loss` here."
    ),
    "test_svm.test_linearsvc_parameters[True-l1-squared_hinge]": (
        "It expects an error because of `dual`, which has no effect here."
    ),
    "test_svm.test_linearsvc_parameters[False-l2-hinge]": (
        "It expects an error because of `dual`, which has no effect here."
    ),
    "test_svm.test_linear_svm_convergence_warnings": (
        "Two iterations must not suffice, and the warning must name Liblinear; here two suffice."
    ),
    "test_sparse.test_sparse_oneclasssvm[rbf-X_train3]": (
        "It compares the multipliers of two equal rows of iris; only their sum is unique."
    ),
}


def load(file: str) -> dict[str, object]:
    """Return the tests of sklearn/svm/tests/<file>.py."""
    spec = importlib.util.find_spec(f"sklearn.svm.tests.{file}")
    if spec is None or spec.loader is None:
        pytest.skip("scikit-learn was installed without its tests", allow_module_level=True)
    module = importlib.util.module_from_spec(spec)
    theirs = {name: getattr(sklearn.svm, name) for name in OURS}
    try:
        for name in OURS:
            setattr(sklearn.svm, name, getattr(maxmargin, name))
        spec.loader.exec_module(module)
    finally:
        for name, kind in theirs.items():
            setattr(sklearn.svm, name, kind)
    module.svm = patched()
    tests = {name: test for name, test in vars(module).items() if name.startswith("test_")}
    found = {name: test for name, test in tests.items() if not isinstance(test, ModuleType)}
    for test in found.values():
        # Some parameters are iterators, which pytest no longer takes.
        test.pytestmark = [_with_list(mark) for mark in getattr(test, "pytestmark", [])]
    return found


def _with_list(mark: pytest.Mark) -> pytest.Mark:
    if mark.name != "parametrize" or isinstance(mark.args[1], Collection):
        return mark
    names, values, *others = mark.args
    return getattr(pytest.mark, mark.name)(names, list(values), *others, **mark.kwargs).mark


def patched() -> SimpleNamespace:
    """Return `sklearn.svm` as the tests should see it."""
    names = {name: getattr(sklearn.svm, name) for name in sklearn.svm.__all__}
    return SimpleNamespace(**names | {name: getattr(maxmargin, name) for name in OURS})


def reason_against(file: str, test: str) -> str | None:
    """Return why a test cannot pass, if it cannot; `test` may end with its parameters."""
    for key, reason in CANNOT_PASS.items():
        name, _, parameters = key.rstrip("]").partition("[")
        if name == f"{file}.{test.partition('[')[0]}" and parameters in test:
            return reason
    return None
