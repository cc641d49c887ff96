"""scikit-learn's own checks of the online estimators, with no expected failure."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin import OnlineOneClassSVM, OnlineSVC

ESTIMATORS = [
    OnlineSVC(),
    OnlineSVC(C=1.0, loss="squared_hinge", bias="free", n_samples=100),
    OnlineSVC(method="pegasos", alpha=1e-2),
    OnlineOneClassSVM(),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
# Some of their data is hard: what does not reach tol says so.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_finds_nothing_wrong(estimator, check):
    check(estimator)
