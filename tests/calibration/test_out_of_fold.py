"""Scores of held-out rows are those of machines fitted to the other rows by themselves."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, CalibratedSVC, InvalidInputError, LinearSVC, NuSVC
from maxmargin.calibration.out_of_fold import can_share_rows
from maxmargin.kernels import Laplacian

FOLDS = StratifiedKFold(4, shuffle=True, random_state=0)


def held_out(estimator, X, y, scale_C=False, **params):
    model = CalibratedSVC(estimator, cv=FOLDS, keep_scores=True, scale_C=scale_C)
    return model.fit(X, y, **params).oof_scores_


def alone(estimator, X, y, sample_weight=None, scale_C=False):
    """Values at the rows of each fold of a machine that knows nothing of the others."""
    values = None
    for train, test in FOLDS.split(X, y):
        weight = np.ones(len(y)) if sample_weight is None else sample_weight
        machine = clone(estimator)
        if scale_C:
            machine.set_params(C=machine.C * weight.sum() / weight[train].sum())
        given = {} if sample_weight is None else {"sample_weight": sample_weight[train]}
        found = machine.fit(X[train], y[train], **given).decision_function(X[test])
        if values is None:
            values = np.empty((len(y), *found.shape[1:]))
        values[test] = found
    return values


MACHINES = {
    "gaussian": SVC(C=3, gamma=0.3),
    "large C": SVC(C=1e3, gamma=0.3),
    "polynomial": SVC(kernel="poly", degree=2, coef0=1.0, gamma=0.5),
    "laplacian": SVC(kernel=Laplacian(0.2)),
    "callable": SVC(kernel=lambda a, b: (a @ b.T + 1) ** 2, C=0.1),
    "regularised": SVC(C=3, gamma=0.3, bias="regularised"),
    "weighted": SVC(gamma=0.3, class_weight={0: 0.3, 1: 2.0}),
    "balanced": SVC(gamma=0.3, class_weight="balanced"),
    "nu": NuSVC(nu=0.4, gamma=0.3),
    "nu, regularised": NuSVC(nu=0.4, gamma=0.3, bias="regularised"),
}


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
@pytest.mark.parametrize("weighted", [False, True], ids=["equal", "weighted"])
def test_a_machine_is_that_of_the_other_rows(machine, weighted, two_classes):
    X, y = two_classes
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y)) if weighted else None
    assert can_share_rows(machine)
    fine = clone(machine).set_params(tol=1e-6)
    found = held_out(fine, X, y, sample_weight=weight)
    np.testing.assert_allclose(found, alone(fine, X, y, weight), atol=2e-5, rtol=1e-5)


@pytest.mark.parametrize("weighted", [False, True], ids=["equal", "weighted"])
@pytest.mark.parametrize(
    "machine", [SVC(C=3, gamma=0.3, tol=1e-6), LinearSVC(tol=1e-9), svm.LinearSVC(tol=1e-9)]
)
def test_the_penalty_grows_as_rows_get_fewer(machine, weighted, two_classes):
    X, y = two_classes
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y)) if weighted else None
    found = held_out(machine, X, y, scale_C=True, sample_weight=weight)
    np.testing.assert_allclose(found, alone(machine, X, y, weight, scale_C=True), atol=2e-5)


def test_a_fraction_does_not_grow_as_rows_get_fewer(two_classes):
    X, y = two_classes
    machine = NuSVC(nu=0.4, gamma=0.3, tol=1e-6)
    found = held_out(machine, X, y, scale_C=True)
    np.testing.assert_allclose(found, held_out(machine, X, y), atol=2e-5)


@pytest.mark.parametrize("scale_C", [False, True])
@pytest.mark.parametrize(
    ("n", "C"), [(2000, 1.0), (2000, 100.0), (5000, 1.0)], ids=["whole", "hard", "working sets"]
)
def test_a_machine_with_many_rows_is_within_its_tolerance(n, C, scale_C):
    X, y = make_classification(n, 8, n_informative=6, flip_y=0.1, random_state=0)
    machine = SVC(C=C, gamma=0.1)
    found = held_out(machine, X, y, scale_C=scale_C)
    np.testing.assert_allclose(found, alone(machine, X, y, scale_C=scale_C), atol=5e-3)


def test_repeated_rows_are_held_out_one_by_one():
    X, y = make_classification(1200, 4, flip_y=0.2, random_state=0)
    X = np.round(X)
    machine = SVC(gamma=0.2, tol=1e-6)
    np.testing.assert_allclose(held_out(machine, X, y), alone(machine, X, y), atol=1e-4)


def test_sparse_rows_are_no_different(two_classes):
    X, y = two_classes
    machine = SVC(gamma=0.3, tol=1e-6)
    found = held_out(machine, sparse.csr_array(np.where(np.abs(X) > 0.5, X, 0)), y)
    np.testing.assert_allclose(
        found, held_out(machine, np.where(np.abs(X) > 0.5, X, 0), y), atol=1e-5
    )


def test_a_precomputed_kernel_is_cut_by_rows_and_columns(two_classes):
    X, y = two_classes
    found = held_out(SVC(kernel="precomputed", tol=1e-6), rbf_kernel(X, gamma=0.3), y)
    np.testing.assert_allclose(found, held_out(SVC(gamma=0.3, tol=1e-6), X, y), atol=1e-5)


def test_a_rule_for_gamma_is_that_of_all_rows(two_classes):
    X, y = two_classes
    gamma = 1 / (X.shape[1] * X.var())
    np.testing.assert_allclose(held_out(SVC(), X, y), held_out(SVC(gamma=gamma), X, y), atol=1e-6)


def test_pairs_are_those_of_machines_for_two_classes(three_classes):
    X, y = three_classes
    found = held_out(SVC(gamma=0.2, tol=1e-6), X, y)
    for column, pair in enumerate([("ash", "birch"), ("ash", "cedar"), ("birch", "cedar")]):
        rows = np.isin(y, pair)
        assert np.isnan(found[~rows, column]).all()
        for train, test in FOLDS.split(X, y):
            train, test = train[rows[train]], test[rows[test]]
            machine = SVC(gamma=0.2, tol=1e-6).fit(X[train], y[train])
            # Of two classes the second is positive, of a pair the first.
            expected = -machine.decision_function(X[test])
            np.testing.assert_allclose(found[test, column], expected, atol=2e-5)


PLAIN = {
    "against the rest": SVC(gamma=0.2, multi_class="ovr", tol=1e-6),
    "linear": LinearSVC(),
    "pipeline": make_pipeline(StandardScaler(), LinearSVC()),
    "scikit-learn": svm.SVC(gamma=0.2),
    "limited": SVC(gamma=0.2, multi_class="ovr", max_iter=10**6),
}


@pytest.mark.parametrize("estimator", PLAIN.values(), ids=PLAIN)
def test_classes_against_the_rest_are_decision_functions(estimator, three_classes):
    X, y = three_classes
    expected = alone(estimator, X, y)
    np.testing.assert_allclose(held_out(estimator, X, y), expected, atol=2e-5)


def test_a_pipeline_fits_its_transformers_in_each_fold(three_classes):
    X, y = three_classes
    pipeline = make_pipeline(StandardScaler(), SVC(gamma=0.2, tol=1e-6))
    found = held_out(pipeline, X, y)
    for train, test in FOLDS.split(X, y):
        scaled = StandardScaler().fit(X[train])
        machine = SVC(gamma=0.2, tol=1e-6).fit(scaled.transform(X[train]), y[train])
        values = machine._machine_values(scaled.transform(X[test]))
        seen = ~np.isnan(found[test])
        np.testing.assert_allclose(found[test][seen], values[seen], atol=1e-6)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_platt_is_scikit_learn_with_the_same_folds(two_classes, n_jobs):
    X, y = two_classes
    theirs = CalibratedClassifierCV(svm.SVC(gamma=0.3, tol=1e-8), ensemble=False, cv=FOLDS)
    scores = cross_val_predict(
        svm.SVC(gamma=0.3, tol=1e-8), X, y, cv=FOLDS, method="decision_function"
    )
    ours = CalibratedSVC(
        SVC(gamma=0.3, tol=1e-6), cv=FOLDS, keep_scores=True, scale_C=False, n_jobs=n_jobs
    )
    ours.fit(X, y)
    np.testing.assert_allclose(ours.oof_scores_, scores, atol=1e-5)
    expected = theirs.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(ours.predict_proba(X), expected, atol=5e-5)


def test_folds_may_be_of_any_kind_that_holds_out_each_row_once(two_classes):
    X, y = two_classes
    groups = np.arange(len(y)) // 20
    by_group = CalibratedSVC(SVC(gamma=0.3), cv=GroupKFold(3), keep_scores=True)
    listed = CalibratedSVC(
        SVC(gamma=0.3), cv=list(GroupKFold(3).split(X, y, groups)), keep_scores=True
    )
    np.testing.assert_array_equal(
        by_group.fit(X, y, groups=groups).oof_scores_, listed.fit(X, y).oof_scores_
    )


def test_training_rows_that_are_not_all_others_are_fitted_alone(two_classes):
    X, y = two_classes
    some = [(train[::2], test) for train, test in FOLDS.split(X, y)]
    model = CalibratedSVC(SVC(gamma=0.3), cv=some, keep_scores=True, scale_C=False)
    found = model.fit(X, y).oof_scores_
    train, test = some[0]
    expected = SVC(gamma=0.3).fit(X[train], y[train]).decision_function(X[test])
    np.testing.assert_allclose(found[test], expected)


def test_rows_that_are_neither_trained_on_nor_held_out_are_left_out(two_classes):
    X, y = two_classes
    first, second, third = np.split(np.arange(300), 3)
    splits = [(second, first), (first, second), (np.r_[first, second], third)]
    model = CalibratedSVC(SVC(gamma=0.3), cv=splits, keep_scores=True, scale_C=False)
    found = model.fit(X, y).oof_scores_
    for train, test in splits:
        expected = SVC(gamma=0.3).fit(X[train], y[train]).decision_function(X[test])
        np.testing.assert_allclose(found[test], expected, atol=1e-2)


def test_rows_without_weight_have_no_say(two_classes):
    X, y = two_classes
    weight = np.ones(len(y))
    weight[::7] = 0
    kept = weight > 0
    splits = list(FOLDS.split(X, y))
    place = np.cumsum(kept) - 1
    fewer = [tuple(place[part[kept[part]]] for part in split) for split in splits]
    some = CalibratedSVC(SVC(gamma=0.3), cv=splits).fit(X, y, sample_weight=weight)
    none = CalibratedSVC(SVC(gamma=0.3), cv=fewer).fit(X[kept], y[kept])
    np.testing.assert_allclose(some.predict_proba(X), none.predict_proba(X), atol=1e-6)


class TestBadFolds:
    def test_a_row_that_is_never_held_out(self, two_classes):
        X, y = two_classes
        train, test = next(FOLDS.split(X, y))
        with pytest.raises(InvalidInputError, match="each row exactly once"):
            CalibratedSVC(cv=[(train, test)]).fit(X, y)

    @pytest.mark.parametrize("estimator", [SVC(), LinearSVC()], ids=["shared", "plain"])
    def test_a_fold_without_a_class(self, estimator):
        X, y = np.arange(20.0)[:, None], np.repeat([0, 1], 10)
        with pytest.raises(InvalidInputError, match=r"[Ff]old .*class"):
            CalibratedSVC(estimator, cv=KFold(2)).fit(X, y)

    def test_more_folds_than_rows_of_a_class(self, two_classes):
        X, _ = two_classes
        with pytest.raises(InvalidInputError, match="too few rows for 4 folds, 3"):
            CalibratedSVC(cv=4).fit(X[:50], np.r_[np.ones(3), np.zeros(47)])
