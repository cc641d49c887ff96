"""A fitted model is drawn where its decision function says, whatever holds it."""

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
    LinearSVR,
    NuSVC,
    OneClassSVM,
    SVMSearchCV,
    plot,
    solve,
)
from maxmargin.estimators import NuSVR
from maxmargin.problems import CrammerSinger

from .artists import areas, colour, levels, line_at, places, same_rows, slack_segments

GRID = {"C": [0.5, 2.0], "gamma": [0.3, 1.0]}
STEPS = {f"svc__{name}": values for name, values in GRID.items()}

MODELS = {
    "SVC": SVC(C=2, gamma=0.5),
    "SVC, linear": SVC(C=2, kernel="linear"),
    "NuSVC": NuSVC(nu=0.4, gamma=0.5),
    "LinearSVC": LinearSVC(tol=1e-8),
    "LinearSVC, hinge": LinearSVC(loss="hinge", tol=1e-8),
    "LinearSVC, l1": LinearSVC(penalty="l1", tol=1e-8),
    "LinearSVC, Crammer-Singer": LinearSVC(multi_class="crammer_singer", tol=1e-8),
    "pipeline": make_pipeline(StandardScaler(), SVC(C=2, gamma=0.5)),
    "pipeline, linear": make_pipeline(StandardScaler(), LinearSVC(loss="hinge", tol=1e-8)),
    "GridSearchCV": GridSearchCV(SVC(), GRID, cv=3),
    "SVMSearchCV": SVMSearchCV(SVC(), GRID, cv=3),
    "search of a pipeline": SVMSearchCV(make_pipeline(StandardScaler(), SVC()), STEPS, cv=3),
    "pipeline of a search": make_pipeline(StandardScaler(), GridSearchCV(SVC(), GRID, cv=3)),
}


def machine_of(model):
    """The estimator inside a model."""
    while not hasattr(model, "machines_"):
        model = model[-1] if hasattr(model, "steps") else model.best_estimator_
    return model


@pytest.mark.parametrize("name", MODELS)
def test_two_classes_are_drawn_where_the_model_decides(ax, overlapping, name):
    X, y = overlapping
    words = np.where(y > 0, "yes", "no")
    model = MODELS[name].fit(X, words)
    assert plot.boundary(model, ax) is ax
    assert levels(ax) == [-1.0, 0.0, 1.0]
    for level in (-1.0, 0.0, 1.0):
        np.testing.assert_allclose(model.decision_function(line_at(ax, level)), level, atol=0.02)
    assert same_rows(places(ax, "y = yes"), X[y > 0])
    assert same_rows(places(ax, "y = no"), X[y < 0])
    assert len(areas(ax)) == 1
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("$x_1$", "$x_2$")


@pytest.mark.parametrize("name", MODELS)
def test_support_vectors_are_the_models(ax, overlapping, name):
    X, y = overlapping
    model = MODELS[name].fit(X, y)
    plot.boundary(model, ax, resolution=40)
    machine = machine_of(model)
    certificate = machine.certificate_
    free = np.concatenate([places(ax, "free support vector"), places(ax, "support vector")])
    bounded = places(ax, "bounded support vector")
    assert (len(free), len(bounded)) == (certificate.n_free, certificate.n_bounded)
    carrying = {row.point for row in certificate.table().support()}
    assert same_rows(np.concatenate([free, bounded]), X[sorted(carrying)])


@pytest.mark.parametrize("name", MODELS)
def test_slacks_start_at_points_short_of_their_margin(ax, overlapping, name):
    X, y = overlapping
    model = MODELS[name].fit(X, y)
    plot.boundary(model, ax)
    short = y * model.decision_function(X) < 1 - 1e-4
    segments = slack_segments(ax)
    assert same_rows(segments[:, 0], X[short])
    signs = np.sign(model.decision_function(segments[:, 1]))
    np.testing.assert_allclose(model.decision_function(segments[:, 1]), signs, atol=0.03)


