import numpy as np
import pytest
from sklearn.metrics import det_curve
from sklearn.svm import OneClassSVM

from maxmargin.metrics import bayes_error_curve, cllr, min_cllr


def test_the_equal_error_rate_is_the_largest_bayes_error(run):
    shown = run("decisions/every_prior_at_once")
    for name, scores in shown.scores.items():
        assert shown.rates[name] == pytest.approx(shown.worst[name], abs=1e-4)
        curve = bayes_error_curve(shown.y_test, scores)
        assert np.all(curve.min_dcf <= curve.act_dcf + 1e-12)
        alarms, misses, _ = det_curve(shown.y_test, scores)
        # The hull lies below the curve.
        assert shown.rates[name] <= np.maximum(alarms, misses).min() + 1e-12
    raw, calibrated = (shown.scores[name] for name in ("Gaussian", "Gaussian, calibrated"))
    assert min_cllr(shown.y_test, raw) == pytest.approx(min_cllr(shown.y_test, calibrated))
    assert cllr(shown.y_test, calibrated) < cllr(shown.y_test, raw)


def distance_from_diagonal(y, predicted):
    """The expected calibration error, over ten bins of equal size."""
    bins = np.array_split(np.argsort(predicted), 10)
    return np.mean([abs(y[rows].mean() - predicted[rows].mean()) for rows in bins])


def test_calibrated_scores_mean_what_they_say(run):
    shown = run("decisions/calibration_curve")
    raw = shown.losses["raw, through a sigmoid"]
    assert shown.losses["platt"] < raw - 0.02
    assert shown.losses["isotonic"] < raw - 0.02
    assert shown.areas["platt"] == pytest.approx(shown.areas["raw, through a sigmoid"], abs=1e-12)
    distances = {
        name: distance_from_diagonal(shown.y_test, predicted)
        for name, predicted in shown.probabilities.items()
    }
    for method in shown.models:
        assert distances[method] < 0.5 * distances["raw, through a sigmoid"]


def test_at_most_nu_of_the_training_points_raise_an_alarm(run):
    shown = run("decisions/anomaly_scores")
    for gamma, machine in zip(shown.gammas, shown.machines, strict=True):
        assert np.mean(machine.slack_ > 1e-3) <= 0.1
        theirs = OneClassSVM(nu=0.1, gamma=gamma, tol=1e-9).fit(shown.X[shown.training])
        np.testing.assert_allclose(
            machine.decision_function(shown.X[shown.others]),
            theirs.decision_function(shown.X[shown.others]),
            atol=5e-3,
        )
    for score, rate in zip(shown.scores, shown.rates, strict=True):
        alarms, misses, _ = det_curve(shown.is_anomaly, score)
        assert rate <= np.maximum(alarms, misses).min() + 1e-12
    assert min(shown.rates) == shown.rates[-1]
    new = shown.X[shown.others][shown.is_anomaly == 0]
    assert np.mean(shown.machines[-1].predict(new) < 0) > 0.5
