"""Out of fold, each training row is judged by a copy of the model that has not seen it."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, cross_val_predict

from maxmargin import SVC, CalibratedSVC, InvalidInputError, SVMSearchCV, solve
from maxmargin.pages import report
from maxmargin.pages.predictions import out_of_fold
from maxmargin.pages.subject import Subject
from maxmargin.problems import SoftMargin

from ..reading import Numbers
from .models import fitted
from .test_truth import words_of

FOLDS = {"search": 3, "SVR, searched": 3, "search of a pipeline": 3}


@pytest.mark.parametrize(
    "name",
    ["SVC", "pipeline", "frame", "sparse", "precomputed", "strings", "many classes", "SVR", *FOLDS],
)
def test_predictions_are_those_of_scikit_learn(name):
    found = fitted(name)
    X, y = found.rows.training
    model = getattr(found.model, "best_estimator_", found.model)
    ours = out_of_fold(Subject(found.model), X, y)
    theirs = cross_val_predict(clone(model), X, y, cv=FOLDS.get(name, 5))
    np.testing.assert_array_equal(ours.predicted, theirs)
    assert ours.n_folds == FOLDS.get(name, 5)


def test_scores_of_every_fold_are_log_likelihood_ratios_at_its_own_prior():
    X, y = fitted("SVC").rows.training
    folds = StratifiedKFold(4, shuffle=True, random_state=1)
    model = CalibratedSVC(SVC(), method="platt", cv=folds).fit(X, y)
    ours = out_of_fold(Subject(model), X, y)
    for train, test in folds.split(X, y):
        copy = clone(model).fit(X[train], y[train])
        np.testing.assert_allclose(ours.scores[test], copy.log_likelihood_ratio(X[test]))


def test_the_page_is_about_left_out_rows():
    found = fitted("search")
    X, y = found.rows.training
    html = report(found.model, X, y, evaluation="out-of-fold").html
    words, page = " ".join(html.split()), Numbers(html)
    assert f"judged on {len(y)} training rows out of fold" in words
    assert "trained on the other 2 folds" in words
    assert "Its parameters were chosen with the help of these rows" in words
    best = found.model.best_estimator_
    scores = cross_val_predict(clone(best), X, y, cv=3, method="decision_function")
    assert page.tiles["area under the ROC"] == f"{roc_auc_score(y == 'real', scores):.4f}"
    assert "fits and predictions of 3 folds for this report" in words


def test_novelty_has_no_labels_to_fold_by():
    found = fitted("OneClassSVM, no labels")
    X, _ = found.rows.training
    predicted = np.concatenate(
        [clone(found.model).fit(X[a]).predict(X[b]) for a, b in KFold(5).split(X)]
    )
    page = Numbers(report(found.model, X, evaluation="out-of-fold").html)
    assert page.tiles["rows outside"] == str(np.sum(predicted == -1))


def test_a_search_beside_the_model_is_shown_with_it():
    found = fitted("search")
    X, y = found.rows.training
    model = CalibratedSVC(found.model.best_estimator_, method="logistic").fit(X, y)
    words = words_of(model, *found.rows.test, search=found.model)
    assert "calibrated, chosen by a search" in words
    assert "The candidates, best first" in words
    assert "search=search" in words
    assert "chosen by the search" in words


def test_what_cannot_be_folded_is_said():
    X, y = fitted("SVC").rows.training
    solution = solve(SoftMargin(X, np.where(y == "real", 1, -1)))
    with pytest.raises(InvalidInputError, match="a Solution cannot be fitted again"):
        report(solution, evaluation="out-of-fold")
    search = SVMSearchCV(SVC(), {"C": [1.0, 2.0]}, cv=ShuffleSplit(3, random_state=0)).fit(X, y)
    with pytest.raises(InvalidInputError, match="folds that leave out each row once"):
        report(search, X, y, evaluation="out-of-fold")
    with pytest.raises(InvalidInputError, match="search must be a fitted search"):
        report(search, X, y, search=SVC())
    with pytest.raises(InvalidInputError, match="not fitted"):
        report(search, X, y, search=SVMSearchCV(SVC(), {"C": [1.0]}))