def test_a_linear_models_slack_is_as_long_as_slack_over_the_norm_of_w(ax, overlapping):
    X, y = overlapping
    for name in ("SVC, linear", "LinearSVC, hinge", "LinearSVC, l1", "LinearSVC, Crammer-Singer"):
        model = MODELS[name].fit(X, y)
        segments = slack_segments(plot.boundary(model, ax.figure.add_subplot()))
        lengths = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1)
        slack = 1 - y * model.decision_function(X)
        slack = np.sort(slack[slack > 1e-4]) / np.linalg.norm(model.coef_)
        np.testing.assert_allclose(np.sort(lengths), slack, atol=1e-5)


def test_behind_a_scaler_the_axes_show_the_raw_features(ax, three):
    X, y = three
    X, y = X[y != "ant"], y[y != "ant"]
    model = make_pipeline(StandardScaler(), SVC(C=5)).fit(X, y)
    plot.boundary(model, ax, padding=0.0)
    assert ax.get_xlim() == pytest.approx((X[:, 0].min(), X[:, 0].max()))
    assert ax.get_ylim() == pytest.approx((X[:, 1].min(), X[:, 1].max()))
    np.testing.assert_allclose(model.decision_function(line_at(ax, 0.0)), 0, atol=0.02)
    assert same_rows(places(ax, "y = bee"), X[y == "bee"])


def test_behind_a_scaler_slacks_are_nearest_on_the_page(ax, three):
    X, y = three
    X, y = X[y != "ant"], y[y != "ant"]
    plot.boundary(make_pipeline(StandardScaler(), SVC(C=5)).fit(X, y), ax)
    extent = [np.ptp(ax.get_xlim()), np.ptp(ax.get_ylim())]
    margins = {sign: line_at(ax, sign) / extent for sign in (-1.0, 1.0)}
    for start, end in slack_segments(ax) / extent:
        length = np.linalg.norm(end - start)
        nearest = [np.linalg.norm(line - start, axis=1).min() for line in margins.values()]
        assert min(abs(length - distance) for distance in nearest) < 0.005


@pytest.mark.parametrize("wrap", [lambda m: m, lambda m: make_pipeline(StandardScaler(), m)])
def test_one_class_is_drawn_where_the_model_decides(ax, overlapping, wrap):
    X = overlapping[0] * [100.0, 1.0]
    model = wrap(OneClassSVM(nu=0.2, gamma=1e-4 if wrap(0) == 0 else 0.5)).fit(X)
    plot.boundary(model, ax)
    assert levels(ax) == [0.0]
    size = np.abs(model.decision_function(X)).max()
    np.testing.assert_allclose(model.decision_function(line_at(ax, 0.0)), 0, atol=0.02 * size)
    assert same_rows(places(ax, "point"), X)
    outside = X[model.decision_function(X) < -1e-6 * size]
    assert same_rows(slack_segments(ax)[:, 0], outside)


@pytest.mark.parametrize("search", [GridSearchCV, SVMSearchCV])
@pytest.mark.parametrize(
    ("model", "epsilon"),
    [
        (SVR(C=5, epsilon=0.3), 0.3),
        (LinearSVR(C=5, epsilon=0.3, tol=1e-8), 0.3),
        (NuSVR(C=5, nu=0.3), None),
    ],
    ids=["SVR", "LinearSVR", "NuSVR"],
)
def test_a_regression_is_drawn_where_the_model_predicts(ax, model, epsilon, search):
    x = np.linspace(100, 160, 30)
    y = np.sin(x / 10) + 0.4 * np.cos(1.7 * x)
    pipeline = make_pipeline(StandardScaler(), model)
    grid = {f"{pipeline.steps[-1][0]}__C": [1.0, 5.0]}
    for fitted in (model, pipeline, search(pipeline, grid, cv=3)):
        ax.clear()
        fitted.fit(x[:, None], y)
        plot.boundary(fitted, ax)
        (curve,) = (line for line in ax.lines if line.get_label() == "f(x)")
        at = np.asarray(curve.get_xdata())
        assert (at[0], at[-1]) == pytest.approx((100 - 4.8, 160 + 4.8))
        np.testing.assert_allclose(curve.get_ydata(), fitted.predict(at[:, None]), atol=1e-9)
        width = machine_of(fitted).margin_
        assert epsilon is None or width == pytest.approx(epsilon)
        assert same_rows(places(ax, "target"), np.column_stack([x, y]))
        excess = np.abs(y - fitted.predict(x[:, None])) - width
        segments = slack_segments(ax)
        lengths = np.abs(segments[:, 1, 1] - segments[:, 0, 1])
        short = np.sort(excess[excess > 1e-4])
        np.testing.assert_allclose(np.sort(lengths)[-len(short) :], short, atol=1e-6)


