"""The warning if a fit did not reach its tolerance."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from sklearn.exceptions import ConvergenceWarning

from maxmargin.solvers import Ending, Solution

__all__ = ["warn", "warn_of_early_end"]

_CAUSES = {
    Ending.MAX_ITER: "Solver terminated early (max_iter={max_iter}).",
    Ending.TIME_LIMIT: "Solver terminated early (time_limit={time_limit}).",
    Ending.CALLBACK: "Solver terminated early (a callback asked for it).",
    Ending.INTERRUPT: "Solver terminated early (interrupted).",
    Ending.STALLED: "Solver stalled: no step improves the dual any more.",
}
_SCALE = "  Consider pre-processing your data with StandardScaler or MinMaxScaler."
_CURES = {
    Ending.MAX_ITER: _SCALE + " Raise max_iter or tol for a certified solution.",
    Ending.TIME_LIMIT: _SCALE + " Raise time_limit or tol for a certified solution.",
    Ending.CALLBACK: "",
    Ending.INTERRUPT: " With warm_start=True another fit goes on from here. Another interrupt "
    "within two seconds raises KeyboardInterrupt, which ends a loop or a search.",
    Ending.STALLED: _SCALE,
}
_INDEFINITE = " The kernel may be indefinite, which can cause it too: try 'rbf'."

# The relative gap of a machine that may be no better than a constant one.
_USELESS = 0.5

# Folders of code that is not the user's.
_INSIDE = (str(Path(__file__).parents[1]), str(Path(sklearn.__file__).parent))


def warn(message: str, category: type[Warning] = ConvergenceWarning) -> None:
    """Warn at the line of the caller's code that led here."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_INSIDE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def warn_of_early_end(
    solutions: Sequence[Solution], names: Sequence[str], parameters: Mapping[str, Any]
) -> None:
    """Warn of machines that did not reach their tolerance; at least one did not."""
    gaps = [solution.estimate for solution in solutions]
    short = [k for k, solution in enumerate(solutions) if not solution.converged]
    ending = solutions[max(short, key=lambda k: abs(gaps[k].relative_gap))].ending
    unknown = sum(not np.isfinite(found.gap) for found in gaps)
    n = len(solutions)
    if unknown:
        place = f" in {unknown} of {n} machines" if n > 1 else ""
        quality = f" The duality gap is unknown{place}: the run ended before it was measured."
    else:
        worst = max(range(n), key=lambda k: abs(gaps[k].relative_gap))
        place = f" in {names[worst]}, the worst of {n}" if n > 1 else ""
        quality = (
            f" By the solver's estimate the duality gap is {gaps[worst].gap:.3g}, a fraction of "
            f"{gaps[worst].relative_gap:.2g} of the objective{place}; certificate_ proves it."
        )
        if gaps[worst].relative_gap >= _USELESS:
            quality += " The model may be no better than a constant one."
    cure = _CURES[ending]
    definite = all(one.problem.kernel.positive_semidefinite for one in solutions)
    if ending is Ending.STALLED and not definite:
        cure += _INDEFINITE
    warn(_CAUSES[ending].format(**parameters) + cure + quality)
