"""The KKT conditions in one picture: every constraint lies on the path that optimality allows."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from matplotlib.axes import Axes

from maxmargin.certificates import Certificate, FitCertificate, constraints_of
from maxmargin.errors import InvalidInputError
from maxmargin.machines.machine import Machine
from maxmargin.plot.axes import GREY, NEGATIVE, POSITIVE, add_legend, axes_or_new, ink
from maxmargin.plot.subjects import Subject, unit_of
from maxmargin.problems import Case, CrammerSinger, Problem
from maxmargin.solvers import Solution
from maxmargin.typing import Floats

__all__ = ["kkt"]

# The corner of the path is the margin at which a multiplier may have any value. Machines share one
# path if their corners differ by no more than this fraction, which is far above rounding.
_SAME_CORNER = 1e-6

_LOOKS = {
    Case.ZERO: ("a = 0", GREY, "o"),
    Case.FREE: ("free: 0 < a < limit", POSITIVE, "D"),
    Case.BOUNDED: ("bounded: a at its limit", NEGATIVE, "s"),
}


def kkt(
    subject: Any, ax: Axes | None = None, *, machine: int | None = None, legend: bool = True
) -> Axes:
    """Draw each constraint's multiplier against its margin, and the path of the KKT conditions.

    Complementary slackness leaves three places: a = 0 beyond the margin, any a on it, and a = C
    short of it. Whatever lies off the path violates a condition.

    Parameters
    ----------
    subject : Solution, Certificate, fitted estimator, or pipeline or search that ends in one
        Of any problem. The best estimator stands for a search.
    machine : int, optional
        Which of several machines to draw, as ``machines_`` lists them, or ``machines`` of a
        `FitCertificate`; all of them by default.
    ax, legend
        See `boundary`.

    Returns
    -------
    matplotlib Axes
        The given or new ones. The horizontal axis is the functional margin: y f(x) for two classes,
        f of the point's own class minus f of the best other class in Crammer and Singer's machine.
        For other problems it is how far the constraint holds. The vertical axis is the multiplier
        a, or a over its limit if the points have different limits.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from maxmargin import SVC, plot
    >>> model = SVC(kernel="linear").fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    >>> ax = plot.kkt(model, Figure().subplots())
    >>> ax.get_ylabel()
    'multiplier a'
    """
    certified = _certified(subject, machine)
    multiplier, cost, ridge, margin, constraint, case = _constraints(certified)
    margin, corner, xlabel = _horizontal(certified[0][0], margin, constraint)
    unit, ylabel = _vertical(cost, ridge)
    multiplier = multiplier / unit
    limit = float((cost / unit).max())
    path = _path(corner, margin, multiplier, limit, float((ridge * unit).max()))
    ax = axes_or_new(ax)
    ax.plot(*path.T, color=ink(), linewidth=1.2, zorder=1, label="what the KKT conditions allow")
    for kind, (label, colour, marker) in _LOOKS.items():
        chosen = case == kind
        if chosen.any():
            label = "a > 0" if kind == Case.FREE and np.isinf(limit) else label
            ax.scatter(
                margin[chosen],
                multiplier[chosen],
                s=30,
                color=colour,
                marker=marker,
                alpha=0.8,
                label=f"{label} ({np.count_nonzero(chosen)})",
                zorder=3,
            )
    ax.set(xlabel=xlabel, ylabel=ylabel)
    if legend:
        add_legend(ax)
    return ax


def _certified(subject: Any, machine: int | None) -> list[tuple[Problem, Machine]]:
    """Return the machines to draw, each with the problem that it should solve."""
    if isinstance(subject, Certificate):
        if machine not in (None, 0):
            raise InvalidInputError(f"A Certificate is about one machine; got machine={machine!r}.")
        return [_of_certificate(subject)]
    if not isinstance(subject, FitCertificate):
        return [(shown.problem, shown) for shown in Subject.of(subject, machine).machines]
    certificates, n = subject.machines, len(subject.machines)
    if machine is not None:
        if not isinstance(machine, int) or not -n <= machine < n:
            raise InvalidInputError(
                f"machine must be an index of the {n} machines of the certificate, from 0 to "
                f"{n - 1}, the worst first; got {machine!r}."
            )
        certificates = (certificates[machine],)
    return [_of_certificate(certificate) for certificate in certificates]


def _of_certificate(certificate: Certificate) -> tuple[Problem, Machine]:
    if certificate.problem is None or certificate.solution is None:
        raise InvalidInputError(
            "This certificate was pickled or read from a file and holds numbers only: the picture "
            "needs the training data. Fit again, or certify the problem again."
        )
    solution = cast(Solution, certificate.solution)
    return certificate.problem, Machine(solution, certificate.classes, slice(None))


def _constraints(certified: list[tuple[Problem, Machine]]) -> Floats:
    """Return the columns that are drawn of all constraints, without points of weight zero."""
    parts = []
    for problem, machine in certified:
        at, unit = constraints_of(problem, machine.solution), unit_of(machine)
        margin, constraint = at.margin / unit, at.constraint / unit
        columns = (at.multiplier, at.cost, at.ridge, margin, constraint, at.case)
        parts.append(np.array(columns)[:, at.cost > 0])
    return np.hstack(parts)


def _horizontal(problem: Problem, margin: Floats, constraint: Floats) -> tuple[Floats, float, str]:
    """Return what the horizontal axis shows, where the corner of the path is, and the label."""
    corners = margin - constraint
    corner = float(np.median(corners))
    if np.abs(corners - corner).max() <= _SAME_CORNER * max(abs(corner), 1.0):
        if problem.has_two_classes:
            return margin, corner, "functional margin y f(x)"
        if isinstance(problem, CrammerSinger):
            return margin, corner, "functional margin over the best other class"
    return constraint, 0.0, "how far the constraint holds"


def _vertical(cost: Floats, ridge: Floats) -> tuple[Floats, str]:
    """Return the divisor of each multiplier that puts them all on one path, and the label."""
    if np.ptp(ridge) > 0:
        return 1.0 / ridge, "multiplier a times its ridge"
    if cost.min() < cost.max():
        return cost, "multiplier a / its limit"
    return np.ones(len(cost)), "multiplier a"


def _path(corner: float, margin: Floats, multiplier: Floats, limit: float, slope: float) -> Floats:
    """Return the path: along a = 0 to the corner, up to the limit, and on to smaller margins.

    A squared loss has no limit; its slack is slope times a.
    """
    left, right = min(float(margin.min()), corner), max(float(margin.max()), corner)
    border = 0.08 * ((right - left) or 1.0)
    path = [(right + border, 0.0), (corner, 0.0)]
    if np.isfinite(limit):
        return np.array([*path, (corner, limit), (left - border, limit)])
    top = 1.1 * (float(multiplier.max(initial=0.0)) or 1.0)
    return np.array([*path, (corner - slope * top, top)])
