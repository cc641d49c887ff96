"""Decomposition reaches the optimum of every problem, on every path through it.

The violation is computed here in float64 from the multipliers alone: nothing of what the solver
says about itself is taken on trust.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from engine_zoo import classes, curve, objective, run, violation
from maxmargin import certify, solve
from maxmargin.kernels import (
    RBF,
    Chi2,
    Function,
    Kernel,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
)
from maxmargin.problems import (
    EpsilonTube,
    Free,
    NuMargin,
    NuTube,
    OneClass,
    Problem,
    Regularised,
    SoftMargin,
)
from zoo import CASES, Case, build, quadratic


class TestSmallProblems:
    @pytest.mark.parametrize("case", CASES, ids=str)
    @pytest.mark.parametrize("tol", [1e-3, 1e-6])
    def test_the_violation_is_below_the_tolerance(self, case: Case, tol: float) -> None:
        problem = build(case)
        found = run(problem, tol)
        assert found.converged
        assert violation(problem.dual(), found.signed) <= tol
        assert found.violation <= tol

    @pytest.mark.parametrize("case", CASES, ids=str)
    def test_the_optimum_is_that_of_the_interior_point(self, case: Case) -> None:
        problem = build(case)
        best = certify(problem, solve(problem, solver="dual-qp"))
        other = certify(problem, solve(problem, solver="decomposition"))
        assert other.dual == pytest.approx(best.dual, rel=1e-7, abs=1e-8)


#: Sizes on both sides of every threshold: all at once (to 4096), nested and wide working sets.
SIZES = [5, 17, 64, 65, 257, 1000, 2049, 4097, 6000]


class TestSizes:
    @pytest.mark.parametrize("n", SIZES)
    @pytest.mark.parametrize("C", [0.1, 100.0])
    @pytest.mark.parametrize("tol", [1e-3, 1e-6])
    def test_a_soft_margin(self, n: int, C: float, tol: float) -> None:
        X, y = classes(n)
        problem = SoftMargin(X, y, C=C, kernel=RBF(0.2))
        found = run(problem, tol)
        assert found.converged
        assert violation(problem.dual(), found.signed) <= tol

    @pytest.mark.parametrize("bias", [Free(), Regularised(1.0)], ids=repr)
    @pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
    def test_biases_and_losses(self, bias: Any, loss: str) -> None:
        X, y = classes(5000)
        weight = np.random.default_rng(1).uniform(0.1, 3.0, len(y)) * np.where(y > 0, 2.0, 0.5)
        problem = SoftMargin(
            X, y, C=2.0, loss=loss, kernel=RBF(0.2), bias=bias, sample_weight=weight
        )
        found = run(problem, 1e-4)
        assert found.converged
        assert violation(problem.dual(), found.signed) <= 1e-4

    @pytest.mark.parametrize("n", [300, 3000])
    def test_a_tube(self, n: int) -> None:
        X, t = curve(n)
        problem = EpsilonTube(X, t, C=5.0, epsilon=0.1, kernel=RBF(0.3))
        found = run(problem, 1e-5)
        assert found.converged
        assert violation(problem.dual(), found.signed) <= 1e-5

    @pytest.mark.parametrize("n", [300, 3000, 5000])
    def test_nu_forms(self, n: int) -> None:
        X, y = classes(n)
        Z, t = curve(n // 2)
        problems: list[Problem] = [
            NuMargin(X, y, nu=0.3, kernel=RBF(0.2)),
            NuTube(Z, t, C=5.0, nu=0.4, kernel=RBF(0.3)),
            OneClass(X, nu=0.2, kernel=RBF(0.2)),
        ]
        for problem in problems:
            found = run(problem, 1e-4)
            assert found.converged
            assert violation(problem.dual(), found.signed) <= 1e-4

    @pytest.mark.parametrize("n", [700, 5000])
    def test_rows_that_are_dropped_are_computed_again(self, n: int) -> None:
        X, y = classes(n)
        problem = SoftMargin(X, y, C=10.0, kernel=RBF(0.2))
        tight = run(problem, 1e-4, cache_size=1.0)
        assert tight.converged
        assert violation(problem.dual(), tight.signed) <= 1e-4
        roomy = objective(problem.dual(), run(problem, 1e-4).signed)
        assert objective(problem.dual(), tight.signed) == pytest.approx(roomy, rel=1e-5)


KERNELS: dict[str, Kernel] = {
    "linear": Linear(),
    "polynomial": Polynomial(0.2, 1.0, 3),
    "gaussian": RBF(0.2),
    "laplacian": Laplacian(0.2),
    "chi2": Chi2(0.5),
    "tanh": Sigmoid(0.01, 0.0),
    "function": Function(quadratic),
    "sum": Linear() + RBF(0.5),
    "product": Polynomial(1.0, 1.0, 1) * Laplacian(0.4),
    "scaled gaussian": 2.5 * RBF(0.2),
    "scaled linear": 0.5 * Linear(),
}


@pytest.mark.parametrize("n", [200, 4300])
@pytest.mark.parametrize("name", KERNELS)
def test_every_kernel(name: str, n: int) -> None:
    kernel = KERNELS[name]
    X, y = classes(n, d=3)
    X = np.abs(X) if isinstance(kernel, Chi2) else X
    problem = SoftMargin(X, y, C=0.05, kernel=kernel)
    found = run(problem, 1e-3)
    assert found.converged
    assert violation(problem.dual(), found.signed) <= 1e-3


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [300, 4200])
def test_a_precomputed_matrix(n: int, dtype: type) -> None:
    X, y = classes(n)
    K = RBF(0.2).block(X, X).astype(dtype)
    problem = SoftMargin(K, y, C=1.0, kernel=Precomputed())
    found = run(problem, 1e-3)
    assert found.converged
    assert violation(problem.dual(), found.signed) <= 1e-3


def read_only(X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X.flags.writeable = False
    return X


def with_wide_indices(X: np.ndarray) -> sparse.csr_array:
    wide = sparse.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    return wide


LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda X: X[::-1].copy()[::-1],
    "read-only": read_only,
    "csr": sparse.csr_array,
    "csr matrix": sparse.csr_matrix,
    "csr int64": with_wide_indices,
    "csc": sparse.csc_array,
    "coo": sparse.coo_array,
}


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.3), Laplacian(0.3)], ids=repr)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_layout_gives_the_same_optimum(layout: str, dtype: type, kernel: Kernel) -> None:
    X, y = classes(400)
    X[np.random.default_rng(5).random(X.shape) < 0.6] = 0.0
    X = X.astype(dtype)
    plain = SoftMargin(X.astype(np.float64), y, C=1.0, kernel=kernel)
    other = SoftMargin(LAYOUTS[layout](X), y, C=1.0, kernel=kernel)
    expected, found = run(plain, 1e-6), run(other, 1e-6)
    assert found.converged
    assert violation(plain.dual(), found.signed) <= 1.1e-6
    best = objective(plain.dual(), expected.signed)
    assert objective(plain.dual(), found.signed) == pytest.approx(best, rel=1e-8)
