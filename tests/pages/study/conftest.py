"""A small study with everything in it, run once."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from maxmargin import SVC
from maxmargin.pages import Family, study


@pytest.fixture(scope="package")
def data():
    X, y = make_classification(
        700, 4, n_informative=3, n_redundant=1, flip_y=0.1, class_sep=0.7, random_state=3
    )
    return X + np.array([3.0, 0.0, -1.0, 0.0]), np.array(["fake", "real"])[y]


@pytest.fixture(scope="package")
def rows():
    order = np.random.default_rng(0).permutation(500)
    return order[:300], order[300:]


@pytest.fixture(scope="package")
def families():
    return [
        Family("linear", "linear", {"C": [0.01, 1.0]}),
        Family("Gaussian", "rbf", {"C": [0.1, 1.0, 10.0], "gamma": [0.1, 0.5]}, ["standardised"]),
    ]


@pytest.fixture(scope="package")
def result(data, rows, families):
    """A fixed split of the first 500 rows; the other 200 are for evaluation."""
    X, y = data
    return study(
        X[:500],
        y[:500],
        families,
        preprocessing=["raw", "centred", "standardised", "pca-2"],
        prior=0.3,
        cost_fn=2.0,
        pos_label="fake",
        split=rows,
        cv=3,
        evaluation=(X[500:], y[500:]),
        machine=SVC(tol=1e-9),
        certified_at=1e-6,
    )


@pytest.fixture(scope="package")
def folded(data):
    """Five folds of all rows."""
    grid = {"C": [0.1, 1.0], "gamma": [0.1, 1.0]}
    return study(*data, {"rbf": grid}, preprocessing="standardised", pos_label="real")
