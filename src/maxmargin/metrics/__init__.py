"""The costs of decisions: measures of scores at given priors and costs of errors.

::

    costs       prior and costs as one number: effective prior, Bayes threshold
    detection   dcf, act_dcf, min_dcf and the best threshold at one prior
    all_priors  the Bayes error curve, the equal error rate, cllr and min_cllr
    scorers     the metrics as scikit-learn scorers, by name
    rates       error rates at every threshold, and their convex hull
    inputs      checks of labels, scores and weights

Every function takes O(n log n) time at most, counts equal scores as one threshold, and takes
weights: a point of weight two counts as two points. The prior of the positive class is
`DEFAULT_PRIOR` unless another is given. Pictures are in `maxmargin.plot`.
"""

from maxmargin.metrics.all_priors import (
    BayesErrorCurve,
    bayes_error_curve,
    cllr,
    eer,
    min_cllr,
)
from maxmargin.metrics.costs import (
    DEFAULT_PRIOR,
    bayes_threshold,
    effective_prior,
    log_likelihood_ratio,
)
from maxmargin.metrics.detection import act_dcf, best_threshold, dcf, min_dcf
from maxmargin.metrics.scorers import get_scorer, get_scorer_names, make_dcf_scorer

__all__ = [
    "DEFAULT_PRIOR",
    "BayesErrorCurve",
    "act_dcf",
    "bayes_error_curve",
    "bayes_threshold",
    "best_threshold",
    "cllr",
    "dcf",
    "eer",
    "effective_prior",
    "get_scorer",
    "get_scorer_names",
    "log_likelihood_ratio",
    "make_dcf_scorer",
    "min_cllr",
    "min_dcf",
]
