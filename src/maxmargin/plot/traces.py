"""Convergence side by side: the duality gap of several runs on one logarithmic axis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np
from matplotlib.axes import Axes

from maxmargin.certify import certify
from maxmargin.errors import InvalidInputError
from maxmargin.plot.axes import SERIES, axes_or_new, require
from maxmargin.problems import Record, Solution, Trace
from maxmargin.typing import Floats

__all__ = ["traces"]

_ROUNDING = 1e-13
_MARKERS = "osD^vPX"


def _relative_gap(trace: Trace) -> Floats:
    larger = np.maximum(np.abs(trace.primal), np.abs(trace.dual))
    with np.errstate(invalid="ignore"):
        return trace.gap / np.where(larger > 0, larger, 1.0)


_QUANTITIES: dict[str, tuple[str, Callable[[Trace], Floats]]] = {
    "relative_gap": ("relative duality gap", _relative_gap),
    "gap": ("duality gap", lambda trace: trace.gap),
}
_CLOCKS: dict[str, tuple[str, Callable[[Trace], Floats]]] = {
    "seconds": ("seconds", lambda trace: trace.seconds),
    "iteration": ("iteration (each solver's own unit)", lambda trace: trace.iteration),
}


def traces(
    runs: Mapping[str, Solution | Trace],
    ax: Axes | None = None,
    *,
    against: Literal["seconds", "iteration"] = "seconds",
    quantity: Literal["relative_gap", "gap"] = "relative_gap",
    legend: bool = True,
) -> Axes:
    """Draw how the duality gap of several runs fell.

    A solution's line ends, at a mark, in the gap that `certify` proves for it. Where a gap is
    negative, as at an interior point that is still infeasible, it bounds nothing: its size is
    dotted. One that rounding made zero or negative is drawn at the rounding error.

    Parameters
    ----------
    runs : mapping of str to Solution or Trace
        Names for the legend, and runs made with ``solve(..., trace=True)``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    against : {"seconds", "iteration"}
        The horizontal axis.
    quantity : {"relative_gap", "gap"}
        The vertical axis; the relative gap is over the larger objective in absolute value.
    legend : bool
        Whether to add a legend.

    Returns
    -------
    matplotlib Axes
        Those drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from maxmargin import plot, solve
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> runs = {name: solve(problem, name, trace=True) for name in ("smo", "dual-qp")}
    >>> plot.traces(runs, Figure().subplots(), against="iteration").get_yscale()
    'log'
    """
    ylabel, measured = _choice(quantity, "quantity", _QUANTITIES)
    xlabel, clock = _choice(against, "against", _CLOCKS)
    require(Mapping, runs, "runs", "a mapping of names to solutions or traces")
    if not runs:
        raise InvalidInputError("runs is empty: give at least one name and its Solution or Trace.")
    records = {name: _records(name, run) for name, run in runs.items()}
    ax = axes_or_new(ax)
    ax.set(xlabel=xlabel, ylabel=ylabel, yscale="log", xscale="log")
    for i, (name, trace) in enumerate(records.items()):
        gap = measured(trace)
        gap = np.where(np.abs(gap) <= _ROUNDING, np.maximum(gap, _ROUNDING), gap)
        _draw(ax, name, i, clock(trace), gap)
    if legend:
        ax.legend(fontsize="small")
    return ax


def _draw(ax: Axes, name: str, place: int, time: Floats, gap: Floats) -> None:
    colour = SERIES[place % len(SERIES)]
    # On logarithmic axes the start, iteration or second zero, has no place.
    shown = np.isfinite(gap) & (time > 0)
    time, gap = time[shown], gap[shown]
    proved = gap > 0
    if not proved.all():
        ax.plot(time, np.abs(gap), color=colour, linestyle=":", linewidth=1.2)
    ax.plot(
        time,
        np.where(proved, gap, np.nan),
        color=colour,
        linestyle="-" if place < len(SERIES) else "--",
        marker=_MARKERS[place % len(_MARKERS)],
        markevery=[-1] if len(gap) else None,
        linewidth=1.6,
        label=name,
    )


def _choice(
    value: str, name: str, among: Mapping[str, tuple[str, Callable[[Trace], Floats]]]
) -> tuple[str, Callable[[Trace], Floats]]:
    if value not in among:
        names = " or ".join(repr(key) for key in among)
        raise InvalidInputError(f"{name} must be {names}; got {value!r}.")
    return among[value]


def _records(name: str, run: Solution | Trace) -> Trace:
    trace = run.trace if isinstance(run, Solution) else run
    if len(trace) == 0:
        raise InvalidInputError(
            f"Run {name!r} has no trace: make it with solve(problem, solver, trace=True)."
        )
    if not isinstance(run, Solution):
        return trace
    proof = certify(run.problem, run)
    last = Record(run.iterations, run.seconds, proof.primal, proof.dual, proof.gap)
    return Trace([*trace, last])
