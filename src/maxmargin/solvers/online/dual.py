"""Multipliers for weights that were found without any.

At the optimum of a soft margin a multiplier is zero beyond the margin plane, C inside it, and
anything between on it. Near the optimum a ramp across the plane comes close; of ramps of several
widths the one with the best dual value is taken. The bound is valid for any weights, and the closer
they are to the optimum the tighter it gets. If rows are many for their penalty it is loose, and
sweeps of a solver of the dual tighten it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.problems import BoxQP, OneClass
from maxmargin.solvers.kernel import Decomposition
from maxmargin.solvers.linear import linear_solver
from maxmargin.solvers.solution import Solution
from maxmargin.solvers.stop import Request, Stop
from maxmargin.typing import Floats, Integers

__all__ = ["dual_value", "multipliers_at", "tightened"]

# Half the width of the ramp, in units of the margin.
_WIDTHS = (0.3, 0.1, 0.03, 0.01, 0.003, 0.001)

# Points up to which the dual of one class is solved in no time; ramps do for more.
_FEW_POINTS = 2000

# Rows whose dual value decides on the width.
_SAMPLE = 4096


def multipliers_at(qp: BoxQP, constraint: Floats, unit: float) -> Floats:
    """Return feasible multipliers for a machine whose constraints have these values.

    Parameters
    ----------
    qp : BoxQP
        The dual of a linear machine.
    constraint : ndarray of shape (m,)
        c of `maxmargin.problems.quadratic`: the slack is its negative part.
    unit : float
        The size of the margin.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems import Regularised, SoftMargin
    >>> from maxmargin.solvers.online.dual import multipliers_at
    >>> qp = SoftMargin([[0.0], [2.0]], [-1, 1], bias=Regularised(0)).dual()
    >>> multipliers_at(qp, np.array([-1.0, 1.0]), 1.0)
    array([1., 0.])
    """
    if (qp.ridge > 0).any():
        slack = np.maximum(0.0, -constraint)
        chosen = np.divide(slack, qp.ridge, out=np.zeros(len(slack)), where=qp.ridge > 0)
    else:
        chosen = _ramp(qp, constraint, unit * min(_WIDTHS, key=_sampled(qp, constraint, unit)))
    return np.asarray(qp.sign * _feasible(qp, qp.sign * chosen))


def dual_value(qp: BoxQP, signed: Floats) -> float:
    """Return the dual value of a feasible point of a linear machine, through its weights."""
    square, slope = _terms(qp, signed)
    return -0.5 * square - slope


def tightened(
    problem: Any, start: Solution, n_sweeps: int, gap: float, n_jobs: int | None
) -> Floats:
    """Return multipliers with a better dual value, after so many sweeps of a linear solver."""
    if not isinstance(problem, OneClass):
        request = Request(Stop(gap=gap, max_iter=n_sweeps), [start])
        (found,) = linear_solver(problem, n_jobs=n_jobs).run_all([problem], request)
    elif problem.n_points <= _FEW_POINTS:
        (found,) = Decomposition(n_jobs=n_jobs).run_all([problem], Request(Stop(gap=gap), [None]))
    else:
        return start.dual
    qp = problem.dual()
    if dual_value(qp, qp.sign * found.dual) < dual_value(qp, qp.sign * start.dual):
        return start.dual
    return found.dual


def _ramp(qp: BoxQP, constraint: Floats, width: float) -> Floats:
    """Return multipliers that fall from their cost to zero across the margin plane."""
    return np.asarray(qp.cost * np.clip((width - constraint) / (2 * width), 0.0, 1.0))


def _sampled(qp: BoxQP, constraint: Floats, unit: float) -> Any:
    """Return a function of the width: the dual objective on a sample of the rows."""
    n = qp.n_points
    sample = np.unique(np.linspace(0, n - 1, min(n, _SAMPLE)).astype(np.int64))
    share = n / len(sample)

    def objective(width: float) -> float:
        signed = qp.sign * _ramp(qp, constraint, width * unit)
        square, slope = _terms(qp, signed, sample)
        square, slope = share**2 * square, share * slope
        shrink = min(1.0, max(0.0, -slope / square)) if square > 0 and slope else 1.0
        return 0.5 * shrink**2 * square + shrink * slope

    return objective


def _feasible(qp: BoxQP, signed: Floats) -> Floats:
    """Return the nearest feasible point, shrunk by the factor that has the best dual value."""
    if len(qp.total):
        signed = qp.project(signed)
    if qp.total.any():
        return signed
    square, slope = _terms(qp, signed)
    return signed * min(1.0, max(0.0, -slope / square)) if square > 0 else signed


def _terms(qp: BoxQP, signed: Floats, rows: Integers | None = None) -> tuple[float, float]:
    """Return b'Hb and p'b of all rows, or of some, through the weights."""
    coefficients = qp.coefficients(signed)
    points, ridge, linear = qp.points, qp.ridge, qp.linear
    if rows is not None:
        points, coefficients = points.take(rows), coefficients[rows]
        signed, ridge, linear = signed[rows], ridge[rows], linear[rows]
    weights = points.weights(coefficients)
    square = float(weights @ weights + ridge @ signed**2)
    square += qp.constant * float(coefficients.sum()) ** 2
    return square, float(linear @ signed)
