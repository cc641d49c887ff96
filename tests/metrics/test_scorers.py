"""The scorers inside scikit-learn's tools."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer as sklearn_scorer
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB

from maxmargin import SVC, InvalidInputError, OneClassSVM, metrics
from maxmargin.metrics import get_scorer, get_scorer_names, make_dcf_scorer
from maxmargin.metrics.scorers import settings_of


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(200, n_features=5, flip_y=0.1, class_sep=0.8, random_state=0)
    return X, y


@pytest.mark.parametrize("name", get_scorer_names())
def test_a_named_scorer_is_minus_the_metric_of_its_name(name, data):
    X, y = data
    machine = SVC().fit(X, y)
    metric = getattr(metrics, name.removeprefix("neg_"))
    response = machine.predict if name == "neg_dcf" else machine.decision_function
    assert get_scorer(name)(machine, X, y) == -metric(y, response(X))


def test_a_scorer_tells_its_metric_and_costs():
    assert settings_of(get_scorer("neg_eer")) == ("eer", {})
    name, settings = settings_of(make_dcf_scorer("act_dcf", prior=0.3))
    assert (name, settings["prior"]) == ("act_dcf", 0.3)
    assert settings_of(get_scorer("accuracy")) is None


@pytest.mark.parametrize("name", get_scorer_names())
def test_the_larger_label_is_positive_whatever_it_is_called(name, data):
    X, y = data
    words = np.array(["absent", "present"])[y]
    scorer = get_scorer(name)
    assert scorer(SVC().fit(X, words), X, words) == scorer(SVC().fit(X, y), X, y)


def test_pos_label_turns_the_scores_around(data):
    X, y = data
    machine = SVC().fit(X, y)
    for kind in ("min_dcf", "act_dcf"):
        scorer = make_dcf_scorer(kind, prior=0.2, pos_label=0)
        expected = getattr(metrics, kind)(y, -machine.decision_function(X), 0.2, pos_label=0)
        assert scorer(machine, X, y) == -expected


def test_a_search_maximises_minus_the_cost(data):
    X, y = data
    scorer = make_dcf_scorer(prior=0.05, cost_fn=10)
    search = GridSearchCV(SVC(), {"C": [0.01, 1.0, 100.0]}, scoring=scorer, cv=3).fit(X, y)
    by_hand = [
        np.mean([-score for score in cross_val_score(SVC(C=C), X, y, scoring=scorer, cv=3)])
        for C in (0.01, 1.0, 100.0)
    ]
    np.testing.assert_allclose(-search.cv_results_["mean_test_score"], by_hand)
    assert search.best_index_ == int(np.argmin(by_hand))


def test_several_at_once(data):
    X, y = data
    scoring = {name: get_scorer(name) for name in ("neg_min_dcf", "neg_eer", "roc_auc")}
    found = cross_validate(SVC(), X, y, scoring=scoring, cv=3)
    assert (found["test_neg_min_dcf"] <= 0).all()
    assert (found["test_neg_eer"] <= 0).all()
    assert (found["test_roc_auc"] > 0.5).all()


def test_orders_are_read_from_probabilities_where_there_is_nothing_else(data):
    X, y = data
    bayes = GaussianNB().fit(X, y)
    expected = metrics.min_dcf(y, bayes.predict_proba(X)[:, 1])
    assert get_scorer("neg_min_dcf")(bayes, X, y) == -expected
    with pytest.raises(AttributeError, match="decision_function"):
        get_scorer("neg_cllr")(bayes, X, y)


def test_an_outlier_detector_is_judged_too(data):
    X, y = data
    labels = np.where(y == 1, 1, -1)
    machine = OneClassSVM(nu=0.3).fit(X[y == 1])
    expected = metrics.eer(labels, machine.decision_function(X))
    assert get_scorer("neg_eer")(machine, X, labels) == -expected


def test_weights_reach_the_metric(data):
    X, y = data
    machine = SVC().fit(X, y)
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    expected = -metrics.min_dcf(y, machine.decision_function(X), sample_weight=weight)
    scorer = get_scorer("neg_min_dcf")
    assert scorer(machine, X, y, sample_weight=weight) == expected
    with sklearn.config_context(enable_metadata_routing=True):
        requested = get_scorer("neg_min_dcf").set_score_request(sample_weight=True)
        search = GridSearchCV(SVC().set_fit_request(sample_weight=False), {"C": [1.0]}, cv=2,
                              scoring=requested)  # fmt: skip
        search.fit(X, y, sample_weight=weight)
        assert search.score(X, y, sample_weight=weight) == requested(
            search.best_estimator_, X, y, sample_weight=weight
        )


def test_a_threshold_is_tuned_for_given_costs(data):
    X, y = data
    costs = {"prior": 0.02, "cost_fn": 1.0, "cost_fp": 1.0}
    plain = LogisticRegression()
    tuned = TunedThresholdClassifierCV(
        plain, scoring=make_dcf_scorer("dcf", **costs), response_method="decision_function", cv=3
    ).fit(X, y)
    held_out = cross_val_predict(plain, X, y, method="decision_function", cv=3)
    assert tuned.best_threshold_ > 0
    assert -tuned.best_score_ <= metrics.act_dcf(y, held_out, **costs, threshold=0.0)


def test_scorers_travel_between_processes(data):
    X, y = data
    machine = SVC().fit(X, y)
    scorer = make_dcf_scorer(prior=0.3)
    assert pickle.loads(pickle.dumps(scorer))(machine, X, y) == scorer(machine, X, y)
    assert repr(get_scorer("neg_eer")).startswith("make_scorer(eer, greater_is_better=False")


def test_names_of_scikit_learn_and_callables_pass_through():
    assert repr(get_scorer("roc_auc")) == repr(sklearn_scorer("roc_auc"))
    own = make_scorer(metrics.eer, response_method="decision_function")
    assert get_scorer(own) is own


def test_wrong_names_are_answered_with_the_right_ones():
    with pytest.raises(InvalidInputError, match=r"'min_dcf', which names no.*neg_min_dcf"):
        get_scorer("min_dcf")
    with pytest.raises(InvalidInputError, match="scoring must be a name or a callable"):
        get_scorer(3)
    with pytest.raises(InvalidInputError, match="kind must be"):
        make_dcf_scorer("max_dcf")
    with pytest.raises(InvalidInputError, match="prior must lie"):
        make_dcf_scorer(prior=1.5)


def test_more_than_two_classes_get_a_sentence(data):
    X, y = data
    three = (y + np.arange(len(y)) % 2).astype(int)
    machine = SVC().fit(X, three)
    with pytest.raises(InvalidInputError, match="y holds 3 labels"):
        get_scorer("neg_dcf")(machine, X, three)
