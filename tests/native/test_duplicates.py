"""The search for equal rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from maxmargin.solvers.kernel.rows import first_alike


def expected_of(X: np.ndarray) -> list[int]:
    seen: dict[tuple[float, ...], int] = {}
    return [seen.setdefault(tuple(row + 0.0), i) for i, row in enumerate(X)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("hold", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("shape", [(1, 1), (7, 1), (500, 2), (300, 40)])
def test_each_row_is_given_the_first_that_equals_it(shape: Any, hold: Any, dtype: type) -> None:
    X = np.random.default_rng(0).integers(-1, 2, size=shape).astype(dtype)
    np.testing.assert_array_equal(first_alike(hold(X)), expected_of(X))


def test_a_negative_zero_is_a_zero() -> None:
    X = np.array([[0.0, 1.0], [-0.0, 1.0]])
    np.testing.assert_array_equal(first_alike(X), [0, 0])


def test_a_stored_zero_is_none() -> None:
    X = sparse.csr_array(([0.0, 1.0, 1.0], [0, 1, 1], [0, 2, 3]), shape=(2, 2))
    np.testing.assert_array_equal(first_alike(X), [0, 0])


def test_rows_that_differ_in_the_last_digit_are_different() -> None:
    X = np.array([[1.0], [np.nextafter(1.0, 2.0)], [1.0]])
    np.testing.assert_array_equal(first_alike(X), [0, 1, 0])


def test_no_rows_and_no_columns() -> None:
    assert len(first_alike(np.empty((0, 3)))) == 0
    np.testing.assert_array_equal(first_alike(np.empty((3, 0))), [0, 0, 0])
