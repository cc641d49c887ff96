"""From scores to log-likelihood ratios: what is known in closed form, and what others compute."""

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from maxmargin.calibration.calibrators import CALIBRATIONS
from maxmargin.metrics import act_dcf, cllr, min_cllr, min_dcf

from .conftest import MEAN, gaussian_scores


def calibrate(method, y, scores, weight=None, prior=0.5):
    weight = np.ones(len(y)) if weight is None else weight
    return CALIBRATIONS[method](np.asarray(scores), np.asarray(y) == 1, weight, prior)


def integer_weights(n):
    return np.random.default_rng(3).integers(1, 5, size=n).astype(float)


each_method = pytest.mark.parametrize("method", CALIBRATIONS)


@each_method
@pytest.mark.parametrize("share", [0.1, 0.5])
def test_they_find_the_ratio_of_gaussian_scores(method, share):
    y, scores, _ = gaussian_scores(100_000, share, seed=0)
    at = np.linspace(-1.5, 1.5, 31)
    found = calibrate(method, y, scores).log_likelihood_ratio(at)
    np.testing.assert_allclose(found, 2 * MEAN * at, atol=0.3 if method == "isotonic" else 0.1)


@each_method
@pytest.mark.parametrize("prior", [0.05, 0.5, 0.8])
def test_the_threshold_of_a_prior_costs_hardly_more_than_the_best_one(method, prior):
    y, scores, _ = gaussian_scores(20_000, 0.4, seed=1)
    calibrator = calibrate(method, y, scores, prior=prior)
    y_new, new, truth = gaussian_scores(40_000, 0.5, seed=2)
    ratios = calibrator.log_likelihood_ratio(new)
    least = min_dcf(y_new, new, prior=prior)
    assert act_dcf(y_new, ratios, prior=prior) - least < 0.03
    assert act_dcf(y_new, truth, prior=prior) - least < 0.03
    assert cllr(y_new, ratios) - min_cllr(y_new, new) < 0.02


@pytest.mark.parametrize("method", ["platt", "logistic"])
def test_a_line_keeps_the_order_and_so_the_minimum(method):
    y, scores, _ = gaussian_scores(500, 0.4, seed=4)
    ratios = calibrate(method, y, scores, prior=0.2).log_likelihood_ratio(scores)
    for prior in (0.01, 0.3, 0.9):
        assert min_dcf(y, ratios, prior=prior) == min_dcf(y, scores, prior=prior)


def test_the_ratio_of_the_logistic_hardly_depends_on_its_prior():
    y, scores, _ = gaussian_scores(100_000, 0.3, seed=5)
    found = [
        calibrate("logistic", y, scores, prior=prior).log_likelihood_ratio(np.array([-1.0, 1.0]))
        for prior in (0.02, 0.5, 0.95)
    ]
    np.testing.assert_allclose(found[0], found[1], atol=0.15)
    np.testing.assert_allclose(found[2], found[1], atol=0.15)


@pytest.mark.parametrize("weighted", [False, True])
def test_platt_is_that_of_scikit_learn(weighted):
    y, scores, _ = gaussian_scores(300, 0.3, seed=6)
    weight = integer_weights(300) if weighted else None
    ours = calibrate("platt", y, scores, weight)
    theirs = _SigmoidCalibration().fit(scores, y, sample_weight=weight)
    posterior = expit(ours.log_likelihood_ratio(scores) + logit(ours.prior))
    np.testing.assert_allclose(posterior, theirs.predict(scores), atol=2e-5)


@pytest.mark.parametrize("prior", [0.05, 0.5])
def test_the_logistic_is_a_regression_with_weighted_classes(prior):
    y, scores, _ = gaussian_scores(400, 0.3, seed=7)
    ours = calibrate("logistic", y, scores, prior=prior)
    weight = np.where(y == 1, prior / np.mean(y == 1), (1 - prior) / np.mean(y == 0))
    theirs = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-12)
    theirs.fit(scores[:, None], y, sample_weight=weight)
    assert ours.slope == pytest.approx(theirs.coef_[0, 0], rel=1e-6)
    assert ours.shift == pytest.approx(theirs.intercept_[0] - logit(prior), abs=1e-6)


