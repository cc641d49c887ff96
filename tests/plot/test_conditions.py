import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import (
    SVC,
    SVR,
    LinearSVC,
    LinearSVR,
    NuSVC,
    OneClassSVM,
    SVMSearchCV,
    certify,
    plot,
    solve,
)
from maxmargin.kernels import RBF
from maxmargin.problems import EpsilonTube, HardMargin, NuMargin, OneClass, SoftMargin


def drawn(ax):
    offsets = [c.get_offsets() for c in ax.collections if isinstance(c, PathCollection)]
    return np.concatenate(offsets)


def distance_to_path(ax):
    """Largest distance of a point from the path."""
    path = np.column_stack(ax.lines[0].get_data())
    starts, steps = path[:-1], np.diff(path, axis=0)
    furthest = 0.0
    for point in drawn(ax):
        share = ((point - starts) * steps).sum(axis=1) / (steps**2).sum(axis=1)
        feet = starts + np.clip(share, 0, 1)[:, None] * steps
        furthest = max(furthest, np.linalg.norm(feet - point, axis=1).min())
    return furthest


def problems(X, y):
    weight = np.linspace(0.5, 2, len(y))
    return {
        "soft": SoftMargin(X, y, C=2),
        "gaussian": SoftMargin(X, y, C=2, kernel=RBF(0.5)),
        "weighted": SoftMargin(X, y, C=2, sample_weight=weight),
        "squared": SoftMargin(X, y, C=2, loss="squared_hinge"),
        "squared, weighted": SoftMargin(X, y, loss="squared_hinge", sample_weight=weight),
        "nu": NuMargin(X, y, nu=0.5),
        "hard": HardMargin(X + 4 * y[:, None], y),
        "one class": OneClass(X, nu=0.2, kernel=RBF(0.5)),
        "tube": EpsilonTube(X, X[:, 0] ** 2, C=2, epsilon=0.3),
    }


@pytest.mark.parametrize("name", problems(np.eye(2), np.array([1.0, -1.0])))
def test_an_optimal_solution_lies_on_the_path(ax, overlapping, name):
    problem = problems(*overlapping)[name]
    certificate = certify(problem, solve(problem))
    assert certificate.holds(1e-6)
    assert plot.kkt(certificate, ax) is ax
    assert len(drawn(ax)) == problem.dual().n_variables
    assert distance_to_path(ax) < 1e-4


def test_a_wrong_solution_does_not(ax, overlapping):
    problem, other = SoftMargin(*overlapping, C=2), SoftMargin(*overlapping, C=0.1)
    plot.kkt(certify(problem, solve(other)), ax)
    assert distance_to_path(ax) > 0.05


def test_the_horizontal_axis_is_the_functional_margin(ax, overlapping):
    X, y = overlapping
    solution = solve(SoftMargin(X, y, C=2))
    plot.kkt(certify(solution.problem, solution), ax)
    np.testing.assert_allclose(
        np.sort(drawn(ax)[:, 0]), np.sort(y * solution.decision(X)), atol=1e-9
    )


def test_the_legend_counts_the_cases(ax, overlapping):
    certificate = certify(p := SoftMargin(*overlapping, C=2), solve(p))
    plot.kkt(certificate, ax)
    texts = " ".join(text.get_text() for text in ax.get_legend().get_texts())
    assert f"0 < a < limit ({certificate.n_free})" in texts
    assert f"bounded: a at its limit ({certificate.n_bounded})" in texts


def test_points_of_no_weight_are_left_out(ax, overlapping):
    X, y = overlapping
    problem = SoftMargin(X, y, sample_weight=np.r_[0.0, np.ones(39)])
    plot.kkt(certify(problem, solve(problem)), ax)
    assert len(drawn(ax)) == 39


# Models -------------------------------------------------------------------------------------------

GRID = {"C": [0.5, 2.0]}

TWO = {
    "SVC": SVC(C=2, gamma=0.5),
    "NuSVC": NuSVC(nu=0.4, gamma=0.5),
    "LinearSVC": LinearSVC(tol=1e-10),
    "LinearSVC, hinge": LinearSVC(loss="hinge", tol=1e-10),
    "LinearSVC, l1": LinearSVC(penalty="l1", tol=1e-10),
    "pipeline": make_pipeline(StandardScaler(), SVC()),
    "GridSearchCV": GridSearchCV(SVC(), GRID, cv=3),
    "SVMSearchCV": SVMSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [1, 2]}, cv=3),
}


@pytest.mark.parametrize("name", TWO)
def test_a_model_lies_at_the_margins_that_it_decides(ax, overlapping, name):
    X, y = overlapping
    model = TWO[name].fit(X, y)
    assert plot.kkt(model, ax) is ax
    margins = np.sort(y * model.decision_function(X))
    np.testing.assert_allclose(np.sort(drawn(ax)[:, 0]), margins, atol=1e-6)
    assert distance_to_path(ax) < 1e-3
    # The corner of the path is at the margin 1, whatever the problem's own scale.
    assert ax.lines[0].get_xdata()[1] == pytest.approx(1.0)
    assert ax.get_xlabel() == "functional margin y f(x)"


