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


@pytest.fixture
def three() -> tuple[np.ndarray, np.ndarray]:
    """Three classes that overlap, on axes of very different units."""
    random = np.random.default_rng(5)
    middles = np.repeat([[0.0, 0.0], [2.0, 0.5], [0.5, 2.0]], 20, axis=0)
    X = (random.normal(size=(60, 2)) + middles) * [100.0, 0.1] + [1000.0, 0.0]
    return X, np.repeat(["ant", "bee", "cat"], 20)
