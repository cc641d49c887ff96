"""The KKT conditions in one picture: every constraint lies on the path that optimality allows."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from maxmargin.certify import Certificate
from maxmargin.plot.axes import GREY, NEGATIVE, POSITIVE, axes_or_new, ink, require
from maxmargin.problems import Case
from maxmargin.typing import Floats

__all__ = ["kkt"]

_LOOKS = {
    Case.ZERO: ("a = 0", GREY, "o"),
    Case.FREE: ("free: 0 < a < limit", POSITIVE, "D"),
    Case.BOUNDED: ("bounded: a at its limit", NEGATIVE, "s"),
}


def kkt(certificate: Certificate, ax: Axes | None = None, *, legend: bool = True) -> Axes:
    """Draw each constraint's multiplier against its margin, and the path of the KKT conditions.

    Complementary slackness leaves three places: a = 0 beyond the margin, any a on it, and a = C
    short of it. Whatever lies off the path violates a condition.

    Parameters
    ----------
    certificate : Certificate
        Made by `certify`, for any problem.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    legend : bool
        Whether to add a legend.

    Returns
    -------
    matplotlib Axes
        Those drawn on. The horizontal axis is the functional margin y f(x) for two classes, and
        for the other problems how far the constraint holds. The vertical one is a, or where the
        price of slack differs from point to point, a over that price.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from maxmargin import certify, plot, solve
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> ax = plot.kkt(certify(problem, solve(problem)), Figure().subplots())
    >>> ax.get_ylabel()
    'multiplier a'
    """
    require(Certificate, certificate, "certificate", "a Certificate, as certify(...) returns it")
    qp = certificate.problem.dual()
    used = qp.cost > 0
    unit, ylabel = _unit(qp.cost[used], qp.ridge[used])
    multiplier = certificate.solution.dual[used] / unit
    limit = float((qp.cost[used] / unit).max())
    two_classes = certificate.problem.has_two_classes
    corner = certificate.solution.level if two_classes else 0.0
    margin = np.array([row.margin for row in certificate.table()])[used]
    ax = axes_or_new(ax)
    slope = float((qp.ridge[used] * unit).max())
    path = _path(corner, margin, multiplier, limit, slope)
    ax.plot(*path.T, color=ink(), linewidth=1.2, zorder=1, label="what the KKT conditions allow")
    case = qp.case(certificate.solution.dual)[used]
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
    ax.set(
        xlabel="functional margin y f(x)" if two_classes else "how far the constraint holds",
        ylabel=ylabel,
    )
    if legend:
        ax.legend(fontsize="small")
    return ax


def _unit(cost: Floats, ridge: Floats) -> tuple[Floats, str]:
    """Return what to divide the multipliers by so that one path serves them all, and its name."""
    if np.ptp(ridge) > 0:
        return 1.0 / ridge, "multiplier a times its ridge"
    if cost.min() < cost.max():
        return cost, "multiplier a / its limit"
    return np.ones(len(cost)), "multiplier a"


def _path(corner: float, margin: Floats, multiplier: Floats, limit: float, slope: float) -> Floats:
    """Return the path from the far end of a = 0 through the corner to the side short of it.

    A squared loss has no limit; there the slack is slope times a.
    """
    left, right = min(float(margin.min()), corner), max(float(margin.max()), corner)
    border = 0.08 * ((right - left) or 1.0)
    path = [(right + border, 0.0), (corner, 0.0)]
    if np.isfinite(limit):
        return np.array([*path, (corner, limit), (left - border, limit)])
    top = 1.1 * (float(multiplier.max(initial=0.0)) or 1.0)
    return np.array([*path, (corner - slope * top, top)])
