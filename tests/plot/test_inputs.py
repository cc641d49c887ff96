"""Pipelines are drawn in the coordinates of their input: rows recovered, or given and checked."""

import warnings

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    Normalizer,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

from maxmargin import SVC, SVR, InvalidInputError, LinearSVC, plot, solve
from maxmargin.errors import ScalingWarning
from maxmargin.kernels import RBF, On, Spectrum
from maxmargin.problems import SoftMargin

from .artists import areas, levels, line_at, places, same_rows, slack_segments


@pytest.fixture
def raw(three):
    X, y = three
    return X[y != "ant"], y[y != "ant"]


UNDONE = {
    "nothing": "passthrough",
    "StandardScaler": StandardScaler(),
    "MinMaxScaler": MinMaxScaler(),
    "RobustScaler": RobustScaler(),
    "PCA": PCA(2, whiten=True),
    "PowerTransformer": PowerTransformer(),
    "QuantileTransformer": QuantileTransformer(n_quantiles=20),
    "logarithm": FunctionTransformer(np.log1p, np.expm1),
    "two steps": make_pipeline(StandardScaler(), "passthrough"),
}


@pytest.mark.parametrize("name", UNDONE)
def test_a_transformer_with_an_inverse_needs_no_rows(ax, raw, name):
    X, y = raw[0] - raw[0].min(axis=0), raw[1]
    model = make_pipeline(UNDONE[name], StandardScaler(), SVC(C=2)).fit(X, y)
    plot.boundary(model, ax)
    np.testing.assert_allclose(model.decision_function(line_at(ax, 0.0)), 0, atol=0.05)
    drawn = np.concatenate([places(ax, "y = bee"), places(ax, "y = cat")])
    assert same_rows(drawn / X.max(axis=0), X / X.max(axis=0), atol=1e-7)
    given = plot.boundary(model, Figure().subplots(), X=X)
    np.testing.assert_allclose(line_at(given, 0.0), line_at(ax, 0.0), rtol=1e-6, atol=1e-6)


WIDER = {
    "PolynomialFeatures": PolynomialFeatures(3),
    "Nystroem": Nystroem(n_components=20, random_state=0),
    "Normalizer": Normalizer(),
    "one component": PCA(1),
    "no inverse": FunctionTransformer(lambda X: X**3, check_inverse=False),
}


@pytest.mark.parametrize("name", WIDER)
def test_other_transformers_need_the_rows_they_were_fitted_on(ax, raw, name):
    X, y = raw
    model = make_pipeline(StandardScaler(), WIDER[name], LinearSVC(loss="hinge")).fit(X, y)
    with pytest.raises(InvalidInputError, match=r"cannot be recovered .*give them.*X=X"):
        plot.boundary(model, ax)
    plot.boundary(model, ax, X=X)
    assert set(levels(ax)) <= {-1.0, 0.0, 1.0}
    size = max(np.abs(model.decision_function(X)).max(), 1.0)
    # The direction of a row, which Normalizer makes of it, jumps at the origin.
    near = np.abs(model.decision_function(line_at(ax, 0.0))) < 0.05 * size
    assert np.mean(near) > (0.98 if name == "Normalizer" else 0.9999)
    assert same_rows(places(ax, "y = bee"), X[y == "bee"])
    certificate = model[-1].certificate_
    assert len(places(ax, "bounded support vector")) == certificate.n_bounded
    slack = y_of(y) * model.decision_function(X) < 1 - 1e-3
    starts = slack_segments(ax)[:, 0]
    assert len(starts) <= np.count_nonzero(slack)
    assert all((np.abs(X - start) < 1e-9).all(axis=1).any() for start in starts)


def y_of(y):
    return np.where(y == np.unique(y)[1], 1.0, -1.0)


def test_regions_through_a_wider_transformer(ax, three):
    X, y = three
    model = make_pipeline(StandardScaler(), PolynomialFeatures(2), LinearSVC())
    search = GridSearchCV(model, {"linearsvc__C": [0.1, 1.0]}, cv=3).fit(X, y)
    plot.boundary(search, ax, X=X)
    for label, region in zip(("ant", "bee", "cat"), areas(ax), strict=True):
        own = X[search.predict(X) == label]
        inside = np.any([path.contains_points(own) for path in region.get_paths()], axis=0)
        assert np.mean(inside) > 0.97
        assert same_rows(places(ax, f"y = {label}"), X[y == label])


def test_a_regression_behind_a_wider_transformer(ax):
    x = np.linspace(0, 6, 30)
    model = make_pipeline(PolynomialFeatures(3), SVR(kernel="linear", C=0.1))
    model.fit(x[:, None], np.sin(x))
    plot.boundary(model, ax, X=x[:, None])
    (curve,) = (line for line in ax.lines if line.get_label() == "f(x)")
    at = np.asarray(curve.get_xdata())[:, None]
    np.testing.assert_allclose(curve.get_ydata(), model.predict(at), atol=1e-9)


