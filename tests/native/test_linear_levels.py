"""The linear solvers with every instruction set, in both precisions, dense and sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from linear_zoo import METHODS, draw, problem_of, relative_gap, run
from maxmargin.problems import Regularised
from maxmargin.solvers import Ending
from maxmargin.solvers.linear.engine import Method


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("hold", [np.asarray, np.asfortranarray, sparse.csr_array])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("n", "d"), [(3, 2), (70, 1), (333, 13), (129, 100), (60, 200)])
def test_every_level_reaches_the_optimum(
    simd_level: str, dtype: type, hold: Any, method: Method, n: int, d: int
) -> None:
    X, y = draw("squared hinge", n=n, d=d)
    X = hold(X.astype(dtype))
    problem = problem_of("squared hinge", X.astype(np.float64), y, bias=Regularised(1.0))
    found = run(X, problem, method)
    assert found.ending is Ending.CONVERGED
    assert relative_gap(problem, found) <= 1.01e-8
