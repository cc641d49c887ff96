import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure


@pytest.fixture
def ax() -> Axes:
    return Figure().subplots()


@pytest.fixture
def overlapping() -> tuple[np.ndarray, np.ndarray]:
    """Two classes that a line cannot separate."""
    random = np.random.default_rng(3)
    X = random.normal(size=(40, 2)) + np.repeat([[1.0, 0.5], [-1.0, -0.5]], 20, axis=0)
    return X, np.repeat([1.0, -1.0], 20)
