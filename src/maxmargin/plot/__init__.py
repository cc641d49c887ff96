"""Pictures of solutions, traces, certificates, scores and searches (extra "plot").

::

    boundary    a machine on the plane, or a regression on the line
    traces      the duality gap of several solvers over time
    kkt         multiplier against margin, with the path that optimality allows
    bayes_error display: detection cost over all priors, minimum and actual
    histograms  display: the scores of two classes
    path        multipliers or margins along C
    search      a search's scores: a heat map, curves
    axes        what they share: new axes, colours, marks of support vectors
    view        the part of the input space that is shown
    slacks      from each point that has slack to its margin line
    curve       the drawing of a regression
    responses   the scores of an estimator

Every function takes Axes and returns them; without any it makes a new figure. Displays are classes
in scikit-learn's manner. Its own DetCurveDisplay, RocCurveDisplay and CalibrationDisplay work with
the estimators of this library.
"""

from maxmargin.errors import MissingDependencyError

try:
    from maxmargin.plot.bayes_error import BayesErrorDisplay
    from maxmargin.plot.boundary import boundary
    from maxmargin.plot.histograms import ScoreHistogramDisplay
    from maxmargin.plot.kkt import kkt
    from maxmargin.plot.path import path
    from maxmargin.plot.search import heat_map, score_curves
    from maxmargin.plot.traces import traces
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "matplotlib":
        raise
    raise MissingDependencyError(
        "maxmargin.plot needs matplotlib: install it with pip install 'maxmargin[plot]'."
    ) from None

__all__ = [
    "BayesErrorDisplay",
    "ScoreHistogramDisplay",
    "boundary",
    "heat_map",
    "kkt",
    "path",
    "score_curves",
    "traces",
]
