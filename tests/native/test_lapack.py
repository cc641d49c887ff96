"""The Cholesky factor through SciPy's LAPACK, and without it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from linear_zoo import draw, problem_of, solve_by
from maxmargin import Solution
from maxmargin.kernels import blocks
from maxmargin.problems import Regularised
from maxmargin.solvers.linear.engine import Method

FUNCTIONS = blocks.cython_lapack.__pyx_capi__


@pytest.mark.parametrize("method", ["interior-point", "newton"])
@pytest.mark.parametrize("d", [3, 15, 16, 70])
def test_without_a_lapack_the_weights_are_the_same(method: Method, d: int) -> None:
    X, y = draw("squared hinge", n=200, d=d)
    problem = problem_of("squared hinge", X, y, bias=Regularised(1.0))
    assert blocks.connect_lapack(FUNCTIONS)
    solution = solve_by(method, problem)
    try:
        assert not blocks.connect_lapack({})
        plain = solve_by(method, problem)
    finally:
        blocks.connect_lapack(FUNCTIONS)
    assert solution.converged
    assert plain.converged
    np.testing.assert_allclose(_machine(solution), _machine(plain), rtol=1e-6, atol=1e-9)


def test_a_lapack_with_another_signature_is_not_used() -> None:
    try:
        assert not blocks.connect_lapack({"dpotrf": FUNCTIONS["dpotrs"]})
        assert not blocks.connect_lapack({"dpotrf": FUNCTIONS["spotrf"]})
        assert not blocks.connect_lapack({"dpotrf": 1})
    finally:
        assert blocks.connect_lapack(FUNCTIONS)


def _machine(solution: Solution) -> NDArray[np.float64]:
    return np.append(solution.w, solution.b)
