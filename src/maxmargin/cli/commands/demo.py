"""``maxmargin demo``: solve, certify and draw, with data made on the spot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_moons

from maxmargin import Stop, solve
from maxmargin.certificates import analyse_support
from maxmargin.cli.output import Session, as_lines
from maxmargin.errors import MissingDependencyError
from maxmargin.kernels import RBF
from maxmargin.problems import SoftMargin
from maxmargin.solvers import solvers_for

__all__ = ["run"]

_CERTIFIED_AT = 1e-6
_EARLY = 200
_N_POINTS = 60


def run(session: Session, folder: str) -> None:
    """Show the library at work."""
    X, lower = make_moons(_N_POINTS, shuffle=False)
    X += np.random.default_rng(0).normal(scale=0.2, size=X.shape)
    problem = SoftMargin(X, 1 - 2 * lower, C=10, kernel=RBF(1.0))
    solutions = {name: solve(problem, name) for name in solvers_for(problem)}
    rows = []
    for name, solution in solutions.items():
        found = solution.certificate
        rows.append(
            {
                "solver": name,
                "primal": found.primal,
                "dual": found.dual,
                "relative gap": found.relative_gap,
                "certified": "yes" if found.holds(_CERTIFIED_AT) else "no",
            }
        )
    exact = solutions["decomposition"]
    early = solve(problem, "subgradient", stop=Stop(max_iter=_EARLY)).certificate
    session.say(
        f"{_N_POINTS} points of two half circles, Gaussian kernel, C = 10:",
        *as_lines(rows, indent="  "),
        exact.certificate.claim,
        "",
        str(analyse_support(exact)),
        "",
        f"Subgradient descent stopped after {_EARLY} steps, and what its certificate says:",
        f"  {early.claim}",
    )
    session.answer(
        points=_N_POINTS,
        solvers=rows,
        stopped_early={"relative_gap": early.relative_gap, "claim": early.claim},
        pictures=_pictures(session, exact, Path(folder)),
    )


def _pictures(session: Session, solution: Any, folder: Path) -> list[str]:
    """Draw the machine and its optimality conditions, if matplotlib is installed."""
    try:
        from maxmargin import plot
    except MissingDependencyError as error:
        session.note(f"No pictures: {error}")
        return []
    from matplotlib.figure import Figure

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, draw in {"boundary": plot.boundary, "conditions": plot.kkt}.items():
        figure = Figure(figsize=(6, 4.5), layout="constrained")
        draw(solution, figure.subplots())
        written.append(str(folder / f"{name}.png"))
        figure.savefig(written[-1], dpi=150)
    session.say("", f"Pictures: {', '.join(written)}")
    return written
