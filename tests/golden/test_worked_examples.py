"""The worked examples: the numbers below are facts, to be found by every exact solver."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maxmargin import Solution, certify, solve
from maxmargin.certificates import margins
from maxmargin.kernels import RBF
from maxmargin.problems import HardMargin, Problem, SoftMargin
from maxmargin.solvers import SOLVERS, solvers_for

LINEAR_SOLVERS = ["primal-qp", "dual-qp", "decomposition", "smo"]
KERNEL_SOLVERS = ["dual-qp", "decomposition", "smo"]


@pytest.fixture(scope="module")
def examples(root: Path) -> dict[str, Any]:
    return json.loads((root / "examples" / "worked_examples.json").read_text())


def points(example: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    A, B = np.array(example["A"]), np.array(example["B"])
    return np.vstack([A, B]), np.repeat([1.0, -1.0], [len(A), len(B)])


def sparse_vector(entries: dict[int, float], n: int) -> np.ndarray:
    vector = np.zeros(n)
    vector[list(entries)] = list(entries.values())
    return vector


def proved(problem: Problem, name: str) -> Solution:
    solution = solve(problem, solver=name)
    certificate = certify(problem, solution)
    assert certificate.holds(1e-6), certificate.summary()
    return solution


def exact_solvers(problem: Problem) -> set[str]:
    return {name for name in solvers_for(problem) if SOLVERS[name].exact}


def test_all_exact_solvers_for_a_free_bias_are_here() -> None:
    X, y = [[0.0], [1.0]], [-1, 1]
    assert exact_solvers(HardMargin(X, y)) == set(LINEAR_SOLVERS)
    # These take soft margins only.
    others = {"linear-interior-point", "coordinate-descent"}
    assert exact_solvers(SoftMargin(X, y)) == {*LINEAR_SOLVERS, *others}
    assert exact_solvers(SoftMargin(X, y, kernel=RBF(1.0))) == set(KERNEL_SOLVERS)


@pytest.mark.parametrize("name", LINEAR_SOLVERS)
def test_hard_margin(name: str, examples: dict[str, Any]) -> None:
    X, y = points(examples["hard_margin_linear"])
    problem = HardMargin(X, y)
    solution = proved(problem, name)
    np.testing.assert_allclose(solution.w, [-0.922879, 0.762717], atol=1e-4)
    assert solution.b == pytest.approx(1.197599, abs=1e-4)
    expected = sparse_vector({18: 0.71672, 47: 0.07038, 51: 0.64634}, len(y))
    np.testing.assert_allclose(solution.dual, expected, atol=1e-4)
    np.testing.assert_allclose(solution.slack, 0.0, atol=1e-4)
    np.testing.assert_array_equal(solution.support, [18, 47, 51])
    assert margins(solution).margin == pytest.approx(0.835237, abs=1e-4)
    assert certify(problem, solution).primal == pytest.approx(0.716721, abs=1e-4)


@pytest.mark.parametrize("name", LINEAR_SOLVERS)
def test_soft_margin(name: str, examples: dict[str, Any]) -> None:
    X, y = points(examples["soft_margin_linear_C10"])
    problem = SoftMargin(X, y, C=10)
    solution = proved(problem, name)
    np.testing.assert_allclose(solution.w, [-0.78854, 0.65169], atol=1e-4)
    assert solution.b == pytest.approx(0.87772, abs=1e-4)
    slack = sparse_vector({17: 0.29113, 55: 2.36001}, len(y))
    np.testing.assert_allclose(solution.slack, slack, atol=1e-4)
    multipliers = sparse_vector({9: 3.7789, 17: 10.0, 44: 2.5827, 48: 1.1962, 55: 10.0}, len(y))
    np.testing.assert_allclose(solution.dual, multipliers, atol=1e-4)
    certificate = certify(problem, solution)
    assert certificate.primal == pytest.approx(27.0346, abs=1e-4)
    assert (certificate.n_free, certificate.n_bounded) == (3, 2)
    inside, outlier = certificate.table()[17], certificate.table()[55]
    assert (round(inside.margin, 2), inside.case) == (0.71, "a = C: inside margin")
    assert (round(outlier.margin, 2), outlier.case) == (-1.36, "a = C: wrong side")


@pytest.mark.parametrize("name", KERNEL_SOLVERS)
def test_gaussian(name: str, examples: dict[str, Any]) -> None:
    X, y = points(examples["soft_margin_gaussian_C1_gamma1"])
    problem = SoftMargin(X, y, C=1, kernel=RBF(1.0))
    solution = proved(problem, name)
    certificate = certify(problem, solution)
    assert solution.b == pytest.approx(-0.64668, abs=1e-4)
    assert certificate.n_free + certificate.n_bounded == 22
    assert certificate.dual == pytest.approx(8.870247, abs=1e-5)
    assert certificate.primal == pytest.approx(8.870247, abs=1e-5)
    assert margins(solution).training_errors == 0


def test_the_file_says_the_same(examples: dict[str, Any]) -> None:
    assert examples["hard_margin_linear"]["expected"]["w"] == [-0.922879, 0.762717]
    assert examples["soft_margin_linear_C10"]["expected"]["primal"] == 27.0346
    assert examples["soft_margin_gaussian_C1_gamma1"]["expected"]["n_support"] == 22
