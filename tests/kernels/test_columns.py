"""Kernels on columns of frames: their values, their sums, and machines with them."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.utils import get_tags

from maxmargin import SVC, SVR, InvalidInputError, certify, solve
from maxmargin.kernels import (
    RBF,
    CommonSubstrings,
    Function,
    Linear,
    On,
    Precomputed,
    Spectrum,
    is_positive_semidefinite,
)
from maxmargin.problems import SoftMargin

pandas = pytest.importorskip("pandas")

NAME, BODY = On("name", Spectrum(2)), On(["age", "height"], RBF(0.1))


def people(kind: Any = pandas.DataFrame, n: int = 60) -> Any:
    random = np.random.default_rng(0)
    endings = np.array(["ini", "sen", "ski"])[np.arange(n) % 3]
    starts = ["".join(random.choice(list("abdlmr"), 4)) for _ in range(n)]
    return kind(
        {
            "name": [start + end for start, end in zip(starts, endings, strict=True)],
            "age": random.integers(18, 80, n),
            "height": random.normal(1.7, 0.1, n),
            "country": np.array(["it", "dk", "pl"])[np.arange(n) % 3],
        }
    )


def frames() -> list[Any]:
    kinds = [pandas.DataFrame]
    try:
        import polars
    except ImportError:
        return kinds
    return [*kinds, polars.DataFrame]


@pytest.fixture(params=frames(), ids=lambda kind: kind.__module__.split(".")[0])
def frame(request: pytest.FixtureRequest) -> Any:
    return people(request.param)


def numbers(frame: Any) -> np.ndarray:
    return np.column_stack([np.asarray(frame["age"]), np.asarray(frame["height"])]).astype(float)


def test_a_block_is_that_of_the_columns(frame: Any) -> None:
    names = list(frame["name"])
    np.testing.assert_array_equal(NAME.block(frame, frame), Spectrum(2).block(names, names))
    X = numbers(frame)
    np.testing.assert_allclose(BODY.block(frame, frame[:7]), RBF(0.1).block(X, X[:7]))
    np.testing.assert_array_equal(NAME.diag(frame), Spectrum(2).diag(names))


def test_sums_and_products_combine_columns(frame: Any) -> None:
    kernel = NAME + 3 * BODY * On("height", Linear())
    X, names = numbers(frame), list(frame["name"])
    expected = Spectrum(2).block(names, names)
    expected += 3 * RBF(0.1).block(X, X) * Linear().block(X[:, 1:], X[:, 1:])
    np.testing.assert_allclose(kernel.block(frame, frame), expected)
    within = kernel.within(kernel.validate(frame))
    np.testing.assert_allclose(within(np.array([3, 1]), None), expected[[3, 1]])
    np.testing.assert_allclose(kernel.diag(frame), np.diag(expected))
    assert kernel.positive_semidefinite
    assert is_positive_semidefinite(expected)


def test_a_machine_on_columns_is_one_on_the_gram_matrix(frame: Any) -> None:
    kernel = On("name", Spectrum(2, normalize=True)) + On(["age", "height"], RBF("scale"))
    y = np.asarray(frame["country"])
    model = SVC(kernel=kernel, tol=1e-8).fit(frame[:45], y[:45])
    resolved = model.kernel_
    by_matrix = SVC(kernel="precomputed", tol=1e-8)
    by_matrix.fit(resolved.block(frame[:45], frame[:45]), y[:45])
    np.testing.assert_allclose(
        model.decision_function(frame[45:]),
        by_matrix.decision_function(resolved.block(frame[45:], frame[:45])),
        atol=1e-6,
    )
    assert model.certificate_.holds(1e-6)
    assert model.score(frame[45:], y[45:]) > 0.8
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))


def test_gamma_is_that_of_the_columns() -> None:
    frame = people()
    X = numbers(frame)
    assert On(["age", "height"], RBF()).resolve(frame).kernel == RBF().resolve(X)


def test_a_regression_and_a_search_on_columns() -> None:
    frame = people()
    kernel = NAME + BODY
    assert np.isfinite(SVR(kernel=kernel).fit(frame, frame["height"]).predict(frame)).all()
    grid = {"kernel": [NAME, BODY, kernel]}
    search = GridSearchCV(SVC(), grid, cv=3, error_score="raise").fit(frame, frame["country"])
    assert search.best_params_["kernel"] in (NAME, kernel)


def test_a_problem_takes_a_frame() -> None:
    frame = people()
    y = np.where(frame["country"] == "it", 1, -1)
    problem = SoftMargin(frame, y, kernel=NAME + BODY)
    solution = solve(problem)
    assert certify(problem, solution).holds(1e-6)
    assert solution.decision(frame[:3]).shape == (3,)


def test_a_function_compares_a_column() -> None:
    frame = people()
    same_ending = Function.of_points(lambda a, b: float(a[-3:] == b[-3:]))
    model = SVC(kernel=On("name", same_ending)).fit(frame, frame["country"])
    assert model.score(frame, frame["country"]) == 1.0


def test_they_are_values() -> None:
    assert eval(repr(NAME)) == NAME
    assert eval(repr(BODY)) == BODY
    assert On(("age",), RBF(1.0)) == On(["age"], RBF(1.0))
    assert hash(On(("age",), RBF(1.0))) == hash(On(["age"], RBF(1.0)))
    assert On(["age"], RBF(1.0)) != On("age", RBF(1.0))
    tags = get_tags(SVC(kernel=NAME + BODY)).input_tags
    assert tags.string
    assert not tags.sparse


BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "no frame": (lambda: NAME.block(["a"], ["b"]), "A kernel on columns|must be a frame"),
    "array": (lambda: SVC(kernel=NAME).fit(np.ones((3, 2)), [0, 1, 0]), "must be a frame"),
    "no column": (lambda: On("nme", Spectrum(2)).diag(people()), "no column 'nme'; it has 'name'"),
    "strings as numbers": (lambda: On(["name"], RBF(1.0)).diag(people()), "not numbers"),
    "no names": (lambda: On([], RBF(1.0)), "columns must be a name or a list"),
    "a number": (lambda: On(3, RBF(1.0)), "columns must be a name or a list"),
    "no kernel": (lambda: On("name", "rbf"), "On needs one of maxmargin.kernels"),
    "precomputed": (lambda: On("name", Precomputed()), "does not compare columns"),
    "nested": (lambda: On("name", NAME), "does not compare columns"),
    "with others": (lambda: NAME + RBF(1.0), "combines only with kernels on columns"),
    "empty": (lambda: NAME.validate(people()[:0]), "has no rows"),
    "missing": (
        lambda: NAME.validate(pandas.DataFrame({"name": ["a", None]})),
        r"row 1 of 'name' of X is \w+, which is no sequence",
    ),
}


@pytest.mark.parametrize(("act", "sentence"), BAD.values(), ids=BAD)
def test_bad_input_gets_a_sentence(act: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(InvalidInputError, match=sentence):
        act()


def test_pairs_of_one_column_may_be_compared_by_several_kernels() -> None:
    frame = people()
    names = list(frame["name"])
    kernel = On("name", Spectrum(2)) + On("name", CommonSubstrings())
    expected = Spectrum(2).block(names, names) + CommonSubstrings().block(names, names)
    np.testing.assert_array_equal(kernel.block(frame, frame), expected)