def test_a_regression_ends_where_its_transformer_does(ax):
    x = np.linspace(0, 6, 30)
    logarithm = FunctionTransformer(np.log1p, np.expm1)
    for first in (0.0, -0.99):
        ax.clear()
        plot.boundary(make_pipeline(logarithm, SVR()).fit(x[:, None] + first, np.sin(x)), ax)
        assert ax.get_xlim() == pytest.approx((-0.48, 6.48) if first == 0 else (-0.99, 5.01))


def test_rows_that_are_not_the_training_rows_are_refused(ax, raw):
    X, y = raw
    model = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    for wrong in (X[::-1], X[:-1], X + 1):
        with pytest.raises(InvalidInputError, match="X must be the rows that the model was fitted"):
            plot.boundary(model, ax, X=wrong)
    with pytest.raises(InvalidInputError, match="a picture needs 2 columns; got 1 columns"):
        plot.boundary(model, ax, X=X[:, :1])
    with pytest.raises(InvalidInputError, match="a picture needs 2 columns; got list"):
        plot.boundary(model, ax, X=["a", "b"])


def test_inputs_of_more_columns_are_drawn_where_the_machine_sees_them(ax, three):
    X, y = three
    X = np.column_stack([X, np.arange(60.0)])
    model = make_pipeline(StandardScaler(), PCA(2), SVC()).fit(X, y)
    plot.boundary(model, ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("pca0", "pca1")
    assert same_rows(places(ax, "y = ant"), model[:-1].transform(X[y == "ant"]))
    with pytest.raises(InvalidInputError, match="needs points with 2 features; X has 3"):
        plot.boundary(make_pipeline(StandardScaler(), SVC()).fit(X, y), ax)


def test_words_behind_a_vectorizer_have_no_place(ax):
    model = make_pipeline(CountVectorizer(), SVC())
    model.fit(["one two", "two three", "one three", "four"], [0, 0, 1, 1])
    with pytest.raises(InvalidInputError, match="needs points with 2 features; X has 4"):
        plot.boundary(model, ax)


def test_named_columns_name_the_axes_and_warn_of_nothing(ax, three):
    X, y = three
    frame = pd.DataFrame(X, columns=["length", "width"])
    columns = ColumnTransformer([("all", StandardScaler(), ["width", "length"])])
    models = [
        SVC(gamma=1e-4),
        make_pipeline(StandardScaler(), SVC()),
        make_pipeline(StandardScaler().set_output(transform="pandas"), SVC()),
        make_pipeline(StandardScaler(), LinearSVC(multi_class="crammer_singer")),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ScalingWarning)
        for model in models:
            for machine in (None, 0):
                ax.clear()
                plot.boundary(model.fit(frame, y), ax, machine=machine, resolution=30)
                assert (ax.get_xlabel(), ax.get_ylabel()) == ("length", "width")
        ax.clear()
        plot.boundary(make_pipeline(columns, SVC()).fit(frame, y), ax, X=frame, resolution=30)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("length", "width")
    assert same_rows(places(ax, "y = ant"), X[y == "ant"])
    ax.clear()
    plot.boundary(SVR().fit(frame[["length"]], frame["width"]), ax)
    assert ax.get_xlabel() == "length"


def test_a_kernel_on_columns_is_drawn_on_its_two_columns(ax, overlapping):
    X, y = overlapping
    frame = pd.DataFrame(X, columns=["a", "b"])
    kernel = On("a", RBF(1.0)) * On(["a", "b"], RBF(0.5))
    model = SVC(kernel=kernel).fit(frame, y)
    plot.boundary(model, ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "b")
    line = pd.DataFrame(line_at(ax, 0.0), columns=["a", "b"])
    np.testing.assert_allclose(model.decision_function(line), 0, atol=0.02)
    many = SVC(kernel=kernel).fit(frame, np.arange(40) % 3)
    plot.boundary(many, ax.figure.add_subplot(), resolution=20)
    solution = solve(SoftMargin(frame, y, kernel=kernel), "smo")
    other = plot.boundary(solution, ax.figure.add_subplot())
    np.testing.assert_allclose(line_at(other, 0.0), line_at(ax, 0.0), atol=1e-3)
    frame["name"] = ["x", "y"] * 20
    words = SVC(kernel=On(["a", "b"], RBF(1.0)) + On("name", Spectrum(1))).fit(frame, y)
    with pytest.raises(InvalidInputError, match="not rows of numbers"):
        plot.boundary(words, ax)
