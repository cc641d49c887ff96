import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import (
    SVC,
    SVR,
    InvalidInputError,
    LinearSVC,
    MaxMarginError,
    NuSVC,
    OneClassSVM,
    SVMSearchCV,
    plot,
    svm_path,
)
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


def test_a_path_from_a_penalty_on_starts_there(ax, overlapping):
    plot.path(svm_path(SoftMargin(*overlapping), C_min=0.1, C_max=2), ax)
    np.testing.assert_allclose(ax.get_xlim(), (0.1, 2))


def test_wrong_things_get_a_sentence(ax, found):
    with pytest.raises(InvalidInputError, match="Give a Solution, a fitted"):
        plot.path(found.problem, ax)
    with pytest.raises(InvalidInputError, match="quantity must be"):
        plot.path(found, ax, quantity="weights")
    with pytest.raises(InvalidInputError, match="points must be indices"):
        plot.path(found, ax, points=[40])


# Models -------------------------------------------------------------------------------------------

GRID = {"C": [0.5, 2.0]}

MODELS = {
    "SVC": SVC(C=2, gamma=0.5),
    "SVC, regularised bias": SVC(C=2, gamma=0.5, bias="regularised"),
    "LinearSVC": LinearSVC(C=2, loss="hinge", tol=1e-10),
    "pipeline": make_pipeline(StandardScaler(), SVC(C=2, gamma=0.5)),
    "GridSearchCV": GridSearchCV(SVC(gamma=0.5), GRID, cv=3),
    "SVMSearchCV": SVMSearchCV(SVC(gamma=0.5), GRID, cv=3),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_models_path_ends_in_the_model(ax, overlapping, name):
    X, y = overlapping
    model = MODELS[name].fit(X, y)
    plot.path(model, ax, quantity="margins")
    _, C = ax.get_xlim()
    assert C in (0.5, 2.0)
    ends = sorted(line[-1, 1] for line in lines(ax))
    np.testing.assert_allclose(ends, np.sort(y * model.decision_function(X)), atol=1e-5)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["y = 1.0", "y = -1.0", "the margin"]


def test_a_solutions_path_ends_in_the_solution(ax, found):
    plot.path(found.at(3.0), ax)
    assert ax.get_xlim()[1] == pytest.approx(3.0)
    ends = sorted(line[-1, 1] for line in lines(ax))
    np.testing.assert_allclose(ends, np.sort(found.multipliers(3.0)) / 3.0, atol=1e-9)


def test_the_path_of_one_machine_of_many(ax, three):
    X, y = three
    model = make_pipeline(StandardScaler(), SVC(C=2, gamma=0.5)).fit(X, y)
    with pytest.raises(InvalidInputError, match=r"holds 3 machines: say which.*machine=0 to 2"):
        plot.path(model, ax)
    plot.path(model, ax, machine=0, quantity="margins")
    chosen = y != "cat"
    scaled = model[0].transform(X)[chosen]
    alone = SVC(C=2, gamma=0.5).fit(scaled, y[chosen])
    margins = np.where(y[chosen] == "bee", 1, -1) * alone.decision_function(scaled)
    ends = sorted(line[-1, 1] for line in lines(ax))
    np.testing.assert_allclose(ends, np.sort(margins), atol=1e-5)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels[:2] == ["y = bee", "y = ant"]


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (LinearSVC(), "needs loss='hinge'"),
        (NuSVC(nu=0.3), "the C of a soft margin, .*; NuMargin has no such path"),
        (SVR(), "the C of a soft margin, .*; EpsilonTube has no such path"),
        (OneClassSVM(), "the C of a soft margin, .*; OneClass has no such path"),
    ],
    ids=lambda given: type(given).__name__,
)
def test_models_without_a_path_are_named(ax, overlapping, model, sentence):
    with pytest.raises(MaxMarginError, match=sentence):
        plot.path(model.fit(*overlapping), ax)