# Several classes ---------------------------------------------------------------------------------

MANY = {
    "SVC": SVC(C=2),
    "SVC, against the rest": SVC(C=2, multi_class="ovr"),
    "NuSVC": NuSVC(nu=0.3),
    "NuSVC, against the rest": NuSVC(nu=0.3, multi_class="ovr"),
    "LinearSVC": LinearSVC(tol=1e-8),
    "LinearSVC, l1": LinearSVC(penalty="l1", tol=1e-8),
    "LinearSVC, Crammer-Singer": LinearSVC(multi_class="crammer_singer", tol=1e-8),
    "GridSearchCV": GridSearchCV(SVC(), GRID, cv=3),
    "SVMSearchCV": SVMSearchCV(SVC(), GRID, cv=3),
}


def wrapped(name, pipeline):
    return make_pipeline(StandardScaler(), MANY[name]) if pipeline else MANY[name]


@pytest.mark.parametrize("pipeline", [False, True], ids=["alone", "pipeline"])
@pytest.mark.parametrize("name", MANY)
def test_each_class_has_the_region_where_it_is_predicted(ax, three, name, pipeline):
    X, y = three
    X = X if pipeline else (X - X.mean(axis=0)) / X.std(axis=0)
    model = wrapped(name, pipeline).fit(X, y)
    plot.boundary(model, ax)
    random = np.random.default_rng(0)
    corners = np.array([ax.get_xlim(), ax.get_ylim()])
    probes = corners[:, 0] + random.random((4000, 2)) * np.ptp(corners, axis=1)
    predicted = model.predict(probes)
    regions = dict(zip(("ant", "bee", "cat"), areas(ax), strict=True))
    for label, region in regions.items():
        inside = np.zeros(len(probes), dtype=bool)
        for path in region.get_paths():
            inside |= path.contains_points(probes)
        # Only within a cell of the grid from the border may they differ.
        assert np.mean(inside != (predicted == label)) < 0.004
        assert same_rows(places(ax, f"y = {label}"), X[y == label])
        assert tuple(region.get_facecolor()[0][:3]) == colour(ax, f"y = {label}")


def test_borders_are_as_fine_as_the_machines_not_as_the_grid(ax, three):
    X, y = three
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for name in ("SVC", "SVC, against the rest", "LinearSVC, Crammer-Singer"):
        ax.clear()
        model = MANY[name].fit(X, y)
        plot.boundary(model, ax, resolution=80)
        cell = np.ptp(ax.get_xlim()) / 79
        border = line_at(ax, 0.0)
        steps = np.array([[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, -1], [1, -1], [-1, 1]])
        around = border[:, None] + 0.1 * cell * steps
        classes = model.predict(around.reshape(-1, 2)).reshape(len(border), -1)
        # A tenth of a cell away on either side are different classes, but for a few at corners.
        assert np.mean((classes != classes[:, :1]).any(axis=1)) > 0.9


