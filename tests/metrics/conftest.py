import numpy as np
import pytest


def random_scores(seed):
    """Overlapping classes; every third set has many ties, every second one weights."""
    random = np.random.default_rng(seed)
    n = int(random.integers(5, 40))
    y = (random.random(n) < 0.4).astype(int)
    y[:2] = 0, 1
    scores = random.normal(size=n) + random.uniform(0, 3) * y
    if seed % 3 == 0:
        scores = np.round(scores)
    weight = random.integers(1, 4, size=n) * 0.5 if seed % 2 else np.ones(n)
    return y, scores, weight


@pytest.fixture(params=range(12))
def sample(request):
    """Labels, scores and weights."""
    return random_scores(request.param)
