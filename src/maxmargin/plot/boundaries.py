"""Models on the plane or on the line: boundaries, regions, curves, and the training points."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from maxmargin.errors import InvalidInputError
from maxmargin.machines.machine import Machine
from maxmargin.plot.axes import (
    GREY,
    NEGATIVE,
    POSITIVE,
    add_legend,
    axes_or_new,
    class_colours,
    ink,
)
from maxmargin.plot.marks import by_row, draw_segments, draw_slacks, has_slack, mark_support
from maxmargin.plot.planes import Plane, padded, span
from maxmargin.plot.subjects import Subject, classes_of, rows_of, side_labels, sides_of, unit_of
from maxmargin.plot.views import View
from maxmargin.problems import CrammerSinger, EpsilonTube, NuTube
from maxmargin.typing import Floats, Integers

__all__ = ["boundary"]

_MARKERS = "o^DvP<>X"


def boundary(
    subject: Any,
    ax: Axes | None = None,
    *,
    machine: int | None = None,
    X: Any = None,
    resolution: int = 250,
    padding: float = 0.08,
    legend: bool = True,
) -> Axes:
    """Draw a model whose points have two features, or a regression on one.

    Two classes: the boundary f = 0, the band |f| < level, the points by label. More classes: the
    region of each class and the points. One class: the boundary and its inside. Regression: the
    curve and its tube. Free support vectors (on the margin) are ringed, bounded ones boxed; with
    several machines a point is boxed if it is bounded in any of them.

    With at most two classes, a dotted segment joins each point that has slack with its margin. For
    a linear kernel it is perpendicular and slack / |w| long; in regression it is vertical and as
    long as the slack. Otherwise, and behind a pipeline's transformers, it ends at the nearest point
    of the margin line in view: its length is then a distance on the page, not the slack. Right
    angles look right after ``ax.set_aspect("equal")``.

    A pipeline is drawn in the coordinates of its input if it has two columns (one in regression),
    and otherwise in those of the last step's points if they have as many.

    Parameters
    ----------
    subject : Solution, fitted estimator, or pipeline or search that ends in one
        Of any problem and kernel. The best estimator stands for a search.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    machine : int, optional
        Which of several machines to draw, as ``machines_`` lists them: a pair of classes, or one
        class against the rest. By default the regions of all classes are drawn.
    X : array-like of shape (n, 2) or (n, 1), optional
        The rows that the model was fitted on. Only pipelines whose transformers have no inverse,
        such as ``PolynomialFeatures``, need them.
    resolution : int
        Grid points along each axis.
    padding : float
        Empty border, as a fraction of the data's extent.
    legend : bool
        Whether to add a legend below the axes; a figure with ``layout="constrained"`` makes room
        for it. Every artist is labelled, so that another legend can take its place.

    Returns
    -------
    matplotlib Axes
        The given or new ones.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from maxmargin import SVC, plot
    >>> X, y = [[0, 0], [100, 2], [300, 1], [400, 3]], ["low", "low", "high", "high"]
    >>> model = make_pipeline(StandardScaler(), SVC(C=10)).fit(X, y)
    >>> ax = plot.boundary(model, Figure().subplots(), padding=0.1)
    >>> [float(round(end, 6)) for end in ax.get_xlim()]
    [-40.0, 440.0]
    """
    shown = Subject.of(subject, machine)
    if resolution < 2:
        raise InvalidInputError(f"resolution must be at least 2 grid points; got {resolution!r}.")
    if not padding >= 0:
        raise InvalidInputError(f"padding must be zero or more; got {padding!r}.")
    view = View.of(shown, X)
    ax = axes_or_new(ax)
    if shown.is_regression:
        _draw_curve(ax, view, resolution, padding)
    elif shown.has_many_classes:
        _draw_regions(ax, view, resolution, padding)
    else:
        _draw_machine(ax, view, resolution, padding)
    if legend:
        add_legend(ax)
    return ax


# One machine --------------------------------------------------------------------------------------


def _draw_machine(ax: Axes, view: View, resolution: int, padding: float) -> None:
    """Draw one machine of two classes, or of one."""
    (machine,) = view.subject.machines
    plane = Plane.of(view, resolution, padding, lambda grid: view.decision(0, grid))
    (negative, below), (positive, above) = _side_looks(view.subject.estimator, machine)
    level = None
    if machine.problem.has_two_classes or machine.classes:
        level = machine.solution.level / unit_of(machine)
        plane.fill(ax, -level, level, GREY, f"margin band, |f| < {level:.3g}")
        plane.draw_line(ax, -level, negative, "--")
        plane.draw_line(ax, level, positive, "--")
    else:
        plane.fill(ax, 0.0, np.inf, positive, "inside, f > 0")
    plane.draw_line(ax, 0.0, ink(), label="boundary, f = 0")
    (places,) = view.places
    if level is None:
        _draw_points(ax, places, positive, "o", "point")
    else:
        sides, labels = sides_of(machine), side_labels(machine)
        _draw_points(ax, places[sides > 0], positive, above, labels[1])
        _draw_points(ax, places[sides < 0], negative, below, labels[0])
    mark_support(ax, view.subject.machines, view.places)
    draw_slacks(ax, view, plane, level)
    plane.lay_out(ax, view.names)


def _side_looks(estimator: Any, machine: Machine) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return colour and marker of the sides -1 and +1, as in the picture of all machines."""
    if estimator is None or len(estimator.machines_) == 1:
        return (NEGATIVE, "^"), (POSITIVE, "o")
    classes = classes_of(estimator.machines_)
    looks: dict[Any, tuple[str, str]] = {
        name: (colour, _MARKERS[k % len(_MARKERS)])
        for k, (name, colour) in enumerate(zip(classes, class_colours(len(classes)), strict=True))
    }
    first, second = machine.classes
    return ((GREY, "x"), looks[first]) if second is None else (looks[first], looks[second])


