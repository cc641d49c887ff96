"""Histograms of the scores of two classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import StepPatch

from maxmargin.errors import InvalidInputError
from maxmargin.metrics.inputs import scored
from maxmargin.plot.axes import NEGATIVE, POSITIVE, add_legend, axes_or_new, class_text, ink
from maxmargin.plot.displays import ScoreDisplay
from maxmargin.typing import Floats

__all__ = ["ScoreHistogramDisplay"]


@dataclass(kw_only=True, eq=False, repr=False)
class ScoreHistogramDisplay(ScoreDisplay):
    """Scores of two classes, each as a density, in the manner of scikit-learn's displays.

    Both areas are 1, whatever the sizes of the classes, unless the given bins leave out scores.
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

    edges: Floats
    negative: Floats
    positive: Floats
    labels: tuple[Any, Any]
    negative_patch_: StepPatch = field(init=False)
    positive_patch_: StepPatch = field(init=False)
    threshold_line_: Line2D | None = field(init=False)

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
    ) -> Self:
        """Plot scores.

        Parameters
        ----------
        y, sample_weight, pos_label
            See `maxmargin.metrics.dcf`.
        scores : array-like of shape (n,)
            One per point, finite.
        bins : int, str or array-like
            How many bins, a rule, or their limits; see ``numpy.histogram_bin_edges``.
        threshold, ax, **options
            See `plot`.

        Returns
        -------
        ScoreHistogramDisplay
        """
        points = scored(y, scores, pos_label=pos_label, sample_weight=sample_weight)
        if np.isinf(points.score).any():
            raise InvalidInputError("scores contains infinity, which is in no bin: clip them.")
        edges = np.histogram_bin_edges(points.score, bins)
        negative, positive = (
            np.histogram(points.score[side], edges, weights=points.weight[side])[0]
            / (points.weight[side].sum() * np.diff(edges))
            for side in (~points.positive, points.positive)
        )
        display = cls(edges=edges, negative=negative, positive=positive, labels=points.labels)
        return display.plot(ax, threshold=threshold, **options)

    def plot(
        self, ax: Axes | None = None, *, threshold: float | None = None, **options: Any
    ) -> Self:
        """Draw both histograms.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        threshold : float, optional
            Where to draw a vertical line, such as ``metrics.best_threshold(y, scores)``.
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
            ax.stairs(density, self.edges, **{"color": colour, "label": class_text(label), **style})
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
        add_legend(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self
