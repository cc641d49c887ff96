"""scikit-learn's own checks of an estimator, with no expected failure."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM
from maxmargin.kernels import RBF, Linear

ESTIMATORS = [
    SVC(),
    # Two checks weight the classes so that nu = 0.5, the default, is infeasible.
    NuSVC(nu=0.3),
    SVR(),
    NuSVR(),
    OneClassSVM(),
    SVC(kernel="linear"),
    SVC(multi_class="ovr"),
    SVC(bias="regularised"),
    SVC(kernel=Linear() + 0.5 * RBF(1.0), warm_start=True),
    NuSVC(nu=0.3, multi_class="ovr", bias="regularised"),
    SVR(bias="regularised"),
    NuSVR(kernel="linear", bias="regularised"),
    LinearSVC(),
    LinearSVC(loss="hinge", bias="free"),
    LinearSVC(loss="hinge", warm_start=True),
    LinearSVC(penalty="l1", C=10.0),
    LinearSVC(multi_class="crammer_singer"),
    LinearSVR(),
    LinearSVR(loss="squared_epsilon_insensitive", bias="free"),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_finds_nothing_wrong(estimator, check):
    check(estimator)
