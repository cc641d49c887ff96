"""A short run of odd calls of fit, and those that once ended badly; `make fuzz` runs for long."""

import numpy as np
import pytest

import maxmargin
from maxmargin import estimators

from .fits import fuzz_fits
from .judge import judge
from .odd_fits import ESTIMATORS, Fit

X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [0.0, 3.0]])
Y = np.array([0, 1, 0, 1, 0, 1])
CV = {"estimator": maxmargin.SVC(), "param_grid": {"C": [1.0, 100.0]}, "cv": 2}

#: Calls that once ended in another error, or in a model that had no certificate.
ONCE = {
    "norms too large for a certificate": ("LinearSVC", {}, X * 1e150, Y, None),
    "norms of a tube": ("LinearSVR", {}, X * 1e60, Y + 0.5, None),
    "norms of a stream": ("OnlineSVC", {}, X * 1e150, Y, None),
    "norms of a stream of one class": ("OnlineOneClassSVM", {}, X * 1e150, None, None),
    "numbers as text": ("LinearSVC", {}, X.astype(str), Y, None),
    "a target beyond all bounds": ("SVR", {}, X, Y * 1e308, None),
    "too few weights in a search": ("SVMSearchCV", CV, X, Y, np.ones(5)),
}


def test_every_estimator_is_fuzzed():
    assert {*estimators.__all__, "CalibratedSVC", "SVMSearchCV"} == set(ESTIMATORS)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_call_ends_in_a_certified_model_or_an_error_of_ours(name):
    ends = fuzz_fits(name, 60, derandomize=True)
    assert ends["fitted"] >= 10


@pytest.mark.parametrize("call", ONCE)
def test_calls_that_once_ended_badly_end_well(call):
    judge(Fit(*ONCE[call]))
