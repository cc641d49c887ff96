import numpy as np
import pytest

from maxmargin import InvalidInputError, plot, svm_path
from maxmargin.kernels import RBF
from maxmargin.problems import SoftMargin


@pytest.fixture
def found(overlapping):
    return svm_path(SoftMargin(*overlapping, C=10, kernel=RBF(0.5)))


def lines(ax):
    return [segment for drawn in ax.collections for segment in drawn.get_segments()]


def test_every_point_has_a_line_from_zero_to_one(ax, found):
    assert plot.path(found, ax) is ax
    assert ax.get_xscale() == "log"
    drawn = lines(ax)
    assert len(drawn) == found.problem.n_points
    assert min(line[:, 1].min() for line in drawn) >= 0
    assert max(line[:, 1].max() for line in drawn) <= 1 + 1e-12


def test_margins_are_those_of_the_path(ax, found):
    plot.path(found, ax, quantity="margins", points=[3, 30])
    for point, line in zip((3, 30), lines(ax), strict=True):
        expected = found.margins(line[::40, 0])[:, point]
        np.testing.assert_allclose(line[::40, 1], expected, atol=1e-12)


def test_a_path_from_a_price_on_starts_there(ax, overlapping):
    plot.path(svm_path(SoftMargin(*overlapping), C_min=0.1, C_max=2), ax)
    np.testing.assert_allclose(ax.get_xlim(), (0.1, 2))


def test_wrong_things_get_a_sentence(ax, found):
    with pytest.raises(InvalidInputError, match="path must be an SVMPath"):
        plot.path(found.at(1.0), ax)
    with pytest.raises(InvalidInputError, match="quantity must be"):
        plot.path(found, ax, quantity="weights")
    with pytest.raises(InvalidInputError, match="points must be indices"):
        plot.path(found, ax, points=[40])
