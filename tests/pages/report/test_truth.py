"""What the page says about its own rows, and about fits that came to no end."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import maxmargin
from maxmargin import SVC, LinearSVC, SVMSearchCV
from maxmargin.pages import report

from ..reading import assert_well_formed
from .models import N_TRAINING, fitted

TRAINED = "These are the rows that the model was trained on"
PARTLY = "equal support vectors, so the model was trained on at least some of them"
UNKNOWN = "It is not known whether the model was trained on these rows"
NONE_FOUND = "None of these rows is a support vector"
CLAIMED = "According to the author of this report, the model was not trained on these rows"


def words_of(model, X, y, **arguments):
    page = assert_well_formed(report(model, X, y, **arguments).html)
    return " ".join(" ".join(page.words).split())


@pytest.mark.parametrize("name", ["SVC", "pipeline", "sparse", "frame", "SVR", "CalibratedSVC"])
def test_training_rows_are_recognised(name):
    found = fitted(name)
    assert TRAINED in words_of(found.model, *found.rows.training)


@pytest.mark.parametrize("name", ["SVC", "sparse", "SVR"])
def test_other_rows_are_not(name):
    found = fitted(name)
    words = words_of(found.model, *found.rows.test)
    assert NONE_FOUND in words
    assert TRAINED not in words


@pytest.mark.parametrize("name", ["LinearSVC", "OnlineSVC", "strings", "precomputed"])
def test_what_cannot_be_known_is_said_to_be_unknown(name):
    found = fitted(name)
    assert UNKNOWN in words_of(found.model, *found.rows.test)


def test_some_training_rows_among_others_are_found():
    found = fitted("SVC")
    X, y = found.rows.X, found.rows.y
    rows = np.concatenate([found.model.support_[:7], np.arange(N_TRAINING, len(y))])
    words = words_of(found.model, X[rows], y[rows])
    assert f"7 {PARTLY}" in words


def test_a_claim_is_reported_as_a_claim():
    found = fitted("SVC")
    words = words_of(found.model, *found.rows.test, evaluation="held-out")
    assert CLAIMED in words
    assert "Beware" not in words
    assert f"{len(found.rows.y) - N_TRAINING} held-out rows" in words


def test_a_wrong_claim_is_contradicted():
    found = fitted("SVC")
    words = words_of(found.model, *found.rows.training, evaluation="held-out")
    n_support = len(found.model.support_)
    assert f"but X holds {n_support} rows that are support vectors of the model" in words
    assert CLAIMED not in words
    assert "Beware" in words


@pytest.mark.parametrize("make", [lambda: SVC(C=1e4, max_iter=5), lambda: LinearSVC(max_iter=1)])
def test_a_fit_that_did_not_converge_is_named_first(make):
    X, y = fitted("SVC").rows.training
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = make()
        if isinstance(model, LinearSVC):
            model.set_params(solver="coordinate-descent", C=1e4, tol=1e-9)
        model.fit(X, y)
    words = words_of(model, X, y)
    assert words.count("The fit did not converge") == 2
    assert words.index("The fit did not converge") < words.index("accuracy")


def test_an_indefinite_kernel_proves_no_optimum():
    X, y = fitted("SVC").rows.training
    model = SVC(kernel="sigmoid", gamma=0.5, coef0=-1.0).fit(X, y)
    assert "No optimum is proved" in words_of(model, X, y)


def test_a_model_saved_without_its_proof_has_none(tmp_path):
    found = fitted("SVC")
    maxmargin.save(found.model, tmp_path / "a.safetensors", proof=False)
    words = words_of(maxmargin.load(tmp_path / "a.safetensors"), *found.rows.test)
    assert "There is no certificate. The model was saved without its proof" in words


def test_a_saved_model_has_the_same_report(tmp_path):
    found = fitted("search of a pipeline")
    model = found.model.best_estimator_
    maxmargin.save(model, tmp_path / "a.safetensors")
    again = words_of(maxmargin.load(tmp_path / "a.safetensors"), *found.rows.test)
    assert model[-1].certificate_.claim in again


def test_a_model_of_libsvm_has_no_times_and_no_share(tmp_path):
    from maxmargin.persist import from_libsvm, to_libsvm

    found = fitted("many classes")
    to_libsvm(found.model, tmp_path / "a.model")
    X, y = found.rows.test
    words = words_of(from_libsvm(tmp_path / "a.model"), X, y)
    assert "There is no certificate" in words
    assert "of the training rows" not in words
    assert "fit of the machine" not in words


def test_cells_without_a_score_are_counted():
    X, y = fitted("SVC").rows.training
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = SVMSearchCV(SVC(), {"C": [1.0, -1.0, 2.0]}, cv=3).fit(X, y)
    assert "1 candidate has no score" in words_of(search, X, y)


def test_rows_of_one_class_have_no_costs():
    found = fitted("SVC")
    X, y = found.rows.test
    words = words_of(found.model, X[y == "real"], y[y == "real"])
    assert "All of these rows are of one class" in words


def test_labels_that_do_not_say_what_is_usual_are_not_used():
    found = fitted("OneClassSVM")
    X, _ = found.rows.test
    words = words_of(found.model, X, np.arange(len(X)) % 3)
    assert "no labels that say which of them are usual" in words


@pytest.mark.parametrize("name", ["SVC", "many classes", "LinearSVC", "SVR", "OneClassSVM"])
def test_a_pickled_model_has_the_same_report(name):
    found = fitted(name)
    again = pickle.loads(pickle.dumps(found.model))
    mine, its = (words_of(model, *found.rows.test) for model in (found.model, again))
    assert its.partition("Times")[0] == mine.partition("Times")[0]
