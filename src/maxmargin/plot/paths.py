"""A solution path: every point's multiplier, or margin, as C grows."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from maxmargin.errors import InvalidInputError
from maxmargin.paths import SVMPath, svm_path
from maxmargin.plot.axes import NEGATIVE, POSITIVE, add_legend, axes_or_new, ink, label_of
from maxmargin.plot.subjects import Subject, side_labels
from maxmargin.problems import SoftMargin
from maxmargin.typing import Floats, Integers

__all__ = ["path"]

# Values of C that are drawn besides the breakpoints: enough for smooth curves on a page.
_BETWEEN = 200

# The picture of a path from C = 0 begins at this fraction of the first breakpoint above zero.
_BEFORE_FIRST = 0.3

_LABELS = {
    "multipliers": "multiplier a / its bound",
    "margins": "functional margin y f(x)",
}


def path(
    subject: Any,
    ax: Axes | None = None,
    *,
    machine: int | None = None,
    quantity: Literal["multipliers", "margins"] = "multipliers",
    points: Any = None,
    legend: bool = True,
) -> Axes:
    """Draw one line per point along C.

    Parameters
    ----------
    subject : SVMPath, Solution, fitted estimator, or pipeline or search that ends in one
        What `svm_path` returns, or any soft margin: its path from 0 to its own C is then computed
        first, which takes seconds for a thousand points.
    machine : int, optional
        Which of several machines to draw, as ``machines_`` lists them.
    quantity : {"multipliers", "margins"}
        The multipliers over their bounds, from 0 (beyond the margin) to 1 (inside it), or the
        functional margins.
    points : array-like of int, optional
        Which points of the machine's problem to draw; all by default.
    ax, legend
        See `boundary`.

    Returns
    -------
    matplotlib Axes
        The given or new ones; C is on a logarithmic scale.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from maxmargin import SVC, plot, svm_path
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1]
    >>> plot.path(svm_path(X, y), Figure().subplots()).get_xscale()
    'log'
    >>> ax = plot.path(SVC(kernel="linear", C=10).fit(X, y), Figure().subplots())
    >>> float(ax.get_xlim()[1])
    10.0
    """
    ylabel = label_of(quantity, "quantity", _LABELS)
    found, names = _path_of(subject, machine)
    chosen = _chosen(found, points)
    penalties = _penalties(found)
    values = _values(found, quantity, penalties)[:, chosen]
    ax = axes_or_new(ax)
    for sign, colour, name in ((1.0, POSITIVE, names[1]), (-1.0, NEGATIVE, names[0])):
        mine = values[:, found.problem.y[chosen] == sign]
        lines = LineCollection(
            [np.column_stack([penalties, line]) for line in mine.T],
            colors=colour,
            linewidths=1.0,
            alpha=0.35 if len(chosen) > 60 else 0.8,
            label=name,
        )
        ax.add_collection(lines)
    if quantity == "margins":
        ax.axhline(1.0, color=ink(), linewidth=1.0, linestyle="--", label="the margin")
    ax.set(xscale="log", xlim=(penalties[0], penalties[-1]), xlabel="C", ylabel=ylabel)
    ax.autoscale_view(scalex=False)
    if legend:
        add_legend(ax)
    return ax


def _path_of(subject: Any, machine: int | None) -> tuple[SVMPath, tuple[str, str]]:
    """Return the path, and the names of the labels -1 and +1."""
    if isinstance(subject, SVMPath):
        return subject, ("y = -1", "y = +1")
    (chosen,) = Subject.of_one(subject, machine).machines
    if not isinstance(chosen.problem, SoftMargin):
        raise InvalidInputError(
            "plot.path follows the C of a soft margin, such as that of an SVC or of a LinearSVC "
            f"with loss='hinge'; {type(chosen.problem).__name__} has no such path."
        )
    return svm_path(chosen.problem), side_labels(chosen)


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


def _penalties(path: SVMPath) -> Floats:
    """Return the breakpoints and values between them, where lines straight in C bend in log C."""
    ends = path.breakpoints
    first = float(ends[0]) or _BEFORE_FIRST * float(ends[1])
    between = np.geomspace(first, ends[-1], _BETWEEN)
    return np.unique(np.clip(np.concatenate([ends[1:], between]), first, ends[-1]))


def _values(path: SVMPath, quantity: str, penalties: Floats) -> Floats:
    if quantity == "margins":
        return path.margins(penalties)
    limit = penalties[:, None] * path.problem.sample_weight
    multipliers = path.multipliers(penalties)
    shares = np.divide(multipliers, limit, out=np.zeros_like(multipliers), where=limit > 0)
    return np.asarray(shares)
