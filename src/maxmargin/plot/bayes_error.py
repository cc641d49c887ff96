"""The Bayes error plot: minimum and actual detection cost over the prior log-odds."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D

from maxmargin.metrics import bayes_error_curve
from maxmargin.plot.axes import GREY, axes_or_new
from maxmargin.plot.responses import decision_scores
from maxmargin.typing import Floats

__all__ = ["BayesErrorDisplay"]

_HIGHEST_SHOWN = 2.0


class BayesErrorDisplay:
    """Bayes error plot in the manner of scikit-learn's displays.

    The gap between the solid line (actual) and the dashed one (minimum) is the cost of
    miscalibration. At the grey line, 1, the scores help no more than the prior alone. Make one
    with `from_estimator` or `from_predictions`.

    Parameters
    ----------
    log_odds, min_dcf, act_dcf : ndarray of shape (m,)
        See `maxmargin.metrics.BayesErrorCurve`, normalised.
    name : str, optional
        What the legend calls the scores.

    Attributes
    ----------
    actual_line_, minimum_line_ : matplotlib Line2D
        The two curves.
    ax_ : matplotlib Axes
        Where they are.
    figure_ : matplotlib Figure
        Its figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from maxmargin.plot import BayesErrorDisplay
    >>> y, scores = [1, 1, 0, 0, 0], [4.0, 1.0, 3.0, -1.0, -2.0]
    >>> display = BayesErrorDisplay.from_predictions(y, scores, ax=Figure().subplots())
    >>> display.ax_.get_xlabel()
    'log-odds of the effective prior'
    """

    ax_: Axes
    figure_: Figure | SubFigure
    actual_line_: Line2D
    minimum_line_: Line2D

    def __init__(
        self, *, log_odds: Floats, min_dcf: Floats, act_dcf: Floats, name: str | None = None
    ) -> None:
        self.log_odds = log_odds
        self.min_dcf = min_dcf
        self.act_dcf = act_dcf
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        log_odds: Any = None,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> BayesErrorDisplay:
        """Judge the decision values of a fitted estimator as log-likelihood ratios, and plot.

        Parameters
        ----------
        estimator : classifier of two classes, or outlier detector
            With a ``decision_function``.
        X, y : data
            Points that it was not fitted on, and their labels.
        log_odds, sample_weight : see `maxmargin.metrics.bayes_error_curve`
            The same.
        pos_label : label, optional
            The positive class; ``classes_[1]`` by default.
        name : str, optional
            For the legend; the name of the estimator's class by default.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **options
            For ``Axes.plot``, both curves.

        Returns
        -------
        BayesErrorDisplay
        """
        scores, positive = decision_scores(estimator, X, pos_label)
        return cls.from_predictions(
            y,
            scores,
            log_odds=log_odds,
            sample_weight=sample_weight,
            pos_label=positive,
            name=type(estimator).__name__ if name is None else name,
            ax=ax,
            **options,
        )

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        scores: Any,
        *,
        log_odds: Any = None,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> BayesErrorDisplay:
        """Judge scores as log-likelihood ratios, and plot.

        Parameters
        ----------
        y, scores, log_odds, sample_weight, pos_label : see `maxmargin.metrics.bayes_error_curve`
            The same.
        name, ax, **options : see `from_estimator`
            The same; without a name the legend says "actual" and "minimum" only.

        Returns
        -------
        BayesErrorDisplay
        """
        odds, minimum, actual = bayes_error_curve(
            y, scores, log_odds, pos_label=pos_label, sample_weight=sample_weight
        )
        display = cls(log_odds=odds, min_dcf=minimum, act_dcf=actual, name=name)
        return display.plot(ax, **options)

    def plot(
        self, ax: Axes | None = None, *, name: str | None = None, **options: Any
    ) -> BayesErrorDisplay:
        """Draw both curves; several displays may share axes.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        name : str, optional
            For the legend, instead of the display's own.
        **options
            For ``Axes.plot``, both curves.

        Returns
        -------
        BayesErrorDisplay
            Itself.
        """
        ax = axes_or_new(ax)
        name = self.name if name is None else name
        prefix = "" if name is None else f"{name}, "
        ax.axhline(1.0, color=GREY, linewidth=0.8, zorder=1)
        style = {"label": f"{prefix}actual", **options}
        (self.actual_line_,) = ax.plot(self.log_odds, self.act_dcf, **style)
        style = {"color": self.actual_line_.get_color(), "linestyle": "--", **options}
        style["label"] = f"{prefix}minimum"
        (self.minimum_line_,) = ax.plot(self.log_odds, self.min_dcf, **style)
        highest = max(float(np.max(np.asarray(line.get_ydata()))) for line in ax.lines)
        ax.set(
            xlabel="log-odds of the effective prior",
            ylabel="normalised DCF",
            ylim=(0.0, min(_HIGHEST_SHOWN, 1.1 * highest)),
        )
        ax.legend(fontsize="small")
        self.ax_, self.figure_ = ax, ax.figure
        return self
