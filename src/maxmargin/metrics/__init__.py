"""The costs of decisions: what scores are worth for given priors and prices of errors.

::

    costs        prior and costs as one number: effective prior, Bayes threshold
    detection    dcf, act_dcf, min_dcf and the best threshold
    bayes_error  act_dcf and min_dcf over all priors
    equal_error  the rate at which both kinds of error are equal
    likelihood   cllr, min_cllr: scores as log-likelihood ratios, averaged over all priors
    scorers      all of them as scikit-learn scorers, by name
    rates        error rates at every threshold, and their convex hull
    inputs       checks of labels, scores and weights

Every function costs n log n at most, counts equal scores as one threshold, and takes weights:
a point of weight two counts as two points. Pictures are in `maxmargin.plot`.
"""

from maxmargin.metrics.bayes_error import BayesErrorCurve, bayes_error_curve
from maxmargin.metrics.costs import bayes_threshold, effective_prior, log_likelihood_ratio
from maxmargin.metrics.detection import act_dcf, best_threshold, dcf, min_dcf
from maxmargin.metrics.equal_error import eer
from maxmargin.metrics.likelihood import cllr, min_cllr
from maxmargin.metrics.scorers import get_scorer, get_scorer_names, make_dcf_scorer

__all__ = [
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
