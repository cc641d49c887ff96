"""What scikit-learn's users expect of a search: scorers, metadata, failures, attributes, limits."""

import io
import os
import signal
import time

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, get_scorer, make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin import SVC, SVR, InvalidInputError, NuSVC, SVMSearchCV, interrupts
from maxmargin.machines import progress
from maxmargin.metrics import get_scorer as our_scorer
from maxmargin.metrics import get_scorer_names

GRID = {"C": [0.1, 1.0, 10.0], "gamma": [0.05, 0.5]}
FOLDS = StratifiedKFold(3)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
@parametrize_with_checks(
    [
        SVMSearchCV(SVC(), {"C": [0.1, 1.0]}, cv=2, error_score="raise"),
        SVMSearchCV(SVR(), {"C": [0.1, 1.0]}, cv=2, error_score="raise"),
        SVMSearchCV(
            make_pipeline(StandardScaler(with_mean=False), SVC()),
            {"svc__C": [0.1, 1.0]},
            cv=2,
            error_score="raise",
        ),
    ]
)
def test_scikit_learn_finds_nothing_wrong(estimator, check):
    check(estimator)


def test_several_scorers_and_the_one_that_decides(two_classes):
    scoring = {"auc": "roc_auc", "accuracy": make_scorer(accuracy_score), "f1": "f1"}
    options = {"scoring": scoring, "refit": "auc", "cv": FOLDS, "return_train_score": True}
    ours = SVMSearchCV(SVC(), GRID, **options).fit(*two_classes)
    theirs = GridSearchCV(SVC(), GRID, **options).fit(*two_classes)
    assert list(ours.cv_results_) == list(theirs.cv_results_)
    assert ours.multimetric_
    assert set(ours.scorer_) == set(scoring)
    assert ours.best_index_ == np.argmin(ours.cv_results_["rank_test_auc"])
    assert ours.score(*two_classes) == pytest.approx(theirs.score(*two_classes), abs=0.01)


@pytest.mark.parametrize("name", get_scorer_names())
def test_our_scorers_are_known_by_name(two_classes, name):
    X, y = two_classes
    found = SVMSearchCV(SVC(), {"C": [0.1, 1.0]}, cv=3, scoring=name).fit(X, y)
    given = SVMSearchCV(SVC(), {"C": [0.1, 1.0]}, cv=3, scoring=our_scorer(name)).fit(X, y)
    means = [search.cv_results_["mean_test_score"] for search in (found, given)]
    np.testing.assert_array_equal(*means)
    assert found.score(X, y) == given.score(X, y)
    assert clone(found).scoring == name


@pytest.mark.parametrize(
    "scoring", [["neg_min_dcf", "accuracy"], {"cost": "neg_min_dcf", "hits": "accuracy"}]
)
def test_our_scorers_stand_beside_theirs(two_classes, scoring):
    X, y = two_classes
    first = next(iter(scoring))
    found = SVMSearchCV(SVC(), {"C": [0.1, 1.0]}, cv=3, scoring=scoring, refit=first).fit(X, y)
    alone = SVMSearchCV(SVC(), {"C": [0.1, 1.0]}, cv=3, scoring="neg_min_dcf").fit(X, y)
    assert found.best_score_ == alone.best_score_
    assert set(found.scorer_) == set(scoring)


@pytest.mark.parametrize("scoring", ["min_dcf", ["accuracy", "min_dcf"], {"a": "min_dcf"}])
def test_an_unknown_scorer_is_told_the_names(two_classes, scoring):
    with pytest.raises(InvalidInputError, match="'min_dcf', which names no scorer") as told:
        SVMSearchCV(SVC(), {}, scoring=scoring, refit=False).fit(*two_classes)
    assert all(name in str(told.value) for name in get_scorer_names())


@pytest.mark.parametrize("scoring", [[], ["accuracy", "accuracy"], [1], {}])
def test_lists_that_are_not_of_names_are_refused_as_by_scikit_learn(two_classes, scoring):
    said = []
    for search in (GridSearchCV, SVMSearchCV):
        with pytest.raises(ValueError) as told:  # noqa: PT011
            search(SVC(), {"C": [1.0]}, scoring=scoring, refit=False).fit(*two_classes)
        said.append(str(told.value))
    assert said[0] == said[1]


def test_a_scorer_that_returns_several_numbers(two_classes):
    def both(machine, X, y):
        right = machine.predict(X) == y
        return {"accuracy": right.mean(), "support": float(machine.n_support_.sum())}

    search = SVMSearchCV(SVC(), GRID, scoring=both, refit="accuracy", cv=FOLDS).fit(*two_classes)
    assert search.cv_results_["mean_test_support"].min() > 10


