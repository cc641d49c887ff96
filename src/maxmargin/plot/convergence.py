"""Convergence side by side: the duality gap of several runs on one logarithmic axis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes

from maxmargin.errors import InvalidInputError
from maxmargin.plot.axes import SERIES, add_legend, axes_or_new, label_of
from maxmargin.plot.subjects import Subject
from maxmargin.solvers import Record, Solution, Trace
from maxmargin.typing import Floats

__all__ = ["traces"]

# Smaller gaps are rounding errors and drawn at this value: some hundred times the double-precision
# epsilon, because a gap is the difference of two sums over all points.
_ROUNDING = 1e-13

_MARKERS = "osD^vPX*<>p"

_QUANTITIES = {"relative_gap": "relative duality gap", "gap": "duality gap"}
_CLOCKS = {"seconds": "seconds", "iteration": "iteration (each solver's own unit)"}


def traces(
    runs: Any,
    ax: Axes | None = None,
    *,
    against: Literal["seconds", "iteration"] = "seconds",
    quantity: Literal["relative_gap", "gap"] = "relative_gap",
    legend: bool = True,
) -> Axes:
    """Draw how the duality gap of several runs fell.

    A line ends at a marker, the gap in the solution's certificate. All machines of an estimator
    have one colour. A negative gap, as of an interior-point method that is still infeasible, bounds
    nothing: its absolute value is drawn as a dotted line. A gap that is zero or negative by
    rounding is drawn at the rounding error.

    Parameters
    ----------
    runs : mapping of names to runs, list of runs, or one run
        A run is a Solution made with ``solve(..., trace=True)``, an estimator fitted with
        ``trace=True``, a pipeline or search that ends in one, or a Trace. Without names the legend
        shows the solvers' and estimators' names.
    against : {"seconds", "iteration"}
        The horizontal axis.
    quantity : {"relative_gap", "gap"}
        The vertical axis; the relative gap is the gap over the larger absolute objective value.
    ax, legend
        See `boundary`.

    Returns
    -------
    matplotlib Axes
        The given or new ones.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from maxmargin import LinearSVC, plot, solve
    >>> from maxmargin.problems import SoftMargin
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1]
    >>> problem = SoftMargin(X, y, loss="squared_hinge")
    >>> runs = [solve(problem, "dual-qp", trace=True), LinearSVC(trace=True).fit(X, y)]
    >>> ax = plot.traces(runs, Figure().subplots(), against="iteration")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['dual-qp', 'LinearSVC']
    """
    ylabel = label_of(quantity, "quantity", _QUANTITIES)
    xlabel = label_of(against, "against", _CLOCKS)
    records = {name: _records(name, run) for name, run in _named(runs).items()}
    if not records:
        raise InvalidInputError("runs is empty: give at least one Solution, estimator or Trace.")
    ax = axes_or_new(ax)
    ax.set(xlabel=xlabel, ylabel=ylabel, yscale="log", xscale="log")
    for place, (name, found) in enumerate(records.items()):
        for k, trace in enumerate(found):
            time = trace.seconds if against == "seconds" else trace.iteration
            gap = _relative_gap(trace) if quantity == "relative_gap" else trace.gap
            gap = np.where(np.abs(gap) <= _ROUNDING, np.maximum(gap, _ROUNDING), gap)
            _draw(ax, "_" if k else name, place, time, gap)
    if legend:
        add_legend(ax)
    return ax


def _relative_gap(trace: Trace) -> Floats:
    larger = np.maximum(np.abs(trace.primal), np.abs(trace.dual))
    with np.errstate(invalid="ignore"):
        return trace.gap / np.where(larger > 0, larger, 1.0)


def _named(runs: Any) -> dict[str, Any]:
    """Return the runs by name."""
    if isinstance(runs, Mapping):
        return {str(name): run for name, run in runs.items()}
    named: dict[str, Any] = {}
    seen: Counter[str] = Counter()
    for run in runs if isinstance(runs, Collection) else [runs]:
        name = run.solver if isinstance(run, Solution) else type(run).__name__
        seen[name] += 1
        named[name if seen[name] == 1 else f"{name} ({seen[name]})"] = run
    return named


def _draw(ax: Axes, name: str, place: int, time: Floats, gap: Floats) -> None:
    colour = SERIES[place % len(SERIES)]
    # The start, at iteration or second zero, has no place on a logarithmic axis.
    shown = np.isfinite(gap) & (time > 0)
    time, gap = time[shown], gap[shown]
    is_bound = gap > 0
    if not is_bound.all():
        ax.plot(time, np.abs(gap), color=colour, linestyle=":", linewidth=1.2)
    ax.plot(
        time,
        np.where(is_bound, gap, np.nan),
        color=colour,
        linestyle="-" if place < len(SERIES) else "--",
        marker=_MARKERS[place % len(_MARKERS)],
        markevery=[-1] if len(gap) else None,
        linewidth=1.6,
        label=name,
    )


def _records(name: str, run: Any) -> list[Trace]:
    """Return the trace of each machine of a run, with its certificate as the last record."""
    if isinstance(run, Trace):
        if len(run) == 0:
            raise InvalidInputError(f"Run {name!r} has no trace: it is empty.")
        return [run]
    subject = Subject.of(run)
    solutions = [machine.solution for machine in subject.machines]
    # A fit with trace=True to a few points may end before there is anything to record.
    is_traced = subject.estimator is not None and subject.estimator.get_params()["trace"]
    if not is_traced and any(len(solution.trace) == 0 for solution in solutions):
        raise InvalidInputError(
            f"Run {name!r} has no trace: make it with solve(problem, solver, trace=True), or fit "
            "an estimator with trace=True."
        )
    return [_with_certificate(solution) for solution in solutions]


def _with_certificate(solution: Solution) -> Trace:
    trace, certificate = solution.trace, solution.certificate
    last = (solution.iterations, solution.seconds)
    if len(trace):
        last = max(last[0], trace[-1].iteration), max(last[1], trace[-1].seconds)
    return Trace([*trace, Record(*last, certificate.primal, certificate.dual, certificate.gap)])
