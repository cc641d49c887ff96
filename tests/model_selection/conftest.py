"""Data for searches."""

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression


@pytest.fixture
def two_classes():
    """Enough points for the shared matrix to be in float32."""
    X, y = make_classification(
        400, 5, n_informative=4, n_redundant=0, flip_y=0.05, class_sep=0.8, random_state=0
    )
    return X, y


@pytest.fixture
def four_classes():
    X, y = make_classification(480, 6, n_informative=5, n_redundant=0, n_classes=4, random_state=1)
    return X, np.array(["ash", "birch", "cedar", "dogwood"])[y]


@pytest.fixture
def targets():
    X, y = make_regression(300, 4, noise=5.0, random_state=0)
    return X, y / y.std()
