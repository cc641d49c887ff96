"""The Bayes error plot: minimum and actual detection cost over the prior log-odds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from maxmargin.metrics import bayes_error_curve
from maxmargin.plot.axes import GREY, add_legend, axes_or_new, reveal_hidden
from maxmargin.plot.displays import ScoreDisplay
from maxmargin.typing import Floats

__all__ = ["BayesErrorDisplay"]

# Normalised cost at the top of the picture, however high the actual cost: the minimum is at most 1.
_HIGHEST_SHOWN = 2.0


@dataclass(kw_only=True, eq=False, repr=False)
class BayesErrorDisplay(ScoreDisplay):
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

    log_odds: Floats
    min_dcf: Floats
    act_dcf: Floats
    name: str | None = None
    actual_line_: Line2D = field(init=False)
    minimum_line_: Line2D = field(init=False)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, name: str | None = None, **options: Any
    ) -> Self:
        """Judge the decision values of a fitted estimator as log-likelihood ratios, and plot.

        Parameters
        ----------
        estimator, X, y, sample_weight, pos_label, machine
            See `ScoreHistogramDisplay.from_estimator`.
        name : str, optional
            For the legend; the name of the estimator's class by default.
        **options
            Passed on to `from_predictions`.

        Returns
        -------
        BayesErrorDisplay
        """
        name = type(estimator).__name__ if name is None else name
        return super().from_estimator(estimator, X, y, name=name, **options)

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
    ) -> Self:
        """Judge scores as log-likelihood ratios, and plot.

        Parameters
        ----------
        y, scores, log_odds, sample_weight, pos_label
            See `maxmargin.metrics.bayes_error_curve`.
        name : str, optional
            For the legend, which says "actual" and "minimum" only without it.
        ax, **options
            See `plot`.

        Returns
        -------
        BayesErrorDisplay
        """
        odds, minimum, actual = bayes_error_curve(
            y, scores, log_odds, pos_label=pos_label, sample_weight=sample_weight
        )
        display = cls(log_odds=odds, min_dcf=minimum, act_dcf=actual, name=name)
        return display.plot(ax, **options)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **options: Any) -> Self:
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
        reveal_hidden(ax)
        add_legend(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self
