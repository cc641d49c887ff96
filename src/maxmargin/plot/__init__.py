"""Pictures of solutions, models, certificates, scores and searches (extra "plot").

::

    boundaries   boundary: a model on the plane, or a regression on the line
    conditions   kkt: multiplier against margin, with the path that optimality allows
    convergence  traces: the duality gap of several runs over time
    paths        path: multipliers or margins along C
    bayes_error  display: detection cost over all priors, minimum and actual
    histograms   display: the scores of two classes
    search       heat_map and score_curves: the scores of a search
    score_table  the scores of a search as a table
    subjects     the machines that are drawn, and the transformers before them
    views        the coordinates in which they are drawn
    planes       contour lines and areas of a function on the plane
    marks        support vectors and slacks
    displays     what the displays share: the scores of any estimator
    axes         new axes, colours, legends

Each function takes a `Solution`, a fitted estimator of this library, or a pipeline or search that
ends in one; the best estimator of a search is drawn. ``machine=k`` picks one of several machines.
`kkt` also takes certificates, `traces` lists of runs, `path` what `svm_path` returns. `heat_map`
and `score_curves` need a search. A model that was pickled or read from a file holds no training
data and cannot be drawn.

Every function takes Axes and returns them; without any it makes a new figure. Displays are classes
in scikit-learn's manner. scikit-learn's own DetCurveDisplay, RocCurveDisplay and CalibrationDisplay
work with the estimators of this library.
"""

from maxmargin.errors import MissingDependencyError

try:
    from maxmargin.plot.bayes_error import BayesErrorDisplay
    from maxmargin.plot.boundaries import boundary
    from maxmargin.plot.conditions import kkt
    from maxmargin.plot.convergence import traces
    from maxmargin.plot.histograms import ScoreHistogramDisplay
    from maxmargin.plot.paths import path
    from maxmargin.plot.search import heat_map, score_curves
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
