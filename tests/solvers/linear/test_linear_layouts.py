"""The compiled linear solvers read data as they are, in any layout, and leave them as they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from linear_zoo import METHODS, METHODS_OF, draw, is_proved, problem_of, run
from maxmargin.problems import Regularised
from maxmargin.solvers import Ending
from maxmargin.solvers.linear.engine import Method
from maxmargin.typing import Floats


def read_only(X: Floats, folder: Path) -> Floats:
    X = X.copy()
    X.flags.writeable = False
    return X


def mapped(X: Floats, folder: Path) -> Floats:
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode="r")


def with_wide_indices(X: Floats, folder: Path) -> sparse.csr_array:
    wide = sparse.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    return wide


def with_repeated_entries(X: Floats, folder: Path) -> sparse.csr_array:
    half = sparse.csr_array(X / 2)
    columns = np.split(half.indices, half.indptr[1:-1])
    entries = np.split(half.data, half.indptr[1:-1])
    twice = [np.concatenate([part[::-1], part]) for part in columns]
    data = [np.concatenate([part[::-1], part]) for part in entries]
    parts = (np.concatenate(data), np.concatenate(twice), 2 * half.indptr)
    return sparse.csr_array(parts, shape=X.shape)


LAYOUTS: dict[str, Callable[[Floats, Path], Any]] = {
    "C": lambda X, folder: np.ascontiguousarray(X),
    "Fortran": lambda X, folder: np.asfortranarray(X),
    "strided": lambda X, folder: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda X, folder: X[::-1].copy()[::-1],
    "columns reversed": lambda X, folder: X[:, ::-1].copy()[:, ::-1],
    "read-only": read_only,
    "memory-mapped": mapped,
    "csr": lambda X, folder: sparse.csr_array(X),
    "csr matrix": lambda X, folder: sparse.csr_matrix(X),
    "csr int64": with_wide_indices,
    "csr repeated": with_repeated_entries,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", METHODS_OF)
def test_any_layout_gives_the_same_machine(
    layout: str, dtype: type, kind: str, tmp_path: Path
) -> None:
    X, y = draw(kind, n=400, d=9)
    X[np.random.default_rng(5).random(X.shape) < 0.6] = 0.0
    X = X.astype(dtype)
    problem = problem_of(kind, X.astype(np.float64), y, bias=Regularised(1.0))
    other = LAYOUTS[layout](X, tmp_path)
    for method in METHODS_OF[kind]:
        expected = run(problem.X, problem, method)
        found = run(other, problem, method)
        assert found.ending is Ending.CONVERGED
        assert is_proved(problem, found, 1e-8)
        np.testing.assert_allclose(found.weights, expected.weights, atol=2e-3)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("method", METHODS)
def test_the_data_stay_as_they_are(layout: str, method: Method, tmp_path: Path) -> None:
    X, y = draw("squared hinge", n=50)
    other = LAYOUTS[layout](X, tmp_path)
    before = other.copy()
    run(other, problem_of("squared hinge", X, y), method)
    if sparse.issparse(other):
        np.testing.assert_array_equal(other.data, before.data)
        np.testing.assert_array_equal(other.indices, before.indices)
        assert other.indices.dtype == before.indices.dtype
    else:
        np.testing.assert_array_equal(other, before)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("order", ["C", "F"])
def test_one_feature(method: Method, order: Any) -> None:
    X, y = draw("squared hinge", d=1)
    column = np.empty((len(X), 1), order=order)
    column[:] = X
    problem = problem_of("squared hinge", X, y)
    assert is_proved(problem, run(column, problem, method), 1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_one_column_of_a_fortran_array(method: Method) -> None:
    X, y = draw("squared hinge", d=3)
    column = np.asfortranarray(X)[:, 1:2]
    problem = problem_of("squared hinge", column.copy(), y)
    assert is_proved(problem, run(column, problem, method), 1e-8)


def test_a_sparse_matrix_must_not_point_outside_itself() -> None:
    X, y = draw("hinge")
    wrong = sparse.csr_array(X)
    wrong.indices = wrong.indices.copy()
    wrong.indices[3] = 99
    with pytest.raises(ValueError, match="outside"):
        run(wrong, problem_of("hinge", X, y), "interior-point")