def test_refit_may_be_a_function_or_not_wanted(two_classes):
    last = SVMSearchCV(SVC(), GRID, refit=lambda results: 5, cv=FOLDS).fit(*two_classes)
    assert last.best_params_ == {"C": 10.0, "gamma": 0.5}
    none = SVMSearchCV(SVC(), GRID, refit=False, cv=FOLDS).fit(*two_classes)
    assert none.best_score_ == none.cv_results_["mean_test_score"].max()
    with pytest.raises(AttributeError):
        none.predict(two_classes[0])


def test_sample_weights_reach_fits_and_scorers(two_classes, rng):
    X, y = two_classes
    weight = rng.uniform(0.1, 3.0, len(y))
    ours = SVMSearchCV(SVC(), GRID, cv=FOLDS).fit(X, y, sample_weight=weight)
    theirs = GridSearchCV(SVC(), GRID, cv=FOLDS).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(
        ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], atol=0.01
    )
    plain = SVMSearchCV(SVC(), GRID, cv=FOLDS).fit(X, y)
    assert (ours.decision_function(X) != plain.decision_function(X)).any()


def test_metadata_is_routed(two_classes, rng):
    X, y = two_classes
    weight, groups = rng.uniform(0.1, 3.0, len(y)), np.arange(len(y)) % 7
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = get_scorer("accuracy").set_score_request(sample_weight=True)
        for machine, prefix in (
            (SVC().set_fit_request(sample_weight=True), ""),
            (
                make_pipeline(StandardScaler(), SVC().set_fit_request(sample_weight=True)),
                "svc__",
            ),
        ):
            if prefix:
                machine.steps[0][1].set_fit_request(sample_weight=False)
            grid = {prefix + name: values for name, values in GRID.items()}
            options = {"cv": GroupKFold(3), "scoring": scorer}
            told = {"sample_weight": weight, "groups": groups}
            ours = SVMSearchCV(clone(machine), grid, **options).fit(X, y, **told)
            theirs = GridSearchCV(clone(machine), grid, **options).fit(X, y, **told)
            np.testing.assert_allclose(
                ours.cv_results_["mean_test_score"],
                theirs.cv_results_["mean_test_score"],
                atol=0.01,
            )


def test_weights_for_a_step_of_a_pipeline(two_classes, rng):
    X, y = two_classes
    told = {"svc__sample_weight": rng.uniform(0.1, 3.0, len(y))}
    pipeline = make_pipeline(StandardScaler(), SVC())
    grid = {"svc__C": [0.1, 10.0]}
    ours = SVMSearchCV(pipeline, grid, cv=FOLDS).fit(X, y, **told)
    theirs = GridSearchCV(pipeline, grid, cv=FOLDS).fit(X, y, **told)
    np.testing.assert_allclose(
        ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], atol=0.01
    )


def test_a_fit_that_fails_scores_error_score(two_classes):
    X, y = two_classes
    y = y.copy()
    y[:] = 0
    y[::20] = 1
    search = SVMSearchCV(NuSVC(gamma=0.1), {"nu": [0.05, 0.9]}, cv=FOLDS, error_score=-1.0)
    with pytest.warns(FitFailedWarning, match="3 fits failed out of a total of 6"):
        search.fit(X, y)
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"] == -1.0, [False, True])
    with pytest.raises(ValueError, match="nu is infeasible"):
        search.set_params(error_score="raise").fit(X, y)
    with pytest.raises(ValueError, match="All the 6 fits failed"):
        SVMSearchCV(SVC(), {"C": [-1.0, -2.0]}, cv=FOLDS).fit(X, y)


def test_points_that_no_machine_takes_are_refused_as_by_scikit_learn(two_classes):
    X, y = two_classes
    X = X.copy()
    X[::9, 1] = np.nan
    with pytest.raises(ValueError, match=r"(?s)All the 6 fits failed.*NaN"):
        SVMSearchCV(SVC(), {"C": [0.1, 1.0]}, cv=FOLDS).fit(X, y)


def test_any_other_estimator_is_searched_too(two_classes):
    grid = {"C": [0.1, 1.0]}
    ours = SVMSearchCV(LogisticRegression(), grid, cv=FOLDS).fit(*two_classes)
    theirs = GridSearchCV(LogisticRegression(), grid, cv=FOLDS).fit(*two_classes)
    np.testing.assert_array_equal(
        ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"]
    )


@pytest.mark.filterwarnings("ignore:.*probability.*deprecated:FutureWarning")
def test_probabilities_can_be_scored(two_classes):
    grid = {"C": [0.1, 1.0], "probability": [True], "gamma": [0.1]}
    search = SVMSearchCV(SVC(random_state=0), grid, cv=FOLDS, scoring="neg_log_loss")
    assert search.fit(*two_classes).best_score_ > -0.7


