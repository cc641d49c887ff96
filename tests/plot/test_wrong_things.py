"""A picture of the wrong thing is refused with a sentence."""

import pickle

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

from maxmargin import SVC, InvalidInputError, certify, plot, solve
from maxmargin.problems import SoftMargin


@pytest.fixture
def problem():
    return SoftMargin([[0, 0], [1, 2], [3, 1], [4, 3]], [-1, -1, 1, 1])


def test_each_picture_says_what_it_is_drawn_from(problem):
    for draw in (plot.boundary, plot.kkt, plot.path, plot.traces):
        with pytest.raises(InvalidInputError, match=r"Give a Solution, a fitted.*got SoftMargin"):
            draw(problem)
        with pytest.raises(InvalidInputError, match=r"Give a Solution, a fitted.*got GaussianNB"):
            draw(GaussianNB())
        with pytest.raises(InvalidInputError, match="SVC is not fitted: call its fit first"):
            draw(SVC())
        with pytest.raises(InvalidInputError, match="GridSearchCV has no best_estimator_"):
            draw(GridSearchCV(SVC(), {"C": [1]}))


def test_a_model_without_its_data_cannot_be_drawn():
    model = SVC(trace=True).fit([[0, 0], [1, 2], [3, 1], [4, 3]], [0, 0, 1, 1])
    restored = pickle.loads(pickle.dumps(model))
    for draw in (plot.boundary, plot.kkt, plot.path, plot.traces):
        with pytest.raises(InvalidInputError, match="without its training data: fit it again"):
            draw(restored)
    for certificate in (restored.certificate_, restored.certificate_.worst):
        with pytest.raises(InvalidInputError, match="holds numbers only: the picture needs"):
            plot.kkt(certificate)


def test_a_machine_that_is_not_there_is_named(problem):
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = SVC(trace=True).fit(X, np.arange(30) % 3)
    for subject, n in ((model, 3), (solve(problem), 1)):
        for draw in (plot.boundary, plot.kkt, plot.path):
            with pytest.raises(InvalidInputError, match=f"must be an index of.* 0 to {n - 1}"):
                draw(subject, machine=3)
    with pytest.raises(InvalidInputError, match="machines of the certificate, from 0 to 2"):
        plot.kkt(model.certificate_, machine=3)
    with pytest.raises(InvalidInputError, match="A Certificate is about one machine"):
        plot.kkt(model.certificate_.worst, machine=1)


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
