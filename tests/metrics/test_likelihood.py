"""Cllr and its minimum against definitions, integrals and isotonic calibration."""

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import log_loss

from maxmargin.metrics import bayes_error_curve, cllr, log_likelihood_ratio, min_cllr

from . import brute_force


def test_it_is_the_mean_of_the_bits_left_unknown(sample):
    y, scores, weight = sample
    expected = brute_force.cllr(y, scores, weight)
    assert cllr(y, scores, sample_weight=weight) == pytest.approx(expected, rel=1e-13)


def test_with_balanced_classes_it_is_the_log_loss_in_bits(sample):
    y, scores, weight = sample
    balanced = np.where(y == 1, weight / weight[y == 1].sum(), weight / weight[y == 0].sum())
    probability = 1 / (1 + np.exp(-scores))
    expected = log_loss(y, probability, sample_weight=balanced) / np.log(2)
    assert cllr(y, scores, sample_weight=weight) == pytest.approx(expected, rel=1e-12)


def test_the_minimum_is_reached_by_the_max_min_formula_of_isotonic_regression(sample):
    y, scores, weight = sample
    expected = brute_force.min_cllr(y, scores, weight)
    assert min_cllr(y, scores, sample_weight=weight) == pytest.approx(expected, abs=1e-13)


def test_the_minimum_is_reached_by_isotonic_calibration(sample):
    y, scores, weight = sample
    fitted = IsotonicRegression().fit(scores, y, sample_weight=weight).predict(scores)
    prior = np.average(y, weights=weight)
    ratios = log_likelihood_ratio(np.clip(fitted, 0, 1), prior)
    reached = cllr(y, ratios, sample_weight=weight)
    assert min_cllr(y, scores, sample_weight=weight) == pytest.approx(reached, abs=1e-12)


def test_both_are_integrals_of_the_bayes_error_over_the_log_odds(sample):
    y, scores, weight = sample
    log_odds = np.linspace(-40, 40, 400_001)
    curve = bayes_error_curve(y, scores, log_odds, normalize=False, sample_weight=weight)
    for values, found in (
        (curve.act_dcf, cllr(y, scores, sample_weight=weight)),
        (curve.min_dcf, min_cllr(y, scores, sample_weight=weight)),
    ):
        integral = np.trapezoid(values, log_odds) / (2 * np.log(2))
        assert found == pytest.approx(integral, abs=2e-4)


def test_scores_that_say_nothing_leave_one_bit():
    assert cllr([0, 1, 1], [0.0, 0.0, 0.0]) == 1.0
    assert min_cllr([0, 1, 1], [5.0, 5.0, 5.0]) == pytest.approx(1.0, rel=1e-15)
    assert min_cllr([1, 1, 0], [-1.0, -2.0, 3.0]) == pytest.approx(1.0, rel=1e-15)


def test_certainty_costs_nothing_if_right_and_everything_if_wrong():
    assert cllr([0, 1], [-np.inf, np.inf]) == 0.0
    assert cllr([0, 1], [np.inf, np.inf]) == np.inf
    assert min_cllr([0, 0, 1], [-np.inf, 1.0, np.inf]) == 0.0
    assert cllr([0, 1, 0], [-1.0, 1.0, np.inf], sample_weight=[1, 1, 0]) < 1.0


def test_large_scores_do_not_overflow():
    assert cllr([0, 1], [1e4, 1e4]) == pytest.approx(5e3 / np.log(2))