def test_a_models_multipliers_are_drawn(ax, overlapping):
    X, y = overlapping
    model = SVC(C=2, gamma=0.5).fit(X, y)
    plot.kkt(model, ax)
    multipliers = np.zeros(len(y))
    multipliers[model.support_] = np.abs(model.dual_coef_[0])
    np.testing.assert_allclose(np.sort(drawn(ax)[:, 1]), np.sort(multipliers), atol=1e-12)


def test_a_solution_a_model_and_their_certificates_look_the_same(overlapping):
    model = SVC(C=2, gamma=0.5).fit(*overlapping)
    machine = model.machines_[0]
    certificates = [model.certificate_, machine.certificate, machine.solution.certificate]
    pictures = [
        drawn(plot.kkt(subject, Figure().subplots()))
        for subject in (model, machine, machine.solution, *certificates)
    ]
    for picture in pictures[1:]:
        np.testing.assert_array_equal(picture, pictures[0])


MANY = {
    "SVC": (SVC(C=2), 120),
    "SVC, against the rest": (SVC(C=2, multi_class="ovr"), 180),
    "NuSVC": (NuSVC(nu=0.3), 120),
    "LinearSVC": (LinearSVC(tol=1e-10), 180),
    "LinearSVC, l1": (LinearSVC(penalty="l1", tol=1e-10), 180),
    "LinearSVC, Crammer-Singer": (LinearSVC(multi_class="crammer_singer", tol=1e-10), 60),
    "weighted": (SVC(C=2, class_weight={"ant": 5.0}), 120),
    "GridSearchCV": (GridSearchCV(SVC(), GRID, cv=3), 120),
    "SVMSearchCV": (SVMSearchCV(SVC(), GRID, cv=3), 120),
}


@pytest.mark.parametrize("name", MANY)
def test_all_machines_of_many_classes_share_one_path(ax, three, name):
    model, n_constraints = MANY[name]
    pipeline = make_pipeline(StandardScaler(), model).fit(*three)
    plot.kkt(pipeline, ax)
    assert len(drawn(ax)) == n_constraints
    assert distance_to_path(ax) < 2e-3
    assert ax.lines[0].get_xdata()[1] == pytest.approx(1.0)


def test_one_machine_of_many(ax, three):
    X, y = three
    model = make_pipeline(StandardScaler(), SVC(C=2, gamma=0.5)).fit(X, y)
    plot.kkt(model, ax, machine=1)
    chosen = y != "bee"
    scaled = model[0].transform(X)[chosen]
    alone = SVC(C=2, gamma=0.5).fit(scaled, y[chosen])
    margins = np.where(y[chosen] == "cat", 1, -1) * alone.decision_function(scaled)
    np.testing.assert_allclose(np.sort(drawn(ax)[:, 0]), np.sort(margins), atol=1e-6)
    certificate = model[-1].certificate_
    order = [machine.classes for machine in certificate.machines]
    other = plot.kkt(certificate, Figure().subplots(), machine=order.index(("ant", "cat")))
    np.testing.assert_array_equal(drawn(other), drawn(ax))
    assert len(drawn(plot.kkt(certificate, Figure().subplots()))) == 120


def test_the_margin_of_crammer_and_singer_is_over_the_best_other_class(ax, three):
    X, y = three
    model = make_pipeline(StandardScaler(), LinearSVC(multi_class="crammer_singer", tol=1e-10))
    values = model.fit(X, y).decision_function(X)
    at = np.arange(60), np.searchsorted(model.classes_, y)
    own = values[at]
    values[at] = -np.inf
    plot.kkt(model, ax)
    np.testing.assert_allclose(np.sort(drawn(ax)[:, 0]), np.sort(own - values.max(axis=1)))
    assert ax.get_xlabel() == "functional margin over the best other class"


@pytest.mark.parametrize(
    ("model", "n_constraints"),
    [(OneClassSVM(nu=0.2), 40), (SVR(C=2), 80), (LinearSVR(C=2, epsilon=0.3, tol=1e-10), 80)],
    ids=["OneClassSVM", "SVR", "LinearSVR"],
)
def test_models_without_classes_lie_on_the_path(ax, overlapping, model, n_constraints):
    X = overlapping[0]
    for fitted in (model, make_pipeline(StandardScaler(), model)):
        ax.clear()
        plot.kkt(fitted.fit(X, X[:, 0] ** 2), ax)
        assert len(drawn(ax)) == n_constraints
        assert distance_to_path(ax) < 1e-3
        assert ax.get_xlabel() == "how far the constraint holds"
