"""Sentences of the pages that promise something, each beside a test of what it promises.

A test fails if its sentence is no longer on the page, or if it is not true.
"""

import ast
import builtins
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import maxmargin
from maxmargin import SoftMargin, Stop, errors, estimators, solve
from maxmargin.problems import Regularised
from maxmargin.solvers import solvers_for

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "maxmargin"

X = np.random.default_rng(0).normal(size=(60, 3))
Y = (X[:, 0] + 0.3 * X[:, 1] > 0).astype(int)


def page_says(page, sentence):
    text = re.sub(r"\s+", " ", (ROOT / page).read_text(encoding="utf-8"))
    assert sentence in text, f"{page} no longer says: {sentence}"


def test_up_to_ten_solvers_for_the_same_problem():
    page_says("README.md", "up to ten solvers for the same problem, to compare | yes")
    problem = SoftMargin(X, 2 * Y - 1, bias=Regularised(1.0))
    names = list(solvers_for(problem))
    assert len(names) == 10
    best = solve(problem, stop=Stop(gap=1e-9)).certificate
    for name in names:
        found = solve(problem, solver=name, stop=Stop(max_iter=200)).certificate
        assert found.primal >= best.dual - 1e-9 * abs(best.dual)
        assert found.dual <= best.primal + 1e-9 * abs(best.primal)


@pytest.mark.parametrize("name", estimators.__all__)
def test_time_limit_callback_and_trace_for_every_estimator(name):
    page_says("README.md", "time limit, callback and trace for every estimator | yes")
    calls = []
    kind = getattr(estimators, name)
    machine = kind(time_limit=60, callback=lambda progress: calls.append(progress), trace=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # online machines on overlapping data
        machine.fit(X, Y)
    assert calls
    assert machine.trace_
    assert machine.get_params()["time_limit"] == 60


#: Where a built-in error is raised: inside, and caught there; or by a mapping, or as scikit-learn's
#: own tests demand.
BUILT_IN = {
    "certificates/subjects.py": {"TypeError"},
    "estimators/base.py": {"TypeError"},
    "kernels/blocks.py": {"TypeError"},
    "metrics/inputs.py": {"TypeError"},
    "pages/result.py": {"KeyError"},
    "persist/format/container.py": {"ValueError"},
    "persist/format/schema.py": {"ValueError"},
    "problems/checks.py": {"TypeError"},
}
#: Errors with a meaning for Python itself.
PROTOCOL = {"AttributeError", "KeyboardInterrupt", "NotImplementedError", "StopIteration"}


def raised_in(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Raise) and node.exc is not None:
            yield ast.unparse(node.exc.func if isinstance(node.exc, ast.Call) else node.exc)


def test_all_errors_derive_from_one():
    page_says(
        "docs/getting-started.md",
        "Errors about data, parameters, problems and files derive from `maxmargin.MaxMarginError`.",
    )
    for name in errors.__all__:
        kind = getattr(errors, name)
        assert issubclass(kind, maxmargin.MaxMarginError | Warning)
    for path in SOURCE.rglob("*.py"):
        place = path.relative_to(SOURCE).as_posix()
        bare = {
            name
            for name in raised_in(path)
            if isinstance(getattr(builtins, name, None), type)
            and issubclass(getattr(builtins, name), BaseException)
        }
        unexpected = bare - PROTOCOL - {"TimeoutError"} - BUILT_IN.get(place, set())
        assert not unexpected, f"{place} raises {unexpected}"


def test_the_estimators_pass_scikit_learns_checks_without_expected_failures():
    page_says(
        "docs/howto/coming-from-scikit-learn.md",
        "the estimators pass its estimator checks without expected failures",
    )
    tested = ""
    for file in ("test_scikit_learn_checks.py", "test_online_checks.py"):
        text = (ROOT / "tests/estimators" / file).read_text(encoding="utf-8")
        assert "@parametrize_with_checks(ESTIMATORS)\n" in text, "no expected failures are passed"
        assert "xfail" not in text
        tested += text
    for name in estimators.__all__:
        assert f"    {name}(" in tested


@pytest.mark.parametrize("name", estimators.__all__)
def test_a_graph_for_every_estimator(name):
    onnxruntime = pytest.importorskip("onnxruntime")
    pytest.importorskip("skl2onnx")
    page_says("docs/howto/files.md", "All estimators of the library can be exported")
    from maxmargin.persist import to_onnx

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine = getattr(estimators, name)().fit(X, Y)
    session = onnxruntime.InferenceSession(to_onnx(machine).SerializeToString())
    found = session.run(None, {session.get_inputs()[0].name: X})[0]
    np.testing.assert_allclose(np.ravel(found), machine.predict(X), atol=1e-6)
