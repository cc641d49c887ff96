"""Histograms of the scores of two classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D
from matplotlib.patches import StepPatch

from maxmargin.errors import InvalidInputError
from maxmargin.metrics.inputs import scored
from maxmargin.plot.axes import NEGATIVE, POSITIVE, axes_or_new, ink
from maxmargin.plot.responses import decision_scores
from maxmargin.typing import Floats

__all__ = ["ScoreHistogramDisplay"]


class ScoreHistogramDisplay:
    """Scores of two classes, each as a density, in the manner of scikit-learn's displays.

    Both areas are 1, whatever the sizes of the classes; less where given bins leave out scores.
    Make one with `from_estimator` or `from_predictions`.

    Parameters
    ----------
    edges : ndarray of shape (m + 1,)
        Limits of the bins.
    negative, positive : ndarray of shape (m,)
        The density of each class in each bin.
    labels : tuple
        The negative and the positive label.

    Attributes
    ----------
    negative_patch_, positive_patch_ : matplotlib StepPatch
        The two histograms.
    threshold_line_ : matplotlib Line2D or None
        The threshold, if one was given.
    ax_ : matplotlib Axes
        Where they are.
    figure_ : matplotlib Figure
        Its figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from maxmargin.plot import ScoreHistogramDisplay
    >>> y, scores = [1, 1, 0, 0, 0], [4.0, 1.0, 3.0, -1.0, -2.0]
    >>> display = ScoreHistogramDisplay.from_predictions(
    ...     y, scores, bins=3, threshold=0.0, ax=Figure().subplots()
    ... )
    >>> display.edges.tolist(), display.positive.tolist()
    ([-2.0, 0.0, 2.0, 4.0], [0.0, 0.25, 0.25])
    """

    ax_: Axes
    figure_: Figure | SubFigure
    negative_patch_: StepPatch
    positive_patch_: StepPatch
    threshold_line_: Line2D | None

    def __init__(
        self, *, edges: Floats, negative: Floats, positive: Floats, labels: tuple[Any, Any]
    ) -> None:
        self.edges = edges
        self.negative = negative
        self.positive = positive
        self.labels = labels

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        bins: Any = 40,
        threshold: float | None = None,
        sample_weight: Any = None,
        pos_label: Any = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> ScoreHistogramDisplay:
        """Plot the decision values of a fitted estimator.

        Parameters
        ----------
        estimator : classifier of two classes, or outlier detector
            With a ``decision_function``.
        X, y : data
            Points and their labels.
        bins : int, str or array-like
            How many bins, a rule, or their limits; see ``numpy.histogram_bin_edges``.
        threshold : float, optional
            Where to draw a vertical line, such as ``metrics.best_threshold(y, scores)``.
        sample_weight : array-like of shape (n,), optional
            How many points each counts as.
        pos_label : label, optional
            The positive class; ``classes_[1]`` by default.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **options
            For ``Axes.stairs``, both histograms.

        Returns
        -------
        ScoreHistogramDisplay
        """
        scores, positive = decision_scores(estimator, X, pos_label)
        return cls.from_predictions(
            y,
            scores,
            bins=bins,
            threshold=threshold,
            sample_weight=sample_weight,
            pos_label=positive,
            ax=ax,
            **options,
        )

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        scores: Any,
        *,
        bins: Any = 40,
        threshold: float | None = None,
        sample_weight: Any = None,
        pos_label: Any = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> ScoreHistogramDisplay:
        """Plot scores.

        Parameters
        ----------
        y : array-like of shape (n,)
            Labels of two classes, both present.
        scores : array-like of shape (n,)
            One a point, finite.
        bins, threshold, sample_weight, ax, **options : see `from_estimator`
            The same.
        pos_label : label, optional
            The positive class. If y holds {0, 1} or {-1, 1} it is 1 by default.

        Returns
        -------
        ScoreHistogramDisplay
        """
        points = scored(y, scores, pos_label=pos_label, sample_weight=sample_weight)
        if np.isinf(points.score).any():
            raise InvalidInputError("scores contains infinity, which is in no bin: clip them.")
        edges = np.histogram_bin_edges(points.score, bins)
        negative, positive = (
            _density(points.score[side], points.weight[side], edges)
            for side in (~points.positive, points.positive)
        )
        display = cls(edges=edges, negative=negative, positive=positive, labels=points.labels)
        return display.plot(ax, threshold=threshold, **options)

    def plot(
        self, ax: Axes | None = None, *, threshold: float | None = None, **options: Any
    ) -> ScoreHistogramDisplay:
        """Draw both histograms.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        threshold : float, optional
            Where to draw a vertical line.
        **options
            For ``Axes.stairs``, both histograms.

        Returns
        -------
        ScoreHistogramDisplay
            Itself.
        """
        ax = axes_or_new(ax)
        style = {"fill": True, "alpha": 0.55, **options}
        self.negative_patch_, self.positive_patch_ = (
            ax.stairs(density, self.edges, **{"color": colour, "label": str(label), **style})
            for density, colour, label in zip(
                (self.negative, self.positive), (NEGATIVE, POSITIVE), self.labels, strict=True
            )
        )
        self.threshold_line_ = None
        if threshold is not None and np.isfinite(threshold):
            self.threshold_line_ = ax.axvline(
                threshold, color=ink(), linestyle="--", linewidth=1.2, label="threshold"
            )
        ax.set(xlabel="score", ylabel="density")
        ax.legend(fontsize="small")
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _density(score: Floats, weight: Floats, edges: Floats) -> Floats:
    held = np.histogram(score, edges, weights=weight)[0]
    density: Floats = held / (weight.sum() * np.diff(edges))
    return density
