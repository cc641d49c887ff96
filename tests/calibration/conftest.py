"""Scores whose log-likelihood ratio is known, and data for machines."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

#: Scores of the classes are normal with means plus and minus this and unit variance, so that
#: their log-likelihood ratio is 2 * MEAN * score.
MEAN = 1.2


def gaussian_scores(n, positive_share, seed):
    """Labels, scores, and the log-likelihood ratio of each score."""
    random = np.random.default_rng(seed)
    y = (random.random(n) < positive_share).astype(int)
    scores = random.normal(size=n) + MEAN * (2 * y - 1)
    return y, scores, 2 * MEAN * scores


@pytest.fixture
def two_classes():
    return make_classification(
        300, 4, n_informative=3, n_redundant=0, flip_y=0.1, class_sep=0.7, random_state=0
    )


@pytest.fixture
def three_classes():
    X, y = make_classification(
        330, 5, n_informative=4, n_redundant=0, n_classes=3, flip_y=0.05, random_state=1
    )
    return X, np.array(["ash", "birch", "cedar"])[y]