def test_isotonic_is_that_of_scikit_learn_and_never_falls():
    y, scores, _ = gaussian_scores(300, 0.4, seed=8)
    calibrator = calibrate("isotonic", y, scores)
    at = np.linspace(-9, 9, 200)
    ratios = calibrator.log_likelihood_ratio(at)
    assert (np.diff(ratios) >= 0).all()
    assert np.isfinite(ratios).all()
    theirs = IsotonicRegression(out_of_bounds="clip").fit(scores, y).predict(at)
    inside = np.clip(theirs, 1 / 302, 301 / 302)
    np.testing.assert_allclose(expit(ratios + logit(calibrator.prior)), inside, rtol=1e-9)


@each_method
def test_a_weight_counts_points(method):
    y, scores, _ = gaussian_scores(60, 0.4, seed=9)
    weight = integer_weights(60)
    times = weight.astype(int)
    weighted = calibrate(method, y, scores, weight, prior=0.2)
    repeated = calibrate(method, y.repeat(times), scores.repeat(times), prior=0.2)
    at = np.linspace(-3, 3, 25)
    np.testing.assert_allclose(
        weighted.log_likelihood_ratio(at), repeated.log_likelihood_ratio(at), rtol=1e-9, atol=1e-9
    )


@each_method
@pytest.mark.parametrize("way", [1.0, -1.0])
def test_separated_scores_leave_the_ratio_finite(method, way):
    scores = way * np.array([-2.0, -1.0, 1.0, 2.0, 3.0])
    ratios = calibrate(method, [0, 0, 1, 1, 1], scores).log_likelihood_ratio(scores)
    assert np.isfinite(ratios).all()
    if way > 0 or method != "isotonic":
        assert (ratios[:2] < ratios[2:].min()).all()


@pytest.mark.parametrize("prior", [0.01, 0.5, 0.9])
def test_separated_classes_are_evidence_by_their_number(prior):
    """Laplace: of n points on one side, the next is there with probability (n + 1) / (n + 2)."""
    scores = np.array([-1.0, -1.0, -1.0, 1.0, 1.0])
    ratios = calibrate("logistic", scores > 0, scores, prior=prior).log_likelihood_ratio([-1, 1])
    expected = np.log([(1 / 4) / (4 / 5), (3 / 4) / (1 / 5)])
    np.testing.assert_allclose(ratios, expected, rtol=1e-6)


def test_many_separated_points_are_strong_evidence():
    scores = np.repeat([-2.0, -1.0, 1.0, 2.0], 20_000)
    ratios = calibrate("logistic", scores > 0, scores, prior=0.1).log_likelihood_ratio(scores)
    assert ratios[scores < 0].max() < -5
    assert ratios[scores > 0].min() > 5


def test_the_logistic_does_not_depend_on_the_unit_of_the_scores():
    y, scores, _ = gaussian_scores(400, 0.3, seed=10)
    moved = 1e4 * scores - 3e5
    once, again = (calibrate("logistic", y, s, prior=0.2) for s in (scores, moved))
    ratios = once.log_likelihood_ratio(scores)
    np.testing.assert_allclose(again.log_likelihood_ratio(moved), ratios, rtol=1e-6, atol=1e-6)


def test_a_class_given_twice_does_not_change_the_logistic():
    y, scores, _ = gaussian_scores(400, 0.3, seed=11)
    positive = y == 1
    twice = np.concatenate([scores, scores[positive]]), np.concatenate([y, y[positive]])
    once, again = (calibrate("logistic", t, s, prior=0.2) for s, t in ((scores, y), twice))
    assert (again.slope, again.shift) == pytest.approx((once.slope, once.shift), rel=1e-6)


@each_method
def test_scores_that_say_nothing_have_a_ratio_of_zero(method):
    ratios = calibrate(method, [0, 1, 0, 1, 0, 0], np.full(6, 0.7)).log_likelihood_ratio([0.7])
    # Platt's targets draw the rarer class in a little more.
    np.testing.assert_allclose(ratios, 0.0, atol=0.3 if method == "platt" else 1e-12)
