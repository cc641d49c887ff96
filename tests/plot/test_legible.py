"""Nothing covers a curve: legends lie below the axes, and coinciding curves both show."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from maxmargin import SVC, SVMSearchCV, plot, solve
from maxmargin.plot.axes import reveal_hidden
from maxmargin.plot.convergence import _MARKERS
from maxmargin.problems import Regularised, SoftMargin

NAMES = ["boundary", "kkt", "traces", "path", "score_curves", "histogram", "bayes"]


def draw(name, ax, X, y):
    model = SVC(kernel="linear").fit(X, y)
    if name == "histogram":
        plot.ScoreHistogramDisplay.from_estimator(model, X, y, threshold=0.0, ax=ax)
    elif name == "bayes":
        plot.BayesErrorDisplay.from_estimator(model, X, y, ax=ax)
    elif name == "traces":
        plot.traces([solve(model.machines_[0].problem, "smo", trace=True)], ax)
    elif name == "score_curves":
        search = SVMSearchCV(SVC(), {"C": [0.1, 1.0], "gamma": [0.1, 1.0]}, cv=3).fit(X, y)
        plot.score_curves(search, ax)
    else:
        getattr(plot, name)(model, ax)


@pytest.mark.parametrize("size", [(6.4, 4.8), (3.5, 2.5)])
@pytest.mark.parametrize("name", NAMES)
def test_legends_lie_below_the_axes_and_their_label(name, size, overlapping):
    figure = Figure(figsize=size, layout="constrained")
    ax = figure.subplots()
    draw(name, ax, *overlapping)
    figure.draw_without_rendering()
    legend = ax.get_legend().get_window_extent()
    assert legend.y1 <= ax.xaxis.label.get_window_extent().y0 + 1
    assert legend.y1 < ax.get_window_extent().y0
    page = figure.bbox
    assert legend.y0 >= page.y0 - 1
    assert legend.x0 >= page.x0 - 1
    assert legend.x1 <= page.x1 + 1


def test_a_curve_under_another_is_drawn_broad_behind_it(ax):
    x = np.linspace(0.0, 1.0, 50)
    first, second, third = (
        ax.plot(x, values, label=name)[0]
        for name, values in (("a", x**2), ("b", x**2 + 1e-6), ("c", 1 - x))
    )
    width = third.get_linewidth()
    reveal_hidden(ax)
    reveal_hidden(ax)
    assert first.get_linewidth() > 2 * width
    assert second.get_linewidth() == third.get_linewidth() == width


def test_equal_minimum_costs_are_both_seen(ax):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    scores = rng.normal(size=200) + 2 * y
    for name, factor in (("as trained", 0.2), ("stretched", 5.0)):
        display = plot.BayesErrorDisplay.from_predictions(y, factor * scores, name=name, ax=ax)
    lines = {line.get_label(): line for line in ax.lines}
    broad = lines["as trained, minimum"].get_linewidth()
    assert broad > 2 * display.minimum_line_.get_linewidth()


def test_every_solver_of_a_race_has_its_own_look(ax):
    problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], bias=Regularised(1))
    run = solve(problem, "smo", trace=True)
    plot.traces({f"run {k}": run for k in range(len(_MARKERS))}, ax)
    looks = {(line.get_color(), line.get_linestyle(), line.get_marker()) for line in ax.lines}
    assert len(looks) == len(_MARKERS)


def test_a_class_has_one_marker_in_all_pictures(three):
    X, y = three
    model = SVC().fit(X, y)
    whole, pair = Figure().subplots(1, 2)
    plot.boundary(model, whole, resolution=30)
    plot.boundary(model, pair, machine=2, resolution=30)
    shapes = [
        {c.get_label(): c.get_paths()[0].vertices.tolist() for c in ax.collections if c.get_paths()}
        for ax in (whole, pair)
    ]
    for name in ("y = bee", "y = cat"):
        assert shapes[0][name] == shapes[1][name]


def test_numbers_as_labels_say_that_they_are_classes(ax):
    plot.ScoreHistogramDisplay.from_predictions([0, 0, 1, 1], [0.0, 1.0, 2.0, 3.0], ax=ax)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["class 0", "class 1"]
