"""Bad input is refused with a sentence that names it."""

import numpy as np
import pytest

from maxmargin import InvalidInputError
from maxmargin.metrics import (
    act_dcf,
    bayes_error_curve,
    bayes_threshold,
    best_threshold,
    cllr,
    dcf,
    eer,
    effective_prior,
    log_likelihood_ratio,
    min_cllr,
    min_dcf,
)

METRICS = [act_dcf, min_dcf, best_threshold, bayes_error_curve, eer, cllr, min_cllr]

GOOD = [0, 1, 0, 1], [-1.0, 1.0, 0.5, 2.0]

WRONG_POINTS = [
    ([0, 1, 2], [1.0, 2.0, 3.0], {}, r"y holds 3 labels \(0, 1, 2\)"),
    (range(9), np.arange(9.0), {}, r"y holds 9 labels \(0, 1, 2, 3, 4, \.\.\.\)"),
    ([1, 1], [1.0, 2.0], {}, "y holds one class only, 1"),
    (["a", "b"], [1.0, 2.0], {}, r"y holds the labels 'a', 'b': say with pos_label"),
    ([2, 3], [1.0, 2.0], {}, r"y holds the labels 2, 3: say with pos_label"),
    ([0, -1], [1.0, 2.0], {}, r"y holds the labels -1, 0: say with pos_label"),
    (["a", "b"], [1.0, 2.0], {"pos_label": "c"}, "pos_label is 'c', which is not among"),
    ([0.0, np.nan], [1.0, 2.0], {}, "y contains NaN"),
    ([0, None], [1.0, 2.0], {}, "y must hold labels of one kind"),
    ([[0, 1]], [1.0, 2.0], {}, r"y must be one-dimensional.*\(1, 2\)"),
    ([[0], [0, 1]], [1.0, 2.0], {}, "y must hold one label per point"),
    ([], [], {}, "y is empty"),
    ([0, 1], [1.0], {}, "scores has 1 values for 2 labels"),
    ([0, 1], [[0.3, 0.7], [0.2, 0.8]], {}, "scores must be one-dimensional.*predict_proba"),
    ([0, 1], ["high", "low"], {}, "scores must hold real numbers"),
    ([0, 1], [1j, 2.0], {}, "scores must hold real numbers: their type is complex128"),
    ([0, 1], [np.nan, 2.0], {}, "scores contains NaN"),
    ([0, 1], [1.0, 2.0], {"sample_weight": [1.0]}, "sample_weight has 1 values for 2"),
    ([0, 1], [1.0, 2.0], {"sample_weight": [1.0, -1.0]}, "sample_weight must be zero or more"),
    ([0, 1], [1.0, 2.0], {"sample_weight": [1, 0]}, "sample_weight is zero for every.* label 1"),
    ([0, 1], [1.0, 2.0], {"sample_weight": [0, 1]}, "sample_weight is zero for every.* label 0"),
]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.__name__)
@pytest.mark.parametrize(("y", "scores", "options", "sentence"), WRONG_POINTS)
def test_points(metric, y, scores, options, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        metric(y, scores, **options)


WRONG_COSTS = [
    ((0.0,), "prior must lie strictly between 0 and 1"),
    ((1.0,), "prior must lie strictly between 0 and 1"),
    ((-0.1,), "prior must lie strictly between 0 and 1"),
    ((np.nan,), "prior must be a finite number"),
    (("half",), "prior must be a number"),
    ((0.5, 0.0), "cost_fn must be greater than zero"),
    ((0.5, 1.0, -1.0), "cost_fp must be greater than zero"),
    ((0.5, np.inf), "cost_fn must be a finite number"),
    ((0.5, 1e-200, 1e200), "weigh the two errors so differently"),
    ((1e-300, 1e-100), "weigh the two errors so differently"),
]


@pytest.mark.parametrize(("costs", "sentence"), WRONG_COSTS)
def test_prior_and_costs(costs, sentence):
    for metric in (act_dcf, min_dcf, best_threshold):
        with pytest.raises(InvalidInputError, match=sentence):
            metric(*GOOD, *costs)
    for function in (effective_prior, bayes_threshold):
        with pytest.raises(InvalidInputError, match=sentence):
            function(*costs)


def test_decisions():
    with pytest.raises(InvalidInputError, match=r"y_pred holds 0\.5.*scores to act_dcf"):
        dcf([0, 1], [0.5, 1.0])
    with pytest.raises(InvalidInputError, match=r"y_pred holds 'b'"):
        dcf([0, 1], ["b", "a"])
    with pytest.raises(InvalidInputError, match="y_pred has 1 values for 2"):
        dcf([0, 1], [1])
    with pytest.raises(InvalidInputError, match="y_pred contains NaN"):
        dcf([0, 1], [1, np.nan])


def test_options():
    with pytest.raises(InvalidInputError, match="method must be 'hull' or 'interpolated'"):
        eer(*GOOD, method="exact")
    with pytest.raises(InvalidInputError, match="threshold must be a finite number"):
        act_dcf(*GOOD, threshold=np.nan)
    with pytest.raises(InvalidInputError, match="threshold must be a number"):
        act_dcf(*GOOD, threshold=[0, 1])
    with pytest.raises(InvalidInputError, match="log_odds must lie between -700 and 700"):
        bayes_error_curve(*GOOD, [0.0, -np.inf])
    with pytest.raises(InvalidInputError, match="log_odds contains NaN"):
        bayes_error_curve(*GOOD, [np.nan])
    with pytest.raises(InvalidInputError, match=r"scores contains infinity.*clip"):
        best_threshold([0, 1], [1.0, np.inf])
    with pytest.raises(InvalidInputError, match=r"probability must lie in \[0, 1\]"):
        log_likelihood_ratio([0.5, 1.5], 0.5)
