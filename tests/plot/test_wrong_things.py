"""A picture of the wrong thing is refused with a sentence."""

import pytest
from matplotlib.figure import Figure

from maxmargin import InvalidInputError, certify, plot, solve
from maxmargin.problems import SoftMargin


@pytest.fixture
def problem():
    return SoftMargin([[0, 0], [1, 2], [3, 1], [4, 3]], [-1, -1, 1, 1])


def test_each_picture_says_what_it_is_drawn_from(problem):
    solution = solve(problem)
    with pytest.raises(InvalidInputError, match=r"solution must be a Solution.*got SoftMargin"):
        plot.boundary(problem)
    with pytest.raises(InvalidInputError, match=r"certificate must be a Certificate"):
        plot.kkt(solution)
    with pytest.raises(InvalidInputError, match=r"runs must be a mapping.*got Solution"):
        plot.traces(solution)


@pytest.mark.parametrize("wrong", [3, Figure()])
def test_axes_are_axes(problem, wrong):
    with pytest.raises(InvalidInputError, match=r"ax must be a matplotlib Axes"):
        plot.boundary(solve(problem), wrong)
    with pytest.raises(InvalidInputError, match=r"ax must be a matplotlib Axes"):
        plot.kkt(certify(problem, solve(problem)), wrong)


def test_the_legend_covers_no_point(problem):
    figure = Figure(layout="constrained")
    ax = plot.boundary(solve(problem), figure.subplots())
    figure.draw_without_rendering()
    assert ax.get_legend().get_window_extent().y1 <= ax.get_window_extent().y0
