"""Draw pictures of the pages with maxmargin.plot when a build begins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from sphinx.application import Sphinx

from maxmargin import SVC, Stop, plot, solve, svm_path
from maxmargin.kernels import RBF, suffix_matrix
from maxmargin.problems import Regularised, SoftMargin

POINTS = [[0, 0], [1, 0], [0, 1], [2, 2], [3, 3], [4, 1], [3, 2]]
LABELS = [-1, -1, -1, 1, 1, 1, -1]


def margin_band(figure: Figure) -> None:
    """Draw the seven points of the theory pages with their machine."""
    axes = figure.subplots()
    machine = SVC(kernel="linear", C=1).fit(POINTS, LABELS)
    plot.boundary(machine, axes, padding=0.15, legend=False)
    axes.set_aspect("equal")
    figure.legend(loc="outside right upper", fontsize="small")


def kkt_path(figure: Figure) -> None:
    """Draw multiplier against margin for two overlapping classes."""
    plot.kkt(solve(overlapping()), figure.subplots())


def convergence(figure: Figure) -> None:
    """Draw the gap of several solvers on one problem."""
    problem = overlapping()
    runs = {
        name: solve(problem, solver=name, trace=True, stop=Stop(max_iter=300))
        for name in ("lbfgsb", "smo", "subgradient", "sgd")
    }
    plot.traces(runs, figure.subplots(), against="iteration")


def bayes_error(figure: Figure) -> None:
    """Compare log-likelihood ratios with scores that are twice as large."""
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 1000)
    ratios = 2.0 * random.normal(size=2000) + np.where(y == 1, 2.0, -2.0)
    axes = figure.subplots()
    plot.BayesErrorDisplay.from_predictions(y, 2.0 * ratios, name="raw", ax=axes)
    plot.BayesErrorDisplay.from_predictions(y, ratios, name="calibrated", ax=axes)


def solution_path(figure: Figure) -> None:
    """Draw the multipliers of two overlapping classes along C."""
    random = np.random.default_rng(1)
    y = np.tile([-1.0, 1.0], 20)
    X = random.normal(size=(40, 2)) + 0.8 * y[:, None]
    plot.path(svm_path(SoftMargin(X, y, C=100, kernel=RBF(0.5))), figure.subplots())


def suffixes(figure: Figure) -> None:
    """Draw the suffix matrix of two words."""
    x, z = "cane", "pane"
    matrix = suffix_matrix(x, z)
    axes = figure.subplots()
    axes.imshow(matrix, cmap="Blues", vmax=2 * matrix.max())
    for (i, j), length in np.ndenumerate(matrix):
        axes.text(j, i, str(length), ha="center", va="center", fontsize="x-large")
    axes.set_xticks(range(len(z)), list(z), fontsize="x-large")
    axes.set_yticks(range(len(x)), list(x), fontsize="x-large")
    axes.xaxis.tick_top()
    axes.tick_params(length=0)


def overlapping() -> SoftMargin:
    random = np.random.default_rng(0)
    y = np.tile([-1.0, 1.0], 40)
    X = random.normal(size=(80, 2)) + 0.8 * y[:, None]
    return SoftMargin(X, y, C=1, kernel=RBF(0.5), bias=Regularised(1))


FIGURES = {
    "margin-band": margin_band,
    "kkt-path": kkt_path,
    "convergence": convergence,
    "bayes-error": bayes_error,
    "solution-path": solution_path,
    "suffix-matrix": suffixes,
}


def draw(app: Sphinx) -> None:
    folder = Path(app.srcdir) / "_build" / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context({"svg.hashsalt": "maxmargin", "svg.fonttype": "none"}):
        for name, fill in FIGURES.items():
            figure = Figure(figsize=(6.4, 4.4), layout="constrained")
            fill(figure)
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None}, bbox_inches="tight")


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", draw)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
