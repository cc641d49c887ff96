"""``maxmargin demo``: solve, certify, draw, with data made on the spot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np

from maxmargin.cli.rows import as_lines
from maxmargin.cli.session import Session, with_session
from maxmargin.errors import MissingDependencyError

__all__ = ["demo"]

_CERTIFIED_AT = 1e-6
_EARLY = 200
_POINTS = 60


@click.command()
@click.argument("folder", type=click.Path(file_okay=False), default="maxmargin-demo")
@with_session
def demo(session: Session, folder: str) -> None:
    """Solve, certify and draw small problems; pictures go to FOLDER (extra cli).

    Two interleaved half circles are separated by every solver, whose answers a certificate
    compares; one solver is stopped early, which the certificate notices.
    """
    from maxmargin import Stop, analyse_support, certify, solve
    from maxmargin.kernels import RBF
    from maxmargin.problems import SoftMargin
    from maxmargin.solvers import solvers_for

    X, y = _half_circles()
    problem = SoftMargin(X, y, C=10, kernel=RBF(1.0))
    solutions = {name: solve(problem, name) for name in solvers_for(problem)}
    rows = [_row(name, certify(problem, found)) for name, found in solutions.items()]
    session.say(f"{len(X)} points of two half circles, Gaussian kernel, C = 10:")
    for line in as_lines(rows):
        session.say(f"  {line}")
    best = certify(problem, solutions["decomposition"])
    session.say(best.claim)
    session.say()
    session.say(str(analyse_support(problem, solutions["decomposition"])))
    session.say()
    early = certify(problem, solve(problem, "subgradient", stop=Stop(iterations=_EARLY)))
    session.say(f"Subgradient descent stopped after {_EARLY} steps, and what its certificate says:")
    session.say(f"  {early.claim}")
    pictures = _pictures(session, solutions["decomposition"], Path(folder))
    session.answer(
        {
            "command": "demo",
            "points": len(X),
            "solvers": rows,
            "stopped_early": {"relative_gap": early.relative_gap, "claim": early.claim},
            "pictures": pictures,
        }
    )


def _half_circles() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    angle = np.linspace(0, np.pi, _POINTS // 2)
    upper = np.column_stack([np.cos(angle), np.sin(angle)])
    lower = np.column_stack([1 - np.cos(angle), 0.5 - np.sin(angle)])
    X = np.concatenate([upper, lower]) + rng.normal(scale=0.2, size=(len(angle) * 2, 2))
    return X, np.repeat([1.0, -1.0], len(angle))


def _row(name: str, certificate: Any) -> dict[str, Any]:
    return {
        "solver": name,
        "primal": certificate.primal,
        "dual": certificate.dual,
        "relative gap": certificate.relative_gap,
        "certified": "yes" if certificate.holds(_CERTIFIED_AT) else "no",
    }


def _pictures(session: Session, solution: Any, folder: Path) -> list[str]:
    """Draw the machine and its optimality conditions, where matplotlib is installed."""
    try:
        from maxmargin import plot
    except MissingDependencyError as error:
        session.note(f"No pictures: {error}")
        return []
    from matplotlib.figure import Figure

    from maxmargin import certify

    folder.mkdir(parents=True, exist_ok=True)
    drawings: dict[str, Callable[[Any], Any]] = {
        "boundary.png": lambda ax: plot.boundary(solution, ax),
        "conditions.png": lambda ax: plot.kkt(certify(solution.problem, solution), ax),
    }
    written = []
    for name, draw in drawings.items():
        figure = Figure(figsize=(6, 4.5), layout="constrained")
        draw(figure.subplots())
        figure.savefig(folder / name, dpi=150)
        written.append(str(folder / name))
    session.say()
    session.say(f"Pictures: {', '.join(written)}")
    return written