@pytest.mark.parametrize("name", MANY)
def test_a_point_is_boxed_if_it_is_bounded_in_any_machine(ax, three, name):
    X, y = three
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = MANY[name].fit(X, y)
    plot.boundary(model, ax, resolution=40)
    free, bounded = set(), set()
    for machine in machine_of(model).machines_:
        for row in machine.certificate.table():
            if row.case.startswith("a = C"):
                bounded.add(row.point)
            elif row.case.startswith(("0 < a < C", "a > 0")):
                free.add(row.point)
    ringed = np.concatenate([places(ax, "free support vector"), places(ax, "support vector")])
    assert same_rows(ringed, X[sorted(free - bounded)])
    assert same_rows(places(ax, "bounded support vector"), X[sorted(bounded)])
    assert len(slack_segments(ax)) == 0


def test_one_machine_of_a_pair_is_that_of_its_two_classes(ax, three):
    X, y = three
    model = make_pipeline(StandardScaler(), SVC(C=2, gamma=0.5)).fit(X, y)
    plot.boundary(model, ax, machine=2)
    chosen = y != "ant"
    scaled = model[0].transform(X)
    alone = SVC(C=2, gamma=0.5).fit(scaled[chosen], y[chosen])
    for level in (-1.0, 0.0, 1.0):
        at = model[0].transform(line_at(ax, level))
        np.testing.assert_allclose(alone.decision_function(at), level, atol=0.02)
    assert same_rows(places(ax, "y = cat"), X[y == "cat"])
    assert same_rows(places(ax, "y = bee"), X[y == "bee"])
    assert len(places(ax, "y = ant")) == 0
    other = plot.boundary(model, ax.figure.add_subplot())
    for label in ("y = bee", "y = cat"):
        assert colour(ax, label) == colour(other, label)


def test_one_machine_against_the_rest(ax, three):
    X, y = three
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = LinearSVC(tol=1e-8).fit(X, y)
    plot.boundary(model, ax, machine=1)
    values = line_at(ax, 0.0) @ model.coef_[1] + model.intercept_[1]
    np.testing.assert_allclose(values, 0, atol=1e-8)
    assert same_rows(places(ax, "y = bee"), X[y == "bee"])
    assert same_rows(places(ax, "the rest"), X[y != "bee"])
    again = plot.boundary(model.machines_[1], ax.figure.add_subplot())
    np.testing.assert_array_equal(line_at(again, 0.0), line_at(ax, 0.0))


def test_a_solution_of_many_classes_has_regions_too(ax, three):
    X, y = three
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    solution = solve(CrammerSinger(X, y))
    plot.boundary(solution, ax)
    model = LinearSVC(multi_class="crammer_singer", tol=1e-10).fit(X, y)
    other = plot.boundary(model, ax.figure.add_subplot())
    assert len(areas(ax)) == 3
    np.testing.assert_allclose(line_at(ax, 0.0), line_at(other, 0.0), atol=1e-5)


def test_more_classes_than_colours_have_a_colour_each(ax):
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(9), 10)
    X = random.normal(size=(90, 2)) + 4 * np.column_stack([y % 3, y // 3])
    plot.boundary(SVC().fit(X, y), ax, resolution=40)
    assert len({colour(ax, f"y = {label}") for label in range(9)}) == 9
    assert len(areas(ax)) == 9


def test_rows_of_weight_zero_are_not_drawn(ax, three):
    X, y = three
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    weight = np.where(np.arange(60) % 10 == 0, 0.0, 1.0)
    for model in (SVC(), LinearSVC()):
        ax.clear()
        plot.boundary(model.fit(X, y, sample_weight=weight), ax, resolution=40)
        for label in ("ant", "bee", "cat"):
            assert same_rows(places(ax, f"y = {label}"), X[(y == label) & (weight > 0)])


def test_three_features_get_a_sentence(ax, three):
    X, y = np.column_stack([three[0], three[0][:, 0]]), three[1]
    for model in (SVC(), LinearSVC(), make_pipeline(StandardScaler(), SVC())):
        with pytest.raises(InvalidInputError, match="needs points with 2 features; X has 3"):
            plot.boundary(model.fit(X, y), ax)
