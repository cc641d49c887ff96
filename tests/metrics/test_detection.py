"""Detection costs against their definitions, over all thresholds."""

import math

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, det_curve

from maxmargin.metrics import (
    act_dcf,
    bayes_threshold,
    best_threshold,
    dcf,
    effective_prior,
    log_likelihood_ratio,
    min_dcf,
)

from . import brute_force

APPLICATIONS = [(0.1, 1.0, 1.0), (0.5, 1.0, 1.0), (0.01, 10.0, 1.0), (0.9, 1.0, 5.0)]


@pytest.mark.parametrize("application", APPLICATIONS)
def test_the_minimum_is_that_over_all_thresholds(sample, application):
    y, scores, weight = sample
    expected = brute_force.min_dcf(y, scores, weight, *application)
    found = min_dcf(y, scores, *application, sample_weight=weight)
    assert found == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("application", APPLICATIONS)
@pytest.mark.parametrize("threshold", [None, 0.0, 1.0])
def test_the_actual_cost_is_that_of_its_threshold(sample, application, threshold):
    y, scores, weight = sample
    prior, cost_fn, cost_fp = application
    cut = -math.log(prior * cost_fn / ((1 - prior) * cost_fp)) if threshold is None else threshold
    pair = brute_force.rates(y, scores, weight, cut)
    for normalize in (True, False):
        expected = brute_force.cost(pair, *application, normalize)
        found = act_dcf(
            y, scores, *application, threshold=threshold, normalize=normalize, sample_weight=weight
        )
        assert found == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("application", APPLICATIONS)
def test_the_best_threshold_costs_the_minimum(sample, application):
    y, scores, weight = sample
    threshold = best_threshold(y, scores, *application, sample_weight=weight)
    cost = act_dcf(y, scores, *application, threshold=threshold, sample_weight=weight)
    minimum = min_dcf(y, scores, *application, sample_weight=weight)
    assert cost == pytest.approx(minimum, abs=1e-13)
    assert threshold not in scores


@pytest.mark.parametrize("application", APPLICATIONS)
def test_decisions_cost_what_their_threshold_costs(sample, application):
    y, scores, weight = sample
    y_pred = (scores > 0.5).astype(int)
    decided = dcf(y, y_pred, *application, sample_weight=weight)
    assert decided == act_dcf(y, scores, *application, threshold=0.5, sample_weight=weight)


@pytest.mark.parametrize("application", APPLICATIONS)
def test_scikit_learn_counts_the_same_errors(sample, application):
    y, scores, weight = sample
    matrix = confusion_matrix(y, scores > 0.5, sample_weight=weight, normalize="true")
    decided = dcf(y, (scores > 0.5).astype(int), *application, sample_weight=weight)
    pair = matrix[1, 0], matrix[0, 1]
    assert decided == pytest.approx(brute_force.cost(pair, *application), rel=1e-13)
    false_alarms, misses, _ = det_curve(y, scores, sample_weight=weight)
    costs = brute_force.cost((misses, false_alarms), *application)
    minimum = min_dcf(y, scores, *application, sample_weight=weight)
    assert minimum == pytest.approx(min(1.0, costs.min()), abs=1e-13)


def test_the_trivial_decisions_cost_one_and_the_ratio_of_the_costs():
    y = [0, 0, 0, 1, 1]
    assert dcf(y, [0] * 5, prior=0.1) == 1.0
    assert dcf(y, [1] * 5, prior=0.1) == pytest.approx(9.0)
    assert dcf(y, [1] * 5, prior=0.5, cost_fn=3, normalize=False) == 0.5
    assert min_dcf(y, [7.0] * 5) == 1.0


def test_a_single_score_that_separates_nothing_is_best_ignored():
    assert best_threshold([0, 1], [3.0, 3.0], prior=0.1) == math.inf
    assert best_threshold([0, 1], [3.0, 3.0], prior=0.9) == -math.inf


def test_there_is_a_threshold_between_neighbouring_numbers():
    for lower in (1.0, -1.0, 5e-324, 1e308):
        upper = math.nextafter(lower, math.inf)
        threshold = best_threshold([0, 1], [lower, upper])
        assert lower <= threshold < upper
        assert act_dcf([0, 1], [lower, upper], threshold=threshold) == 0.0


def test_infinite_scores_are_scores():
    y, scores = [0, 0, 1, 1], [-np.inf, 2.0, 1.0, np.inf]
    assert min_dcf(y, scores, prior=0.1) == 0.5
    assert act_dcf(y, scores, prior=0.5) == 0.5
    assert act_dcf(y, scores, threshold=-np.inf) == pytest.approx(4.5)
    assert act_dcf(y, scores, threshold=np.inf) == 1.0


def test_the_effective_prior_stands_for_prior_and_costs():
    y, scores = [0, 1, 0, 1, 0, 1], [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0]
    prior, cost_fn, cost_fp = 0.3, 2.0, 7.0
    effective = effective_prior(prior, cost_fn, cost_fp)
    assert effective == pytest.approx(0.6 / (0.6 + 4.9))
    assert bayes_threshold(prior, cost_fn, cost_fp) == pytest.approx(bayes_threshold(effective))
    for metric in (act_dcf, min_dcf):
        assert metric(y, scores, prior, cost_fn, cost_fp) == pytest.approx(
            metric(y, scores, effective)
        )


def test_equal_odds_are_decided_by_the_sign():
    assert bayes_threshold(0.5, 3.0, 3.0) == 0.0
    assert bayes_threshold(0.25, 3.0, 1.0) == 0.0


def test_the_bayes_decision_on_ratios_is_that_on_posteriors():
    posterior = np.array([0.02, 0.2, 0.49, 0.51, 0.999])
    ratio = log_likelihood_ratio(posterior, prior=0.4)
    # At the prior of training and unit costs, positive is whatever is more probable than not.
    np.testing.assert_array_equal(ratio > bayes_threshold(0.4), posterior > 0.5)
    np.testing.assert_allclose(posterior, 1 / (1 + np.exp(-ratio - np.log(0.4 / 0.6))), rtol=1e-13)
    assert log_likelihood_ratio([0.0, 1.0], 0.3).tolist() == [-np.inf, np.inf]


def test_labels_of_any_kind_name_the_same_classes():
    scores = np.array([0.3, 2.0, -1.0, 0.1])
    numeric = np.array([0, 1, 0, 1])
    expected = min_dcf(numeric, scores)
    assert min_dcf(numeric.astype(bool), scores) == expected
    assert min_dcf(2 * numeric - 1, scores) == expected
    assert min_dcf(numeric.astype(float), scores) == expected
    for names in (["ham", "spam"], [7, 3]):
        y = np.array(names)[numeric]
        assert min_dcf(y, scores, pos_label=names[1]) == expected
        assert min_dcf(y.astype(object), scores, pos_label=names[1]) == expected
        assert min_dcf(list(y), list(scores), pos_label=names[1]) == expected


def test_frames_are_taken():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"y": ["a", "b", "a", "b"], "s": [0.3, 2.0, -1.0, 0.1], "w": 1})
    frame.index = [3, 1, 2, 0]
    found = min_dcf(frame["y"], frame["s"], pos_label="b", sample_weight=frame["w"])
    assert found == min_dcf([0, 1, 0, 1], [0.3, 2.0, -1.0, 0.1])
