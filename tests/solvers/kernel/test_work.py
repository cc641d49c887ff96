"""Solving to rounding takes little work beside the fit, and no fit goes in circles."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from maxmargin import SVC
from maxmargin.problems import EpsilonTube, SoftMargin
from maxmargin.solvers.kernel import refine
from maxmargin.solvers.kernel.batch import Batch, Terms


def with_one_huge_cell() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.normal(size=(120, 4))
    y = (X[:, 0] + 0.3 * random.normal(size=120) > 0).astype(int)
    X[5, 2] = 1e20
    return X, y


def test_steps_that_float64_cannot_take_end_a_run() -> None:
    X, y = with_one_huge_cell()
    qp = SoftMargin(X, 2.0 * y - 1).dual()
    for tolerance in (1e-3, 1e-7):
        terms = Terms.of(qp, np.zeros(120), tolerance)
        (found,) = Batch([qp], None, 1).solve([terms], [0], max_steps=1_000_000, seconds=None)
        assert found.steps < 10_000


def test_one_huge_cell_spoils_one_point_only() -> None:
    X, y = with_one_huge_cell()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine = SVC(kernel="linear").fit(X, y)
    assert machine.score(X, y) > 0.9
    assert np.max(machine.n_iter_) < 10_000


@pytest.mark.parametrize("work", [0, 1 << 12, 1 << 16])
def test_refinement_takes_no_more_work_than_the_fit(
    work: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(200, 2))
    X = np.repeat(X[:50], 4, axis=0)
    y = X @ [3.0, -2.0] + random.normal(size=200)
    qp = EpsilonTube(X, y, C=100.0).dual()
    terms = Terms.of(qp, np.zeros(400), 1e-3)
    (found,) = Batch([qp], None, 1).solve([terms], [0], max_steps=1_000_000, seconds=None)
    spent = []
    solved = refine._solved

    def counted(system: np.ndarray, right: np.ndarray, most_work: float):  # type: ignore[no-untyped-def]
        solution, extra = solved(system, right, most_work)
        spent.append(
            refine._FACTORISATION * len(right) ** 3 + (extra if solution is not None else 0)
        )
        return solution, extra

    monkeypatch.setattr(refine, "_LITTLE_WORK", work)
    monkeypatch.setattr(refine, "_solved", counted)
    refine.refined(qp, found)
    assert sum(spent) <= max(work, found.steps * qp.n_variables)
