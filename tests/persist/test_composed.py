"""Searches, calibrated models and machines on sequences: what is loaded is what was saved."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import maxmargin
from maxmargin import SVC, CalibratedSVC, ModelFileError, SVMSearchCV
from maxmargin.kernels import Function, Mismatch, Spectrum

from .composed import CALIBRATIONS, MAKERS, ROWS, SEARCHES, SEQUENCES, SIDE, WORDS, Y, model, points
from .fitted import proved

pytestmark = pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
METHODS = (
    *("predict", "decision_function", "predict_proba", "score_samples"),
    *("predict_log_proba", "log_likelihood_ratio"),
)


@pytest.fixture(params=MAKERS)
def name(request):
    return request.param


@pytest.fixture
def again(name, tmp_path):
    maxmargin.save(model(name), tmp_path / "model.safetensors")
    return maxmargin.load(tmp_path / "model.safetensors")


def last(fitted):
    return fitted.steps[-1][1] if hasattr(fitted, "steps") else fitted


def machine_of(fitted):
    """The machine inside, or None after a search without one."""
    inner = last(fitted)
    for attribute in ("estimator_", "best_estimator_"):
        if attribute in vars(inner):
            return machine_of(getattr(inner, attribute))
    return None if "cv_results_" in vars(inner) else inner


def equal(one, other):
    """Equal in value, and estimators in class and parameters."""
    if isinstance(one, BaseEstimator):
        return type(one) is type(other) and equal(one.get_params(), other.get_params())
    if isinstance(one, dict):
        return list(one) == list(other) and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, np.ma.MaskedArray):
        assert one.dtype == other.dtype
        return np.array_equal(one.mask, other.mask) and equal(
            one.compressed().tolist(), other.compressed().tolist()
        )
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, range):
        return list(one) == list(other)
    return one is other or one == other or repr(one) == repr(other)


def test_predictions_are_the_same_to_the_last_bit(name, again):
    fitted, new = model(name), points(name)
    if not hasattr(fitted, "predict"):
        assert not hasattr(again, "predict")
    for method in METHODS:
        assert hasattr(fitted, method) == hasattr(again, method)
        two = len(getattr(last(fitted), "classes_", ())) == 2
        if hasattr(fitted, method) and (two or method != "log_likelihood_ratio"):
            np.testing.assert_array_equal(getattr(fitted, method)(new), getattr(again, method)(new))


def test_the_proof_comes_along(name, again):
    machine = machine_of(model(name))
    if hasattr(machine, "certificate_"):
        found = machine_of(again)
        assert proved(found) == proved(machine)
        assert found.certificate_.summary() == machine.certificate_.summary()


def test_parameters_are_the_same_but_for_splitters(name, again):
    expected = last(model(name)).get_params()
    if not isinstance(expected.get("cv"), int):
        expected |= {"cv": None} if "cv" in expected else {}
    assert equal(expected, last(again).get_params())
    clone(again)


@pytest.mark.parametrize("name", SEARCHES, indirect=True)
def test_the_table_of_a_search_is_the_same(name, again):
    fitted = model(name)
    assert equal(fitted.cv_results_, again.cv_results_)
    for key in vars(fitted):
        if key.endswith("_") and key not in ("scorer_", "best_estimator_"):
            assert equal(getattr(fitted, key), getattr(again, key)), key
    assert pd.DataFrame(again.cv_results_).shape == pd.DataFrame(fitted.cv_results_).shape
    assert repr(again.scorer_) == repr(fitted.scorer_)
    if hasattr(fitted, "best_estimator_"):
        found = fitted.predict(ROWS)
        assert again.score(ROWS, found) == fitted.score(ROWS, found)


@pytest.mark.parametrize("name", [n for n in CALIBRATIONS if "pipeline" not in n], indirect=True)
def test_what_was_calibrated_is_the_same(name, again):
    fitted = model(name)
    for key in ("classes_", "priors_", "oof_scores_", "n_features_in_", "feature_names_in_"):
        assert hasattr(fitted, key) == hasattr(again, key)
        if hasattr(fitted, key):
            assert equal(getattr(fitted, key), getattr(again, key))
    if len(fitted.classes_) == 2:
        assert again.threshold() == fitted.threshold()
        assert again.threshold(prior=0.3, cost_fp=2.0) == fitted.threshold(prior=0.3, cost_fp=2.0)
    scores = np.linspace(-3, 3, 50)
    for one, other in zip(fitted.calibrators_, again.calibrators_, strict=True):
        assert type(one) is type(other)
        assert one.prior == other.prior
        np.testing.assert_array_equal(
            one.log_likelihood_ratio(scores), other.log_likelihood_ratio(scores)
        )


@pytest.mark.parametrize("name", SEQUENCES, indirect=True)
def test_support_vectors_that_are_no_numbers_are_the_same(name, again):
    machine, found = machine_of(model(name)), machine_of(again)
    assert found.kernel_ == machine.kernel_
    assert found.shape_fit_ == machine.shape_fit_
    assert repr(found.support_vectors_) == repr(machine.support_vectors_)
    if name != "columns":
        assert found.support_vectors_.tolist() == machine.support_vectors_.tolist()


def test_a_second_file_is_the_same_as_the_first(name, again, tmp_path):
    maxmargin.save(again, tmp_path / "second.safetensors")
    with safe_open(tmp_path / "model.safetensors", "np") as one:
        first, arrays = one.metadata(), {key: one.get_tensor(key) for key in one.keys()}  # noqa: SIM118
    with safe_open(tmp_path / "second.safetensors", "np") as other:
        assert other.metadata() == first
        assert set(other.keys()) == set(arrays)
        for key, values in arrays.items():
            np.testing.assert_array_equal(other.get_tensor(key), values)


@pytest.mark.parametrize("name", ["search", "search, mixed grid", "isotonic, pairs", "spectrum"])
def test_a_loaded_model_can_be_fitted_again(name, tmp_path):
    maxmargin.save(model(name), tmp_path / "m")
    rows, y = (WORDS, SIDE) if name == "spectrum" else (ROWS, Y)
    again = maxmargin.load(tmp_path / "m").fit(rows, y)
    np.testing.assert_array_equal(again.predict(rows), model(name).predict(rows))


def test_proofs_can_be_left_out(tmp_path):
    search = SVMSearchCV(SVC(), {"C": [1.0]}, cv=2).fit(ROWS, Y)
    maxmargin.save(search, tmp_path / "m", proof=False)
    with pytest.raises(maxmargin.MaxMarginError, match="saved without its proof"):
        maxmargin.load(tmp_path / "m").best_estimator_.certificate_  # noqa: B018


class MySplitter(KFold):
    """Code."""


def _by_accuracy(results):
    return int(np.argmax(results["mean_test_score"]))


def _search(**settings):
    return SVMSearchCV(SVC(), {"C": [1.0]}, **{"cv": 2, **settings}).fit(ROWS, Y)


def _with_memory():
    search = SVMSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [1.0]}, cv=2)
    search.fit(ROWS, Y).estimator.set_params(memory="somewhere")
    return search


REFUSED = {
    "a scorer of others": (
        lambda: _search(scoring=make_scorer(accuracy_score)),
        "The parameter scoring is code",
    ),
    "a function to choose": (lambda: _search(refit=_by_accuracy), "The parameter refit is code"),
    "a kernel of a function in a grid": (
        lambda: SVMSearchCV(SVC(), {"kernel": [Function(_products)]}, cv=2).fit(ROWS, Y),
        "kernel Function is code",
    ),
    "another classifier": (
        lambda: CalibratedSVC(_ridge(), cv=2).fit(ROWS, Y),
        "A RidgeClassifier cannot be saved",
    ),
    "not fitted": (lambda: CalibratedSVC(SVC()), "is not fitted"),
    "a token that is no value": (
        lambda: SVC(kernel=Spectrum(1)).fit([[frozenset({k})] for k in range(4)], [0, 0, 1, 1]),
        "A token of a support vector is a frozenset",
    ),
    "mismatches": (
        lambda: SVC(kernel=Mismatch(40, 33, alphabet=2, normalize=True)).fit(
            ["a" * 41, "b" * 41], [0, 1]
        ),
        "more than m = 32 is not saved",
    ),
    "memory": (_with_memory, "set memory=None"),
}


def _products(A, B):
    return A @ B.T


def _ridge():
    from sklearn.linear_model import RidgeClassifier

    return RidgeClassifier()


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("why", REFUSED)
def test_what_a_file_cannot_hold_gets_a_sentence(why, tmp_path):
    make, sentence = REFUSED[why]
    fitted = make()
    with pytest.raises(ModelFileError, match=sentence):
        maxmargin.save(fitted, tmp_path / "m")
    assert not (tmp_path / "m").exists()


SPLITTERS = {
    "one of scikit-learn's": lambda: KFold(2),
    "one of others": lambda: MySplitter(2),
    "a list of splits": lambda: [(np.arange(40), np.arange(40, 50))],
    "a generator of splits": lambda: ((np.arange(40), np.arange(40, 50)) for _ in range(1)),
    "one with a generator": lambda: KFold(2, shuffle=True, random_state=np.random.RandomState(0)),
}


@pytest.mark.parametrize("which", SPLITTERS)
def test_splitters_are_left_out(which, tmp_path):
    search = _search(cv=SPLITTERS[which]())
    maxmargin.save(search, tmp_path / "m")
    again = maxmargin.load(tmp_path / "m")
    assert again.cv is None
    assert again.n_splits_ == search.n_splits_
    assert equal(search.cv_results_, again.cv_results_)
    np.testing.assert_array_equal(again.predict(ROWS), search.predict(ROWS))


def test_what_a_file_cannot_hold_of_a_grid_is_text_in_the_table(tmp_path):
    grid = [
        {"kernel": ["rbf", Function(_products)], "C": [1.0, 2.0]},
        {"kernel": [_products], "class_weight": ["balanced"]},
        {"random_state": [np.random.RandomState(0)]},
    ]
    search = SVMSearchCV(SVC(C=0.01), grid, cv=2, refit=_first).fit(ROWS, Y)
    search.set_params(refit=True)
    maxmargin.save(search, tmp_path / "m")
    again = maxmargin.load(tmp_path / "m")
    assert again.param_grid == [
        {"kernel": ["rbf"], "C": [1.0, 2.0]},
        {"class_weight": ["balanced"]},
        {},
    ]
    kernels = [candidate.get("kernel") for candidate in again.cv_results_["params"]]
    code = repr(Function(_products))
    assert kernels == ["rbf", code, "rbf", code, repr(_products), None]
    assert again.cv_results_["param_kernel"].tolist() == kernels
    for name, column in search.cv_results_.items():
        if name.startswith(("mean", "std", "split", "rank")):
            np.testing.assert_array_equal(again.cv_results_[name], column)
    assert again.best_params_ == {"kernel": "rbf", "C": 1.0}
    np.testing.assert_array_equal(again.predict(ROWS), search.predict(ROWS))
    maxmargin.save(again, tmp_path / "n")
    assert again.fit(ROWS, Y).best_params_


def _first(results):
    return 0


# Files that were changed ------------------------------------------------------------------------


def taken_apart(name, folder):
    path = folder / "whole.safetensors"
    maxmargin.save(model(name), path)
    with safe_open(path, "np") as held:
        metadata = held.metadata()
        arrays = {key: held.get_tensor(key) for key in held.keys()}  # noqa: SIM118
    return json.loads(metadata["model"]), arrays, metadata


def refusal(folder, document, arrays, metadata):
    path = folder / "odd.safetensors"
    save_file(arrays, path, {**metadata, "model": json.dumps(document)})
    with pytest.raises(ModelFileError) as caught:
        maxmargin.load(path)
    sentence = str(caught.value)
    assert sentence.startswith(f"{path} cannot be loaded: ")
    return sentence


def put_at(document, place, value):
    *outer, end = place
    for key in outer:
        document = document[key]
    document[end] = value


def _floats(values):
    return {"array": values, "type": "float64"}


def _mismatch(k, m):
    return {"kernel": "Mismatch", "k": k, "m": m, "alphabet": 2**30, "normalize": False}


WRONG_VALUES = [
    ("search", ("n_splits",), 0, "n_splits is not a whole number"),
    ("search", ("best_index",), 6, "best_index is not a whole number below 6"),
    ("search", ("best_score",), "high", "best_score is not a number"),
    ("search", ("best_estimator",), {"class": "Popen"}, "best_estimator.class is not a string"),
    ("search", ("results", "columns"), ["params", "params"], "have a name twice"),
    ("search", ("results", "columns"), ["mean_fit_time"], "lack params"),
    ("search", ("results", "candidates"), [], "results.candidates are none"),
    ("search", ("results", "candidates"), [1], "candidates.0 is not parameters by name"),
    ("search", ("results", "candidates"), [{"map": [["C", 1.0]]}], "has the shape"),
    ("search", ("results", "type4"), "complex128", "type4 is not a string that is possible"),
    ("search", ("results", "type4"), "float128", "type4 is not a string that is possible"),
    ("search", ("parameters", "scoring"), "system", "parameters are impossible"),
    ("search", ("parameters", "estimator"), None, "parameters are impossible"),
    ("search", ("parameters", "estimator"), {"estimator": "Popen"}, "estimator.estimator is not a"),
    ("search", ("parameters", "estimator", "parameters", "C"), -1.0, "estimator.parameters are"),
    ("search", ("parameters", "param_grid"), {"map": [["C", 1.0]]}, "parameters are impossible"),
    ("search", ("parameters", "cv"), "five", "parameters are impossible: The 'cv'"),
    ("search", ("parameters", "scoring"), {"scorer": "neg_system"}, "scoring.scorer is not a"),
    (
        "search",
        ("parameters", "scoring"),
        {
            "scorer": "neg_min_dcf",
            "prior": 2.0,
            "cost_fn": 1.0,
            "cost_fp": 1.0,
            "normalize": True,
            "pos_label": None,
        },
        "scoring is impossible",
    ),
    ("search", ("parameters", "scoring"), {"scorer": "neg_eer", "prior": 0.5}, "cost_fn is miss"),
    ("search, pipeline", ("parameters", "estimator", "names"), ["a"], "steps are not one per name"),
    ("search, pipeline", ("parameters", "estimator", "steps"), [1, 2], "not all estimators"),
    ("search, pipeline", ("parameters", "estimator", "steps", 0), {"map": []}, "not all est"),
    ("logistic, pairs", ("classes", "labels"), ["a", "b", "c"], "estimator has other classes"),
    ("platt", ("parameters", "method"), "magic", "parameters are impossible"),
    ("platt", ("parameters", "prior"), _floats(["x"]), "prior has no numbers"),
    ("platt", ("parameters", "prior"), {"array": [1]}, "prior.type is missing"),
    ("platt", ("parameters", "prior"), {**_floats([]), "type": "V8"}, "prior.type is not a"),
    ("platt", ("parameters", "prior"), {"array": 1, "type": "int8"}, "prior.array is not a list"),
    ("platt", ("parameters", "prior"), {"array": [2**40], "type": "int8"}, "not of type int8"),
    ("platt", ("calibrator0", "slope"), {"float": "nan"}, "calibrator0.slope is not a number"),
    ("platt", ("calibrator0", "prior"), 0.0, "calibrator0.prior is not a number that is possible"),
    ("platt", ("calibrator0",), None, "calibrator0 is not a JSON object"),
    ("platt", ("estimator", "class"), "SVR", "is no parameter of SVR"),
    (
        "isotonic",
        ("calibrator0", "smallest"),
        0.0,
        "calibrator0.smallest is not a number that is possible",
    ),
    ("logistic, rest", ("estimator", "parameters", "multi_class"), "ovo", "does not compare pairs"),
    ("spectrum", ("kernel", "k"), 0, "k must be a whole number of at least 1"),
    ("spectrum", ("kernel", "up_to"), 1, "kernel.up_to is neither true nor false"),
    ("spectrum", ("kernel", "kernel"), "Linear", "n_features is missing"),
    ("spectrum", ("support_vectors", "sequences"), "pickle", "support_vectors.sequences is not a"),
    ("spectrum", ("support_vectors", "sequences"), "tokens", "support_vectors.tokens is missing"),
    ("mismatch", ("kernel", "m"), 255, "m = 255 mismatches need substrings of at least 255"),
    ("mismatch", ("kernel",), _mismatch(40, 33), "kernel.m is more than 32"),
    ("mismatch", ("kernel",), _mismatch(2**31, 1), "kernel.k is not a whole number from"),
    ("mismatch", ("kernel",), _mismatch(2**30, 32), "kernel has numbers that are too large"),
    ("mismatch", ("kernel", "alphabet"), None, "kernel has rules instead of numbers"),
    ("subsequence", ("kernel", "decay"), 2.0, "decay must lie in"),
    ("substrings", ("kernel", "count"), "all", "kernel is impossible: count must be 'pairs'"),
    ("tokens", ("support_vectors", "tokens"), [], "codes has numbers"),
    ("tokens", ("support_vectors", "tokens", 0), {"map": []}, "hold what cannot be compared"),
    ("columns", ("support_vectors", "columns"), ["word"], "columns"),
    ("columns", ("support_vectors", "columns"), "word", "columns"),
    ("columns", ("support_vectors", "columns", 0), 3, "columns are not the kernel's"),
    ("columns", ("kernel", "part0", "columns"), [], "columns must be a name"),
]


@pytest.mark.parametrize(("name", "place", "value", "sentence"), WRONG_VALUES)
def test_a_wrong_value_is_named(name, place, value, sentence, tmp_path):
    document, arrays, metadata = taken_apart(name, tmp_path)
    put_at(document, place, value)
    assert sentence in refusal(tmp_path, document, arrays, metadata)


WRONG_ARRAYS = [
    ("search", "results.column0", lambda v: v[:-1]),
    ("search", "results.column0", lambda v: v.astype("f4")),
    ("search", "best_estimator.coefficients", lambda v: v * np.nan),
    ("platt", "priors", lambda v: v * 2),
    ("platt", "priors", lambda v: -v),
    ("platt", "priors", lambda v: v[:1]),
    ("isotonic", "calibrator0.scores", lambda v: v[::-1]),
    ("isotonic", "calibrator0.scores", lambda v: v[:-1]),
    ("isotonic", "calibrator0.scores", lambda v: v * np.inf),
    ("isotonic", "calibrator0.chances", lambda v: v[::-1] - 1),
    ("isotonic", "calibrator0.chances", lambda v: v * 2),
    ("isotonic", "oof_scores", lambda v: v[:, None]),
    ("spectrum", "support_vectors.starts", lambda v: v[:-1]),
    ("spectrum", "support_vectors.starts", lambda v: v[::-1]),
    ("spectrum", "support_vectors.starts", lambda v: v * 10**9),
    ("spectrum", "support_vectors.letters", lambda v: v[:-1]),
    ("spectrum", "support_vectors.letters", lambda v: v * 0 + 255),
    ("tokens", "support_vectors.codes", lambda v: v + 10**6),
    ("tokens", "support_vectors.codes", lambda v: -1 - v),
    ("columns", "support_vectors.part1", lambda v: v[:-1]),
]


@pytest.mark.parametrize(("name", "key", "change"), WRONG_ARRAYS)
def test_a_wrong_array_is_named(name, key, change, tmp_path):
    document, arrays, metadata = taken_apart(name, tmp_path)
    with np.errstate(invalid="ignore"):
        arrays[key] = np.ascontiguousarray(change(arrays[key]))
    sentence = refusal(tmp_path, document, arrays, metadata)
    assert any(part in sentence for part in (key, key.rsplit(".", 1)[0], "support_vectors"))


@pytest.mark.parametrize("name", ["search", "isotonic, pairs", "tokens", "columns"])
def test_every_array_must_be_there(name, tmp_path):
    document, arrays, metadata = taken_apart(name, tmp_path)
    for key in arrays:
        fewer = {other: values for other, values in arrays.items() if other != key}
        refusal(tmp_path, document, fewer, metadata)


def test_a_parameter_that_is_very_long_gets_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr("maxmargin.persist.format.container._LARGEST_HEADER", 10_000)
    search = SVMSearchCV(SVC(), {"C": np.ones(600)}, cv=2)
    search.fit(ROWS, Y)
    with pytest.raises(ModelFileError, match="description has more than 10000 bytes"):
        maxmargin.save(search, tmp_path / "m")
