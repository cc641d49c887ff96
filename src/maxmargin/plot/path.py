"""A solution path: every point's multiplier, or margin, as C grows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from maxmargin.errors import InvalidInputError
from maxmargin.plot.axes import NEGATIVE, POSITIVE, axes_or_new, ink, require
from maxmargin.typing import Floats, Integers

if TYPE_CHECKING:
    from maxmargin.model_selection import SVMPath

__all__ = ["path"]

_BETWEEN = 200
_BEFORE_FIRST = 0.3
_LABELS = {
    "multipliers": "multiplier a / its bound",
    "margins": "functional margin y f(x)",
}


def path(
    path: SVMPath,
    ax: Axes | None = None,
    *,
    quantity: Literal["multipliers", "margins"] = "multipliers",
    points: Any = None,
    legend: bool = True,
) -> Axes:
    """Draw a line a point along C.

    Parameters
    ----------
    path : SVMPath
        Made by `svm_path`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    quantity : {"multipliers", "margins"}
        The multipliers over their bounds, from 0 (beyond the margin) to 1 (short of it), or the
        functional margins.
    points : array-like of int, optional
        Which points to draw; all by default.
    legend : bool
        Whether to add a legend.

    Returns
    -------
    matplotlib Axes
        Those drawn on; C is on a logarithmic scale.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from maxmargin import plot, svm_path
    >>> from maxmargin.problems import SoftMargin
    >>> found = svm_path(SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=10))
    >>> plot.path(found, Figure().subplots()).get_xscale()
    'log'
    """
    # Only here: it imports scikit-learn, which is slow and which other pictures do not need.
    from maxmargin.model_selection import SVMPath

    require(SVMPath, path, "path", "an SVMPath, as svm_path(...) returns it")
    if quantity not in _LABELS:
        raise InvalidInputError(f"quantity must be 'multipliers' or 'margins'; got {quantity!r}.")
    chosen = _chosen(path, points)
    prices = _prices(path)
    values = _values(path, quantity, prices)[:, chosen]
    ax = axes_or_new(ax)
    for label, colour in ((1.0, POSITIVE), (-1.0, NEGATIVE)):
        mine = values[:, path.problem.y[chosen] == label]
        lines = LineCollection(
            [np.column_stack([prices, line]) for line in mine.T],
            colors=colour,
            linewidths=1.0,
            alpha=0.35 if len(chosen) > 60 else 0.8,
            label=f"label {label:+g}",
        )
        ax.add_collection(lines)
    if quantity == "margins":
        ax.axhline(1.0, color=ink(), linewidth=1.0, linestyle="--", label="the margin")
    ax.set(xscale="log", xlim=(prices[0], prices[-1]), xlabel="C", ylabel=_LABELS[quantity])
    ax.autoscale_view(scalex=False)
    if legend:
        ax.legend(fontsize="small")
    return ax


def _chosen(path: SVMPath, points: Any) -> Integers:
    n = path.problem.n_points
    if points is None:
        return np.flatnonzero(path.problem.sample_weight > 0)
    chosen = np.asarray(points)
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu" or not np.isin(chosen, np.arange(n)).all():
        raise InvalidInputError(
            f"points must be indices of the problem's {n} points, 0 to {n - 1}; got {points!r}."
        )
    return chosen.astype(np.int64)


def _prices(path: SVMPath) -> Floats:
    """Return the breakpoints, and more between them: what is straight in C is not in log C."""
    ends = path.breakpoints
    first = float(ends[0]) or _BEFORE_FIRST * float(ends[1])
    between = np.geomspace(first, ends[-1], _BETWEEN)
    return np.unique(np.clip(np.concatenate([ends[1:], between]), first, ends[-1]))


def _values(path: SVMPath, quantity: str, prices: Floats) -> Floats:
    if quantity == "margins":
        return path.margins(prices)
    limit = prices[:, None] * path.problem.sample_weight
    multipliers = path.multipliers(prices)
    shares = np.divide(multipliers, limit, out=np.zeros_like(multipliers), where=limit > 0)
    return np.asarray(shares)