def test_frames_keep_their_names(two_classes):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(two_classes[0], columns=list("abcde"))
    search = SVMSearchCV(SVC(), GRID, cv=FOLDS, error_score="raise").fit(X, two_classes[1])
    assert list(search.feature_names_in_) == list("abcde")
    assert search.n_features_in_ == 5


# Ends --------------------------------------------------------------------------------------------


def interrupting(after):
    """Return a scorer that interrupts the process when it has been called so often."""
    calls = []

    def score(machine, X, y):
        calls.append(1)
        if len(calls) == after:
            os.kill(os.getpid(), signal.SIGINT)
        return machine.score(X, y)

    return score


@pytest.fixture
def long_search(rng):
    """A grid that takes minutes."""
    X, y = rng.normal(size=(1500, 10)), rng.integers(0, 2, 1500)
    grid = {"gamma": [0.01], "C": list(np.logspace(-3, 8, 200))}
    return SVMSearchCV(SVC(tol=1e-6), grid, cv=2, n_jobs=2, refit=False), X, y


def test_the_time_limit_ends_a_search_with_the_best_so_far(long_search):
    search, X, y = long_search
    search.set_params(time_limit=3.0)
    started = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match=r"time_limit=3.0 was reached: \d+ of 400 cells"):
        search.fit(X, y)
    assert time.perf_counter() - started < 60.0
    mean = search.cv_results_["mean_test_score"]
    assert np.isnan(mean[-1])
    assert search.best_score_ == np.nanmax(mean)


def test_a_time_limit_that_nothing_can_keep(two_classes):
    with pytest.raises(InvalidInputError, match="before its first cell, because time_limit=1e-09"):
        SVMSearchCV(SVC(), GRID, cv=FOLDS, time_limit=1e-9).fit(*two_classes)


def test_the_time_limit_ends_fits_by_themselves_too(rng):
    X, y = rng.normal(size=(3000, 10)), rng.integers(0, 2, 3000)
    grid = {"C": [1e-3, 1e7], "gamma": [0.01], "tol": [1e-10]}
    search = SVMSearchCV(SVC(max_iter=10**9), grid, cv=2, time_limit=2.0, refit=False)
    started = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match=r"of 4 cells were not reached"):
        search.fit(X, y)
    assert time.perf_counter() - started < 60.0


def test_an_interrupt_ends_a_search_with_the_best_so_far(long_search):
    search, X, y = long_search
    search.set_params(scoring=interrupting(10))
    with pytest.warns(ConvergenceWarning, match=r"it was interrupted: \d+ of 400 cells"):
        search.fit(X, y)
    assert np.isfinite(search.best_score_)
    assert np.isnan(search.cv_results_["mean_test_score"][-1])


def test_a_second_interrupt_is_one(long_search, monkeypatch):
    monkeypatch.setattr(interrupts.Now, "at", interrupts.monotonic() + 60.0)
    search, X, y = long_search
    search.set_params(scoring=interrupting(10))
    with pytest.raises(KeyboardInterrupt):
        search.fit(X, y)


def test_the_bar_counts_cells(two_classes, monkeypatch):
    shown = io.StringIO()
    console = progress.Console
    monkeypatch.setattr(
        progress,
        "Console",
        lambda **_: console(file=shown, force_terminal=True, width=120, color_system=None),
    )
    SVMSearchCV(SVC(), GRID, cv=FOLDS, verbose=1).fit(*two_classes)
    assert "18/18" in shown.getvalue()
    assert "left" in shown.getvalue()


def test_callbacks_see_every_cell_and_may_end_the_search(two_classes):
    pytest.importorskip("sklearn.callback")

    class Counter:
        def __init__(self, most):
            self.most, self.n_cells, self.set_up = most, 0, 0

        def setup(self, estimator, context):
            self.set_up += 1

        def teardown(self, estimator, context):
            self.set_up -= 1

        def on_fit_task_begin(self, estimator, context):
            pass

        def on_fit_task_end(self, estimator, context, **_):
            self.n_cells += context.task_name == "candidate-split-evaluation"
            return self.n_cells >= self.most

    counter = Counter(1000)
    SVMSearchCV(SVC(), GRID, cv=FOLDS).set_callbacks(counter).fit(*two_classes)
    assert (counter.n_cells, counter.set_up) == (18, 0)
    grid = {"C": list(np.logspace(-2, 3, 60)), "gamma": [0.1]}
    few = SVMSearchCV(SVC(), grid, cv=FOLDS, n_jobs=1).set_callbacks(Counter(3))
    with pytest.warns(ConvergenceWarning, match="a callback asked for it"):
        few.fit(*two_classes)
