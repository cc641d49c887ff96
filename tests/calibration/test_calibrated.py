"""Predictions, probabilities and thresholds of a calibrated classifier agree with each other."""

import pickle

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn import svm
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import maxmargin
from maxmargin import SVC, CalibratedSVC, InvalidInputError, LinearSVC, NuSVC
from maxmargin.metrics import act_dcf, bayes_threshold, dcf, get_scorer, min_dcf

METHODS = ["platt", "isotonic", "logistic"]
each_method = pytest.mark.parametrize("method", METHODS)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [
        CalibratedSVC(),
        CalibratedSVC(SVC(), method="isotonic"),
        CalibratedSVC(SVC(), method="logistic"),
        CalibratedSVC(NuSVC(nu=0.3), cv=3),
        CalibratedSVC(SVC(multi_class="ovr"), method="logistic"),
        CalibratedSVC(LinearSVC(), method="platt"),
    ]
)
def test_scikit_learn_finds_nothing_wrong(estimator, check):
    check(estimator)


@each_method
@pytest.mark.parametrize("prior", [None, 0.1, 0.8])
def test_decisions_probabilities_and_predictions_agree(method, prior, two_classes):
    X, y = two_classes
    model = CalibratedSVC(SVC(gamma=0.3), method=method, prior=prior).fit(X, y)
    probability = model.predict_proba(X)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(X), model.classes_[probability.argmax(axis=1)])
    decision = model.decision_function(X)
    np.testing.assert_array_equal(model.predict(X) == 1, decision > model.threshold())
    np.testing.assert_allclose(
        model.log_likelihood_ratio(X), logit(probability[:, 1]) - logit(model.priors_[1]), atol=1e-6
    )
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(probability))


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_a_log_odds_decides_at_zero(method, two_classes):
    X, y = two_classes
    model = CalibratedSVC(SVC(gamma=0.3), method=method, prior=0.2).fit(X, y)
    assert model.threshold() == 0.0
    probability = model.predict_proba(X)[:, 1]
    np.testing.assert_allclose(expit(model.decision_function(X)), probability)


def test_the_logistic_decides_by_the_log_likelihood_ratio(two_classes):
    X, y = two_classes
    model = CalibratedSVC(SVC(gamma=0.3), method="logistic", prior=0.2).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), model.log_likelihood_ratio(X))
    assert model.threshold() == pytest.approx(np.log(4))
    even = clone(model).set_params(prior=None).fit(X, y)
    assert even.threshold() == 0.0


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_a_prior_moves_the_log_odds_by_its_own(method, two_classes):
    X, y = two_classes
    at = {
        prior: CalibratedSVC(SVC(gamma=0.3), method=method, prior=prior).fit(X, y)
        for prior in (0.05, 0.5)
    }
    moved = at[0.5].decision_function(X) - at[0.05].decision_function(X)
    np.testing.assert_allclose(moved, -logit(0.05), rtol=1e-9)
    np.testing.assert_allclose(
        at[0.5].log_likelihood_ratio(X), at[0.05].log_likelihood_ratio(X), atol=1e-9
    )


@each_method
def test_costs_move_the_threshold_and_nothing_else(method, two_classes):
    X, y = two_classes
    plain = CalibratedSVC(SVC(gamma=0.3), method=method, prior=0.3).fit(X, y)
    costly = clone(plain).set_params(cost_fn=8.0, cost_fp=2.0).fit(X, y)
    np.testing.assert_allclose(costly.predict_proba(X), plain.predict_proba(X))
    assert plain.threshold(cost_fn=8.0, cost_fp=2.0) == costly.threshold()
    # Saying no costs 8 p, saying yes 2 (1 - p).
    probability = plain.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(costly.predict(X) == 1, 8 * probability > 2 * (1 - probability))
    moved = plain.threshold(prior=0.1) - plain.threshold()
    assert moved == pytest.approx(bayes_threshold(0.1) - bayes_threshold(0.3))


@each_method
@pytest.mark.parametrize(
    "estimator",
    [
        SVC(gamma=0.2),
        SVC(gamma=0.2, multi_class="ovr"),
        svm.SVC(gamma=0.2),
        make_pipeline(StandardScaler(), SVC(gamma=0.2)),
    ],
    ids=["pairs", "rest", "scikit-learn", "pipeline"],
)
def test_many_classes_agree_and_are_better_than_guesses(method, estimator, three_classes):
    X, y = three_classes
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0)
    model = CalibratedSVC(estimator, method=method).fit(X_train, y_train)
    probability = model.predict_proba(X_test)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(X_test), model.classes_[probability.argmax(axis=1)])
    decision = model.decision_function(X_test)
    np.testing.assert_array_equal(decision.argmax(axis=1), probability.argmax(axis=1))
    assert model.score(X_test, y_test) > 0.5
    assert log_loss(y_test, probability) < 0.8 * np.log(3)


