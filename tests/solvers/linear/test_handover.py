"""Machines that coordinate descent does not finish are finished by interior points."""

from __future__ import annotations

import numpy as np
import pytest

from linear_zoo import draw, problem_of, relative_gap
from maxmargin import Stop, solve
from maxmargin.problems import Regularised
from maxmargin.solvers.linear import margin

TUBE = problem_of("tube", *draw("tube"), C=30.0, bias=Regularised(10.0))


def test_a_tube_that_takes_too_many_passes_is_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(margin, "_PATIENCE", 5)
    seen: list[int] = []
    solution = solve(
        TUBE,
        "coordinate-descent",
        stop=Stop(gap=1e-9),
        callback=lambda progress: seen.append(progress.iteration),
    )
    assert solution.converged
    assert solution.solver == "coordinate-descent, then linear-interior-point"
    assert relative_gap(TUBE, solution) <= 1e-8
    assert solution.iterations > 5
    assert max(seen) == solution.iterations


def test_a_limit_on_the_passes_is_kept() -> None:
    solution = solve(TUBE, "coordinate-descent", stop=Stop(gap=1e-12, max_iter=3))
    assert solution.solver == "coordinate-descent"
    assert solution.iterations <= 3


def test_easy_machines_are_not_handed_over() -> None:
    problem = problem_of("hinge", *draw("hinge"), C=0.01)
    solution = solve(problem, "coordinate-descent", stop=Stop(gap=1e-6))
    assert solution.solver == "coordinate-descent"
    assert np.isfinite(solution.w).all()
