"""The Bayes error curve against one evaluation a prior."""

import numpy as np
import pytest
from scipy.special import expit

from maxmargin.metrics import act_dcf, bayes_error_curve, bayes_threshold, min_dcf

LOG_ODDS = np.linspace(-6, 6, 25)


@pytest.mark.parametrize("normalize", [True, False])
def test_each_point_of_the_curve_is_the_cost_at_its_prior(sample, normalize):
    y, scores, weight = sample
    found = bayes_error_curve(y, scores, LOG_ODDS, normalize=normalize, sample_weight=weight)
    assert found.log_odds is not LOG_ODDS
    np.testing.assert_array_equal(found.log_odds, LOG_ODDS)
    priors = expit(LOG_ODDS)
    options = {"normalize": normalize, "sample_weight": weight}
    minimum = [min_dcf(y, scores, prior, **options) for prior in priors]
    actual = [act_dcf(y, scores, prior, **options) for prior in priors]
    np.testing.assert_allclose(found.min_dcf, minimum, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(found.act_dcf, actual, rtol=1e-12, atol=1e-14)


def test_costs_are_found_at_the_log_odds_of_their_effective_prior(sample):
    y, scores, weight = sample
    application = (0.2, 3.0, 5.0)
    curve = bayes_error_curve(y, scores, [-bayes_threshold(*application)], sample_weight=weight)
    minimum = min_dcf(y, scores, *application, sample_weight=weight)
    assert curve.min_dcf[0] == pytest.approx(minimum, rel=1e-12)


def test_the_minimum_bayes_error_is_concave_in_the_prior(sample):
    y, scores, weight = sample
    priors = np.linspace(0.01, 0.99, 99)
    log_odds = np.log(priors / (1 - priors))
    curve = bayes_error_curve(y, scores, log_odds, normalize=False, sample_weight=weight)
    assert (np.diff(curve.min_dcf, 2) <= 1e-14).all()


def test_by_default_it_spans_five_either_way():
    log_odds, minimum, actual = bayes_error_curve([0, 1], [-1.0, 1.0])
    assert (log_odds[0], log_odds[50], log_odds[-1]) == (-5.0, 0.0, 5.0)
    assert len(minimum) == len(actual) == 101
    assert not minimum.any()


def test_extreme_priors_do_not_overflow():
    curve = bayes_error_curve([0, 1, 0, 1], [-1.0, 1.0, 2.0, 0.0], [-700.0, 700.0])
    np.testing.assert_array_equal(curve.act_dcf, [1.0, 1.0])
    assert np.isfinite(curve.min_dcf).all()