def _draw_points(ax: Axes, places: Floats, colour: str, marker: str, label: str) -> None:
    first, second = places.T
    ax.scatter(first, second, s=28, color=colour, marker=marker, label=label, zorder=3)


# Several classes ----------------------------------------------------------------------------------


def _draw_regions(ax: Axes, view: View, resolution: int, padding: float) -> None:
    """Draw the region of each class and the training points."""
    machines = view.subject.machines
    classes = classes_of(machines)
    plane = Plane.of(view, resolution, padding, lambda grid: _leads(view, grid, classes))
    colours = class_colours(len(classes))
    for k, colour in enumerate(colours):
        plane.part(k).fill(ax, 0.0, np.inf, colour, None)
    for k in range(len(classes)):
        plane.part(k).draw_line(ax, 0.0, ink())
    ax.plot([], [], color=ink(), linewidth=2.0, label="boundary")
    places = by_row(machines, view.places)
    label = _class_by_row(machines, classes, len(places))
    for k, (name, colour) in enumerate(zip(classes, colours, strict=True)):
        _draw_points(ax, places[label == k], colour, _MARKERS[k % len(_MARKERS)], f"y = {name}")
    mark_support(ax, machines, view.places)
    plane.lay_out(ax, view.names)


def _leads(view: View, grid: Floats, classes: list[Any]) -> Floats:
    """Return how far each place is from the border, positive for the class that wins there.

    With one machine per pair of classes a region ends where a machine changes its vote, otherwise
    where the best two classes are equal. The result is continuous and changes its sign exactly
    there, so that its contour lines are smooth.
    """
    machines = view.subject.machines
    values = np.column_stack([view.decision(k, grid) for k in range(len(machines))])
    if not isinstance(machines[0].problem, CrammerSinger) and machines[0].classes[1] is not None:
        distance = np.abs(values).min(axis=1)
    else:
        ordered = np.sort(values, axis=1)
        distance = ordered[:, -1] - ordered[:, -2]
    winner = view.predict(grid)
    wins = np.column_stack([winner == name for name in classes])
    return np.asarray(np.where(wins, distance[:, None], -distance[:, None]))


def _class_by_row(machines: tuple[Machine, ...], classes: list[Any], n_rows: int) -> Integers:
    """Return the place among the classes of each training row; -1 for rows of weight zero."""
    label: Integers = np.full(n_rows, -1)
    for machine in machines:
        rows = rows_of(machine)
        if isinstance(machine.problem, CrammerSinger):
            label[rows] = machine.problem.label
            continue
        first, second = machine.classes
        is_positive = sides_of(machine) > 0
        if second is None:
            label[rows[is_positive]] = classes.index(first)
        else:
            label[rows] = np.where(is_positive, classes.index(second), classes.index(first))
    return label


# Regression ---------------------------------------------------------------------------------------


def _draw_curve(ax: Axes, view: View, resolution: int, padding: float) -> None:
    """Draw f, the tube of half-width epsilon, the targets and their slacks."""
    (machine,) = view.subject.machines
    solution = machine.solution
    assert isinstance(machine.problem, EpsilonTube | NuTube)
    y = machine.problem.y
    x = view.places[0][:, 0]

    def curve(border: float) -> tuple[Floats, Floats]:
        line = np.linspace(*span(x, border), resolution)
        return line, view.decision(0, line[:, None])

    line, values = padded(padding, curve)
    epsilon = solution.level
    ax.fill_between(
        line,
        values - epsilon,
        values + epsilon,
        color=POSITIVE,
        alpha=0.18,
        linewidth=0,
        label=f"tube, ±{epsilon:.3g}",
    )
    ax.plot(line, values, color=POSITIVE, linewidth=2, label="f(x)")
    places = np.column_stack([x, y])
    ax.scatter(x, y, s=22, color=NEGATIVE, label="target", zorder=3)
    mark_support(ax, view.subject.machines, [places])
    chosen = has_slack(solution)
    # The slack is vertical here, and its length is its value.
    residual = y - view.decision(0, x[:, None])
    feet = np.column_stack([x, y - np.sign(residual) * solution.slack])
    draw_segments(ax, places[chosen], feet[chosen])
    (name,) = view.names or ("x",)
    ax.set(xlabel=name, ylabel="y", xlim=(line[0], line[-1]))
