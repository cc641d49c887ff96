"""Everything wrong gets one sentence that names the argument."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from maxmargin import (
    SVC,
    SVR,
    CalibratedSVC,
    InvalidInputError,
    LinearSVC,
    LinearSVR,
    NuSVC,
    NuSVR,
    OneClassSVM,
    OnlineSVC,
    SVMSearchCV,
)
from maxmargin.kernels import RBF, Function, Spectrum

X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [3.0, 3.0], [4.0, 3.0], [3.0, 4.0]])
Y = np.array([0, 0, 0, 1, 1, 1])

BAD_PARAMETERS = [
    (SVC, {"C": 0.0}, "'C' parameter of SVC"),
    (SVC, {"C": -1.0}, "'C' parameter of SVC"),
    (SVR, {"C": "1"}, "'C' parameter of SVR"),
    (SVR, {"epsilon": -0.1}, "'epsilon' parameter"),
    (NuSVC, {"nu": 0.0}, "'nu' parameter"),
    (NuSVR, {"nu": 1.5}, "'nu' parameter"),
    (OneClassSVM, {"nu": -0.5}, "'nu' parameter"),
    (SVC, {"kernel": "rfb"}, "'kernel' parameter"),
    (SVC, {"kernel": None}, "'kernel' parameter"),
    (SVC, {"kernel": "poly", "degree": 0}, "degree must be a whole number of at least 1"),
    (SVC, {"degree": 2.5}, "'degree' parameter"),
    (SVC, {"gamma": "large"}, "'gamma' parameter"),
    (SVC, {"gamma": -1.0}, "'gamma' parameter"),
    (SVC, {"gamma": 0.0}, "gamma must be greater than zero"),
    (SVC, {"coef0": np.inf}, "'coef0' parameter"),
    (SVC, {"shrinking": 2}, "'shrinking' parameter"),
    (SVC, {"probability": "yes"}, "'probability' parameter"),
    (SVC, {"tol": 0.0}, "'tol' parameter"),
    (SVC, {"cache_size": 0}, "'cache_size' parameter"),
    (SVC, {"class_weight": "fair"}, "'class_weight' parameter"),
    (SVC, {"class_weight": {7: 1.0}}, "classes"),
    (SVC, {"verbose": "loud"}, "'verbose' parameter"),
    (SVC, {"max_iter": -2}, "'max_iter' parameter"),
    (SVC, {"decision_function_shape": "ova"}, "'decision_function_shape' parameter"),
    (SVC, {"break_ties": "no"}, "'break_ties' parameter"),
    (SVC, {"random_state": "seed"}, "'random_state' parameter"),
    (SVC, {"multi_class": "crammer_singer"}, "'multi_class' parameter"),
    (SVC, {"n_jobs": 0}, "n_jobs must not be zero"),
    (SVC, {"n_jobs": 1.5}, "'n_jobs' parameter"),
    (SVC, {"time_limit": 0.0}, "'time_limit' parameter"),
    (SVC, {"warm_start": "maybe"}, "'warm_start' parameter"),
    (SVC, {"bias": "none"}, "'bias' parameter"),
]


@pytest.mark.parametrize(("kind", "parameters", "sentence"), BAD_PARAMETERS)
def test_a_bad_parameter_is_named(kind, parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        kind(**parameters).fit(X, Y)


BAD_DATA = [
    ("X of one dimension", X[:, 0], Y, None, "Expected 2D array"),
    ("X with NaN", np.where(X > 3, np.nan, X), Y, None, "NaN"),
    ("X of text", np.array([["a", "b"]] * 6), Y, None, "could not convert|numeric|strings"),
    ("X too large", X * 1e200, Y, None, "scale the features"),
    ("X without rows", X[:0], Y[:0], None, "0 sample"),
    ("y of another length", X, Y[:4], None, "inconsistent"),
    ("y of one class", X, Y * 0, None, "greater than one; got 1 class"),
    ("y continuous", X, Y + 0.5 * X[:, 0], None, "Unknown label type"),
    ("y with NaN", X, np.where(Y > 0, np.nan, 0.0), None, "NaN"),
    ("weights of another length", X, Y, np.ones(3), "sample_weight"),
    ("weights of two dimensions", X, Y, np.ones((6, 1)), "1D|sample_weight|Sample weights"),
    ("weights with NaN", X, Y, np.full(6, np.nan), "NaN"),
    ("weights all zero", X, Y, np.zeros(6), "zero or negative weights"),
    ("weights negative", X, Y, -np.ones(6), "zero or negative weights"),
    ("weights of one class", X, Y, Y, "same class"),
]


@pytest.mark.parametrize(
    ("points", "labels", "weight", "sentence"),
    [row[1:] for row in BAD_DATA],
    ids=[row[0] for row in BAD_DATA],
)
def test_bad_data_is_named(points, labels, weight, sentence):
    with pytest.raises(ValueError, match=sentence):
        SVC().fit(points, labels, sample_weight=weight)


def test_a_gram_matrix_must_be_square_symmetric_and_dense():
    with pytest.raises(ValueError, match="square matrix"):
        SVC(kernel="precomputed").fit(X, Y)
    with pytest.raises(ValueError, match="not symmetric"):
        SVC(kernel="precomputed").fit(np.triu(np.ones((6, 6))), Y)
    with pytest.raises(TypeError, match="Sparse precomputed kernels"):
        SVC(kernel="precomputed").fit(sparse.csr_array(X @ X.T), Y)


def test_new_points_must_be_like_the_old():
    machine = SVC().fit(X, Y)
    with pytest.raises(ValueError, match="3 features"):
        machine.predict(np.ones((1, 3)))
    with pytest.raises(ValueError, match="trained on dense data"):
        machine.predict(sparse.csr_array(X))
    with pytest.raises(ValueError, match="NaN"):
        machine.predict([[np.nan, 0.0]])


@pytest.mark.parametrize("kind", [SVC, NuSVC, SVR, NuSVR, OneClassSVM])
def test_an_unfitted_machine_says_so(kind):
    with pytest.raises(NotFittedError, match=kind.__name__):
        kind().predict(X)
    for name in ("certificate_", "slack_", "margin_"):
        with pytest.raises(AttributeError, match=f"has no {name} before fit"):
            getattr(kind(), name)


def test_a_kernel_function_of_the_wrong_shape_is_refused():
    with pytest.raises(ValueError, match="kernel function returned shape"):
        SVC(kernel=lambda A, B: np.ones((2, 2))).fit(X, Y)


def test_an_unresolved_kernel_object_is_resolved_on_the_data():
    assert SVC(kernel=RBF("scale")).fit(X, Y).kernel_ == SVC().fit(X, Y).kernel_


def test_break_ties_needs_one_value_a_class():
    with pytest.raises(ValueError, match="break_ties must be False"):
        SVC(break_ties=True, decision_function_shape="ovo").fit(X, Y).predict(X)


FRAME = pd.DataFrame({"age": [1.0, 2.0, np.nan, 4.0], "colour": ["red", "blue", "red", "blue"]})
FOUR = np.array([0, 1, 0, 1])
EVERY = [SVC(), NuSVC(), SVR(), OneClassSVM(), LinearSVC(), LinearSVR(), OnlineSVC()]
REFUSED = [
    (FRAME[["age"]], FOUR, r"Input X contains NaN, first at row 2, column 'age': impute"),
    ([[1.0], [np.inf]], [0, 1], r"Input X contains infinity.*, first at row 1, column 0: replace"),
    (FRAME[["colour"]], FOUR, r"X holds text, such as 'red' in column 'colour'.*OneHotEncoder"),
    (np.array([["a", "b"]] * 4), FOUR, "X holds text, such as 'a', where numbers are compared"),
    ([1.0, 2.0], [0, 1], "Expected 2D array, got 1D array instead"),
]


@pytest.mark.parametrize("model", EVERY, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize(("rows", "y", "sentence"), REFUSED)
def test_what_scikit_learn_refuses_gets_our_sentence(model, rows, y, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        model.fit(rows, y)
    fitted = clone(model).fit([[0.0], [1.0], [2.0], [3.0]], FOUR)
    with pytest.raises(InvalidInputError, match="Input X contains NaN, first at row 0, column 0"):
        fitted.predict([[np.nan]])
    with pytest.raises(InvalidInputError, match="X has 2 features, but"):
        fitted.predict([[1.0, 2.0]])


@pytest.mark.parametrize(
    "model",
    [*EVERY, CalibratedSVC(), SVMSearchCV(SVC(), {"C": [1.0]}), SVC(kernel=Spectrum(1))],
    ids=lambda model: type(model).__name__,
)
def test_unequal_lengths_get_our_sentence(model):
    if isinstance(model, OneClassSVM):
        pytest.skip("takes no y")
    rows = ["a", "b", "c"] if isinstance(model, SVC) and model.kernel != "rbf" else np.eye(3)
    with pytest.raises(InvalidInputError, match=r"inconsistent.*\[3, 4\]\. Give X and y equally"):
        model.fit(rows, FOUR)


def test_targets_that_are_no_numbers_get_our_sentence():
    with pytest.raises(InvalidInputError, match="y holds text, such as 'a', where numbers are"):
        SVR().fit(np.eye(2), ["a", "b"])
    with pytest.raises(InvalidInputError, match="Input y contains NaN, first at row 1"):
        SVR().fit(np.eye(2), [0.0, np.nan])


@pytest.mark.parametrize("kind", [SVC, NuSVC])
def test_whoever_wants_probabilities_is_led_to_ours(kind):
    with pytest.warns(FutureWarning, match=rf"maxmargin\.CalibratedSVC\({kind.__name__}\(\)\)"):
        kind(probability=False).fit(X, Y)
    with pytest.raises(AttributeError) as caught:
        kind().fit(X, Y).predict_proba(X)
    assert f"maxmargin.CalibratedSVC({kind.__name__}())" in str(caught.value.__cause__)


@pytest.mark.parametrize("kind", [SVC, NuSVC, LinearSVC, OnlineSVC])
@pytest.mark.parametrize("weight", [-1.0, np.inf, np.nan, 1e300])
def test_the_weight_of_a_class_is_a_finite_number(kind, weight):
    with pytest.raises(InvalidInputError, match="class_weight"):
        kind(class_weight={0: weight}).fit(X, Y)


@pytest.mark.parametrize(
    "kind", [SVC, NuSVC, LinearSVC, SVR, NuSVR, LinearSVR, OneClassSVM, OnlineSVC]
)
def test_weights_beyond_float64_are_refused_in_fit(kind):
    with pytest.raises(InvalidInputError, match=r"sample_weight reaches 1e\+300"):
        kind().fit(X, Y, sample_weight=[1, 1, 1, 1e300, 1, 1])


@pytest.mark.parametrize("kind", [SVC, NuSVC, LinearSVC])
def test_a_product_of_weights_beyond_float64_is_refused_in_fit(kind):
    with pytest.raises(InvalidInputError, match="sample_weight times class_weight"):
        kind(class_weight={0: 1e40}).fit(X, Y, sample_weight=np.full(6, 1e40))


@pytest.mark.parametrize("kind", [NuSVC, OneClassSVM])
def test_weights_whose_squares_vanish_are_refused_by_nu_machines(kind):
    with pytest.raises(InvalidInputError, match="moderate numbers"):
        kind().fit(X, Y, sample_weight=np.full(6, 1e-300))


@pytest.mark.parametrize("kind", [SVC, NuSVC, LinearSVC])
def test_class_weights_far_apart_are_fitted_and_proved(kind):
    weights = {0: 1e12, 1: 1e-12}
    machine = kind(class_weight=weights).fit(X, Y)
    assert (machine.predict(X[:3]) == 0).all()
    assert machine.certificate_.kkt_violation < 1e-3
    found = machine.certificate_
    # Weights of 1e12 times the rounding of a margin hide more than the whole objective.
    assert found.gap - found.rounding <= 1e-3 * max(found.primal - found.rounding, found.dual, 1e-9)


@pytest.mark.parametrize("kind", [SVC, SVR, OneClassSVM])
@pytest.mark.parametrize(
    "kernel",
    [lambda A, B: (A @ B.T) * (1 + 1j), Function.of_points(lambda a, b: complex(a @ b, 1.0))],
)
def test_a_kernel_function_with_complex_values_is_refused(kind, kernel):
    with pytest.raises(InvalidInputError, match="complex numbers"):
        kind(kernel=kernel).fit(X, Y)
