"""The worked examples: problems with known solutions, solved by every solver that takes them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from maxmargin import RBF, HardMargin, SoftMargin, Solution, solve
from maxmargin.certificates import Certificate
from maxmargin.problems import Problem, Regularised
from maxmargin.solvers import SOLVERS, solvers_for

DATA = Path(__file__).parents[1] / "worked_examples.json"
TOLERANCE = 1e-4
CERTIFIED_AT = 1e-6


@dataclass(frozen=True)
class Example:
    """A problem and its known solution (empty if none is published)."""

    key: str
    title: str
    problem: Problem
    expected: dict[str, Any]


@dataclass(frozen=True)
class Run:
    """One solver on one example."""

    example: Example
    solver: str
    solution: Solution

    @property
    def certificate(self) -> Certificate:
        return self.solution.certificate

    @property
    def exact(self) -> bool:
        return SOLVERS[self.solver].exact

    @property
    def certified(self) -> bool:
        return self.certificate.holds(CERTIFIED_AT)

    @property
    def deviation(self) -> float | None:
        """Largest relative deviation from the known numbers; None if there are none."""
        if not self.example.expected:
            return None
        return max(deviations(self.example.expected, self.solution).values())


def load_examples() -> list[Example]:
    stored = json.loads(DATA.read_text())
    hard = stored["hard_margin_linear"]
    soft = stored["soft_margin_linear_C10"]
    gaussian = stored["soft_margin_gaussian_C1_gamma1"]
    kernel = RBF(gaussian["gamma"])
    smooth = SoftMargin(*_points(gaussian), C=gaussian["C"], kernel=kernel)
    penalised = SoftMargin(*_points(gaussian), C=gaussian["C"], kernel=kernel, bias=Regularised(1))
    return [
        Example("hard", "hard margin", HardMargin(*_points(hard)), hard["expected"]),
        Example("soft", "soft margin", SoftMargin(*_points(soft), C=soft["C"]), soft["expected"]),
        Example("gaussian", "Gaussian", smooth, gaussian["expected"]),
        Example("gaussian-regularised", "Gaussian, regularised bias", penalised, {}),
    ]


def run_all(examples: list[Example]) -> list[Run]:
    return [
        Run(example, name, solve(example.problem, name))
        for example in examples
        for name in solvers_for(example.problem)
    ]


def deviations(known: dict[str, Any], solution: Solution) -> dict[str, float]:
    """Return the deviation of each known number, relative to max(1, |known|)."""
    certificate, margins = solution.certificate, solution.margins()
    found: dict[str, Any] = {
        "b": solution.b,
        "primal": certificate.primal,
        "dual": certificate.dual,
        "margin": margins.margin,
        "n_support": certificate.n_free + certificate.n_bounded,
        "training_errors": margins.training_errors,
        "w": lambda: solution.w,
        "support": lambda: [solution.dual[int(i)] for i in known["support"]],
        "multipliers": lambda: [solution.dual[int(i)] for i in known["multipliers"]],
        "slack": lambda: [solution.slack[int(i)] for i in known["slack"]],
    }
    result = {}
    for name, value in known.items():
        if name not in found:
            continue
        mine = found[name]() if callable(found[name]) else found[name]
        theirs = np.atleast_1d(list(value.values()) if isinstance(value, dict) else value)
        scale = np.maximum(1.0, np.abs(theirs))
        result[name] = float((np.abs(np.atleast_1d(mine) - theirs) / scale).max())
    return result


def _points(stored: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    labels = np.repeat([1.0, -1.0], [len(stored["A"]), len(stored["B"])])
    return np.array(stored["A"] + stored["B"]), labels
