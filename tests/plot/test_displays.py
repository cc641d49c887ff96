"""Displays of scores: what they compute and what they draw."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.calibration import CalibratedClassifierCV, CalibrationDisplay
from sklearn.metrics import DetCurveDisplay, det_curve
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import (
    RBF,
    SVC,
    SVR,
    CalibratedSVC,
    InvalidInputError,
    LinearSVC,
    NuSVC,
    OneClassSVM,
    SVMSearchCV,
    solve,
)
from maxmargin.metrics import bayes_error_curve, best_threshold
from maxmargin.plot import BayesErrorDisplay, ScoreHistogramDisplay
from maxmargin.problems import EpsilonTube, OneClass, SoftMargin, Sphere

EPS = np.finfo(np.float64).eps
DISPLAYS = [BayesErrorDisplay, ScoreHistogramDisplay]


@pytest.fixture
def machine(overlapping):
    return SVC(kernel="linear").fit(*overlapping)


def test_the_bayes_error_plot_shows_both_curves(ax, machine, overlapping):
    X, y = overlapping
    display = BayesErrorDisplay.from_estimator(machine, X, y, ax=ax)
    log_odds, minimum, actual = bayes_error_curve(y, machine.decision_function(X))
    np.testing.assert_array_equal(display.actual_line_.get_xydata().T, [log_odds, actual])
    np.testing.assert_array_equal(display.minimum_line_.get_xydata().T, [log_odds, minimum])
    assert display.actual_line_.get_color() == display.minimum_line_.get_color()
    assert display.minimum_line_.get_linestyle() == "--"
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    shown = [text.get_text() for text in ax.get_legend().get_texts()]
    assert shown == ["SVC, actual", "SVC, minimum"]
    assert ax.get_ylim() == pytest.approx((0.0, min(2.0, 1.1 * max(1.0, actual.max()))))


def test_several_machines_share_axes(ax):
    y = [0, 0, 1, 1]
    for scale in (1.0, 5.0):
        scores = scale * np.array([-1.0, -0.1, 0.1, 1.0])
        BayesErrorDisplay.from_predictions(y, scores, log_odds=[-0.05, 0.05], name=scale, ax=ax)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["1.0, actual", "1.0, minimum", "5.0, actual", "5.0, minimum"]
    assert ax.get_ylim() == pytest.approx((0.0, 1.1))


def test_options_reach_the_lines(ax, machine, overlapping):
    display = BayesErrorDisplay.from_estimator(
        machine, *overlapping, name="linear", ax=ax, color="red", linewidth=3
    )
    for line in (display.actual_line_, display.minimum_line_):
        assert (line.get_color(), line.get_linewidth()) == ("red", 3)
    again = display.plot(Figure().subplots(), name="other")
    assert again is display
    assert again.actual_line_.get_label() == "other, actual"


def test_histograms_are_densities(ax, machine, overlapping):
    X, y = overlapping
    weight = np.where(np.arange(len(y)) % 2, 1.0, 3.0)
    display = ScoreHistogramDisplay.from_estimator(
        machine, X, y, bins=7, sample_weight=weight, ax=ax
    )
    width = np.diff(display.edges)
    assert len(width) == 7
    assert display.labels == (-1.0, 1.0)
    scores = machine.decision_function(X)
    for density, label in ((display.negative, -1), (display.positive, 1)):
        assert density @ width == pytest.approx(1.0)
        side = y == label
        counted = np.histogram(scores[side], display.edges, weights=weight[side])[0]
        np.testing.assert_allclose(density * width, counted / weight[side].sum())
    values, edges, _ = display.positive_patch_.get_data()
    np.testing.assert_array_equal(values, display.positive)
    np.testing.assert_array_equal(edges, display.edges)
    assert display.threshold_line_ is None


def test_a_threshold_is_a_vertical_line(ax):
    y, scores = [0, 0, 1, 1], [0.0, 1.0, 2.0, 3.0]
    threshold = best_threshold(y, scores)
    display = ScoreHistogramDisplay.from_predictions(y, scores, threshold=threshold, ax=ax)
    assert display.threshold_line_.get_xdata() == [1.5, 1.5]
    assert display.plot(Figure().subplots(), threshold=np.inf).threshold_line_ is None


def test_bins_may_leave_out_scores(ax):
    display = ScoreHistogramDisplay.from_predictions(
        [0, 0, 1, 1], [0.1, 5.0, 7.0, 8.0], bins=[0.0, 1.0], ax=ax
    )
    assert (display.negative.tolist(), display.positive.tolist()) == ([0.5], [0.0])


@pytest.mark.parametrize("display", DISPLAYS)
def test_the_other_class_may_be_the_positive_one(ax, machine, overlapping, display):
    X, y = overlapping
    words = np.where(y > 0, "yes", "no")
    machine = SVC(kernel="linear").fit(X, words)
    turned = display.from_estimator(machine, X, words, pos_label="no", ax=ax)
    expected = display.from_predictions(
        words, -machine.decision_function(X), pos_label="no", ax=Figure().subplots()
    )
    ours, theirs = (
        [v for v in vars(d).values() if isinstance(v, np.ndarray)] for d in (turned, expected)
    )
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("display", DISPLAYS)
def test_an_outlier_detector_may_be_shown(ax, overlapping, display):
    X, y = overlapping
    machine = OneClassSVM(nu=0.2).fit(X[y > 0])
    assert display.from_estimator(machine, X, y, ax=ax).ax_ is ax


@pytest.mark.parametrize("display", DISPLAYS)
def test_what_cannot_be_shown_is_named(ax, machine, overlapping, display):
    X, y = overlapping
    with pytest.raises(InvalidInputError, match="must be a classifier or an outlier detector"):
        display.from_estimator(SVR().fit(X, y), X, y, ax=ax)
    with pytest.raises(InvalidInputError, match="estimator knows 3 classes"):
        display.from_estimator(SVC().fit(X, np.arange(len(y)) % 3), X, y, ax=ax)
    with pytest.raises(InvalidInputError, match="GaussianNB has no decision_function"):
        display.from_estimator(GaussianNB().fit(X, y), X, y, ax=ax)
    with pytest.raises(InvalidInputError, match="pos_label is 7"):
        display.from_estimator(machine, X, y, pos_label=7, ax=ax)
    with pytest.raises(InvalidInputError, match="ax must be a matplotlib Axes"):
        display.from_estimator(machine, X, y, ax="here")


def test_infinite_scores_have_no_bin(ax):
    with pytest.raises(InvalidInputError, match="scores contains infinity"):
        ScoreHistogramDisplay.from_predictions([0, 1], [0.0, np.inf], ax=ax)


@pytest.mark.parametrize("display", DISPLAYS)
def test_without_axes_a_figure_is_made(display):
    from matplotlib import pyplot as plt

    plt.switch_backend("agg")
    made = display.from_predictions([0, 1], [0.0, 1.0])
    assert made.figure_ is plt.gcf()
    plt.close(made.figure_)


def test_displays_of_scikit_learn_take_our_machines(ax, overlapping):
    X, y = overlapping
    machine = SVC().fit(X, y)
    det = DetCurveDisplay.from_estimator(machine, X, y, ax=ax)
    expected = det_curve(y, machine.decision_function(X), drop_intermediate=True)[0]
    np.testing.assert_allclose(det.fpr, np.clip(expected, EPS, 1 - EPS))
    calibrated = CalibratedClassifierCV(SVC(), ensemble=False, cv=3).fit(X, y)
    calibration = CalibrationDisplay.from_estimator(calibrated, X, y, ax=Figure().subplots())
    assert len(calibration.prob_true) > 1


# Whatever holds machines --------------------------------------------------------------------------

GRID = {"C": [0.5, 2.0]}

SUBJECTS = {
    "SVC": SVC(C=2),
    "NuSVC": NuSVC(nu=0.3),
    "LinearSVC": LinearSVC(),
    "LinearSVC, Crammer-Singer": LinearSVC(multi_class="crammer_singer"),
    "OneClassSVM": OneClassSVM(),
    "pipeline": make_pipeline(StandardScaler(), SVC()),
    "GridSearchCV": GridSearchCV(SVC(), GRID, cv=3),
    "SVMSearchCV": SVMSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [1, 2]}, cv=3),
    "CalibratedSVC": CalibratedSVC(SVC(), cv=3),
}


def numbers(display):
    return [value for value in vars(display).values() if isinstance(value, np.ndarray)]


def same(one, other):
    return all(np.allclose(a, b) for a, b in zip(numbers(one), numbers(other), strict=True))


@pytest.mark.parametrize("display", DISPLAYS)
@pytest.mark.parametrize("name", SUBJECTS)
def test_the_scores_are_those_of_the_model(overlapping, display, name):
    X, y = overlapping
    model = SUBJECTS[name].fit(X, y)
    shown = display.from_estimator(model, X, y, ax=Figure().subplots())
    expected = display.from_predictions(y, model.decision_function(X), ax=Figure().subplots())
    assert same(shown, expected)
    turned = display.from_estimator(model, X, y, pos_label=-1, ax=Figure().subplots())
    expected = display.from_predictions(
        y, -model.decision_function(X), pos_label=-1, ax=Figure().subplots()
    )
    assert same(turned, expected)


@pytest.mark.parametrize("display", DISPLAYS)
def test_a_solution_has_scores_too(overlapping, display):
    X, y = overlapping
    for problem in (SoftMargin(X, y), OneClass(X, kernel=RBF(0.5)), Sphere(X, kernel=RBF(0.5))):
        solution = solve(problem)
        shown = display.from_estimator(solution, X, y, ax=Figure().subplots())
        expected = display.from_predictions(y, solution.decision(X), ax=Figure().subplots())
        assert same(shown, expected)
    with pytest.raises(InvalidInputError, match=r"need a problem of two classes.*got EpsilonTube"):
        display.from_estimator(solve(EpsilonTube(X, y)), X, y)


@pytest.mark.parametrize("display", DISPLAYS)
def test_one_machine_of_a_pair_is_judged_on_its_two_classes(three, display):
    X, y = three
    model = make_pipeline(StandardScaler(), SVC(gamma=0.5)).fit(X, y)
    weight = np.linspace(1, 2, 60)
    shown = display.from_estimator(
        model, X, y, machine=1, sample_weight=weight, ax=Figure().subplots()
    )
    chosen = y != "bee"
    scaled = model[0].transform(X[chosen])
    scores = model[-1].machines_[1].solution.decision(scaled)
    alone = SVC(gamma=0.5).fit(scaled, y[chosen])
    np.testing.assert_allclose(scores, alone.decision_function(scaled), atol=1e-6)
    expected = display.from_predictions(
        y[chosen],
        scores,
        pos_label="cat",
        sample_weight=weight[chosen],
        ax=Figure().subplots(),
    )
    assert same(shown, expected)


@pytest.mark.parametrize("display", DISPLAYS)
def test_one_machine_is_judged_against_the_rest(three, display):
    X, y = three
    model = make_pipeline(StandardScaler(), LinearSVC()).fit(X, y)
    shown = display.from_estimator(model, X, y, machine=2, ax=Figure().subplots())
    scores = model.decision_function(X)[:, 2]
    expected = display.from_predictions(y == "cat", scores, ax=Figure().subplots())
    assert same(shown, expected)
    if isinstance(shown, ScoreHistogramDisplay):
        assert shown.labels == ("the rest", "cat")


@pytest.mark.parametrize("display", DISPLAYS)
def test_many_classes_need_a_machine(three, display):
    X, y = three
    model = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    with pytest.raises(InvalidInputError, match=r"knows 3 classes.*with machine="):
        display.from_estimator(model, X, y)
    with pytest.raises(InvalidInputError, match="machine must be an index of the 3"):
        display.from_estimator(model, X, y, machine=5)
    together = LinearSVC(multi_class="crammer_singer").fit(X, y)
    with pytest.raises(InvalidInputError, match="one machine separates 3 classes here"):
        display.from_estimator(together, X, y, machine=0)