class Doubled(TransformerMixin, BaseEstimator):
    """A transformer that learns nothing, so that scikit-learn cannot see whether it was fitted."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return 2 * X


def test_a_pipeline_may_hold_a_transformer_that_learns_nothing(three_classes):
    X, y = three_classes
    doubled = CalibratedSVC(make_pipeline(Doubled(), SVC(gamma=0.05))).fit(X, y)
    plain = CalibratedSVC(make_pipeline("passthrough", SVC(gamma=0.2))).fit(X, y)
    np.testing.assert_allclose(doubled.predict_proba(X), plain.predict_proba(X), atol=1e-6)


def test_priors_of_many_classes_favour_what_they_say(three_classes):
    X, y = three_classes
    model = CalibratedSVC(SVC(gamma=0.2), prior=[0.9, 0.05, 0.05]).fit(X, y)
    even = CalibratedSVC(SVC(gamma=0.2), prior=[1 / 3] * 3).fit(X, y)
    assert (model.predict_proba(X)[:, 0] > even.predict_proba(X)[:, 0]).all()
    np.testing.assert_allclose(model.priors_, [0.9, 0.05, 0.05])


def test_the_estimator_is_the_fit_to_all_rows(two_classes):
    X, y = two_classes
    model = CalibratedSVC(SVC(gamma=0.3, C=5)).fit(X, y)
    plain = SVC(gamma=0.3, C=5).fit(X, y)
    np.testing.assert_array_equal(model.estimator_.decision_function(X), plain.decision_function(X))
    assert model.estimator_.certificate_.holds(1e-3)
    assert model.n_features_in_ == 4
    assert not hasattr(model, "oof_scores_")
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_its_log_likelihood_ratios_suit_the_scorers(two_classes):
    X, y = two_classes
    model = CalibratedSVC(SVC(gamma=0.3), method="logistic", prior=0.1)
    actual = -cross_val_score(model, X, y, scoring=get_scorer("neg_act_dcf"))
    least = -cross_val_score(model, X, y, scoring=get_scorer("neg_min_dcf"))
    assert (least <= actual).all()
    assert actual.mean() <= 1.05


def test_it_comes_with_the_package():
    assert maxmargin.CalibratedSVC is CalibratedSVC
    assert maxmargin.calibration.CalibratedSVC is CalibratedSVC


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"prior": [0.5, 0.4]}, "2 positive numbers that sum to 1"),
        ({"prior": [1.0, 0.0]}, "2 positive numbers"),
        ({"prior": [0.2, 0.3, 0.5]}, "2 positive numbers"),
    ],
)
def test_a_bad_prior_is_a_sentence(changes, sentence, two_classes):
    with pytest.raises(InvalidInputError, match=sentence):
        CalibratedSVC(**changes).fit(*two_classes)


def test_what_two_classes_are_for_is_refused_with_three(three_classes):
    X, y = three_classes
    with pytest.raises(InvalidInputError, match=r"one number, 0\.1, for 3 classes"):
        CalibratedSVC(prior=0.1).fit(X, y)
    with pytest.raises(InvalidInputError, match="cost_fn and cost_fp are about two classes"):
        CalibratedSVC(cost_fn=2.0).fit(X, y)
    model = CalibratedSVC(cv=3).fit(X, y)
    with pytest.raises(InvalidInputError, match="threshold compares two classes"):
        model.threshold()
    with pytest.raises(InvalidInputError, match="log_likelihood_ratio compares two classes"):
        model.log_likelihood_ratio(X)


def test_weights_that_an_estimator_cannot_use_are_refused(two_classes):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    X, y = two_classes
    with pytest.raises(InvalidInputError, match="takes none"):
        CalibratedSVC(LinearDiscriminantAnalysis()).fit(X, y, sample_weight=np.ones(len(y)))


def test_a_pipeline_hands_weights_to_its_last_step(two_classes):
    X, y = two_classes
    weight = np.random.default_rng(0).uniform(0.5, 3, len(y))
    piped = CalibratedSVC(make_pipeline("passthrough", SVC(gamma=0.3)))
    plain = CalibratedSVC(SVC(gamma=0.3, max_iter=10**7))
    np.testing.assert_allclose(
        piped.fit(X, y, sample_weight=weight).predict_proba(X),
        plain.fit(X, y, sample_weight=weight).predict_proba(X),
        atol=1e-4,
    )


@pytest.mark.data
@pytest.mark.parametrize("method", ["platt", "isotonic", "logistic"])
def test_fingerprints_are_decided_at_hardly_more_than_the_minimum(method, data_directory):
    with np.load(data_directory / "mlpr" / "mlpr_fingerprint_spoofing.npz") as file:
        X, y, X_test, y_test = (file[name] for name in ("X", "y", "X_test", "y_test"))
    np.random.seed(0)  # noqa: NPY002
    train = np.random.permutation(len(y))[:4000]  # noqa: NPY002
    best = SVC(C=10**1.5, gamma=np.exp(-2), bias="regularised")
    model = CalibratedSVC(best, method=method, prior=0.1).fit(X[train], y[train])
    raw = model.estimator_.decision_function(X_test)
    least = min_dcf(y_test, raw, prior=0.1)
    assert dcf(y_test, model.predict(X_test), prior=0.1) - least < 0.02
    assert act_dcf(y_test, model.log_likelihood_ratio(X_test), prior=0.1) - least < 0.02
    assert act_dcf(y_test, raw, prior=0.1) - least > 0.1
