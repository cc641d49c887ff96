"""The table's numbers, recomputed with scikit-learn's machines and costs at every threshold."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logit
from sklearn import svm
from sklearn.decomposition import PCA
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

ERROR_COSTS = 0.3 * 2.0, 0.7 * 1.0
EFFECTIVE_PRIOR = 0.6 / 1.3


def normalised_cost(scores, positive, threshold, error_costs):
    accept = scores > threshold
    of_miss, of_false_alarm = error_costs
    cost = of_miss * np.mean(~accept[positive]) + of_false_alarm * np.mean(accept[~positive])
    return cost / min(error_costs)


def minimum_cost(scores, positive, error_costs):
    levels = [-np.inf, *scores]
    return min(normalised_cost(scores, positive, level, error_costs) for level in levels)


def likelihood_ratios(known, positive, prior, scores):
    """Minimise the prior-weighted logistic loss by a general method."""

    def loss(parameters):
        log_odds = parameters[0] * known + parameters[1] + logit(prior)
        of_positive = np.logaddexp(0, -log_odds[positive]).mean()
        of_negative = np.logaddexp(0, log_odds[~positive]).mean()
        return prior * of_positive + (1 - prior) * of_negative

    slope, offset = minimize(loss, [1.0, 0.0], method="Nelder-Mead", tol=1e-12).x
    return slope * scores + offset


TRANSFORMERS = {
    "raw": None,
    "centred": StandardScaler(with_std=False),
    "standardised": StandardScaler(),
    "pca-2": PCA(2),
}


def their_machine(row):
    kernel = {"linear": "linear", "Gaussian": "rbf", "rbf": "rbf"}[row.family]
    machine = svm.SVC(kernel=kernel, tol=1e-10, **row.params)
    transformer = TRANSFORMERS[row.preprocessing]
    return machine if transformer is None else make_pipeline(transformer, machine)


def distance_to_optimum(machine, X, y):
    """Bound by its own gap how far LIBSVM's decision values are from those of the optimum.

    It keeps kernel values in float32, whatever its tolerance. |w - w*|^2 is at most twice the gap,
    values differ by |w - w*| |phi(x)| at most, and the intercept follows values on the margin.
    """
    signs = np.where(y == machine.classes_[1], 1.0, -1.0)
    values = machine.decision_function(X)
    coefficients = machine.dual_coef_[0]
    norm_squared = coefficients @ (values[machine.support_] - machine.intercept_)
    losses = machine.C * np.maximum(0.0, 1.0 - signs * values).sum()
    gap = max(norm_squared + losses - np.abs(coefficients).sum(), 0.0)
    longest = 1.0 if machine.kernel == "rbf" else np.sqrt((X**2).sum(axis=1).max())
    return 2 * longest * np.sqrt(2 * gap) + 1e-6


@pytest.mark.parametrize("place", range(14))
def test_every_row_of_a_split(place, result, data, rows):
    row = result.table[place]
    X, y = data
    train, test = rows
    machine = their_machine(row)
    known = -cross_val_predict(
        machine, X[train], y[train], cv=StratifiedKFold(3), method="decision_function"
    )
    machine.fit(X[train], y[train])
    positive = y == "fake"
    # "fake" is the first class, for which the decision values are negative.
    scores = -machine.decision_function(X[test])
    threshold = np.log(ERROR_COSTS[1] / ERROR_COSTS[0])
    assert row.min_dcf == pytest.approx(
        minimum_cost(scores, positive[test], ERROR_COSTS), abs=1e-12
    )
    actual = normalised_cost(scores, positive[test], threshold, ERROR_COSTS)
    assert row.act_dcf == pytest.approx(actual, abs=1e-12)
    ratios = likelihood_ratios(known, positive[train], EFFECTIVE_PRIOR, scores)
    support = machine if row.preprocessing == "raw" else machine[-1]
    points = X[train] if row.preprocessing == "raw" else machine[:-1].transform(X[train])
    distance = distance_to_optimum(support, points, y[train])
    np.testing.assert_allclose(row.scores.raw, scores, rtol=0, atol=distance)
    np.testing.assert_allclose(row.scores.calibrated, ratios, atol=1e-4)
    assert row.n_support == support.n_support_.sum()
    bounded = np.isclose(np.abs(support.dual_coef_), row.params["C"], rtol=1e-6).sum()
    assert (row.n_bounded, row.n_free) == (bounded, row.n_support - bounded)


@pytest.mark.parametrize("place", [0, 5, 13])
def test_the_evaluation_columns(place, result, data, rows):
    row = result.table[place]
    X, y = data
    machine = their_machine(row).fit(X[rows[0]], y[rows[0]])
    scores = -machine.decision_function(X[500:])
    positive = y[500:] == "fake"
    assert row.evaluation.min_dcf == pytest.approx(minimum_cost(scores, positive, ERROR_COSTS))
    threshold = np.log(ERROR_COSTS[1] / ERROR_COSTS[0])
    actual = normalised_cost(scores, positive, threshold, ERROR_COSTS)
    assert row.evaluation.act_dcf == pytest.approx(actual)


def test_the_dual_value_is_that_of_their_multipliers(result, data, rows):
    row = result.find("linear", "raw", C=1.0)
    X, y = data
    machine = their_machine(row).fit(X[rows[0]], y[rows[0]])
    weights = machine.coef_[0]
    dual = np.abs(machine.dual_coef_).sum() - weights @ weights / 2
    assert row.dual == pytest.approx(dual, rel=1e-6)
    assert row.certified
    assert row.relative_gap <= 1e-6


@pytest.mark.parametrize("place", range(4))
def test_folds_are_pooled(place, folded, data):
    row = folded.table[place]
    X, y = data
    folds = StratifiedKFold(5)
    machine = make_pipeline(StandardScaler(), svm.SVC(tol=1e-6, **row.params))
    scores = cross_val_predict(machine, X, y, cv=folds, method="decision_function")
    positive = y == "real"
    error_costs = 0.1, 0.9
    assert row.min_dcf == pytest.approx(minimum_cost(scores, positive, error_costs), abs=1e-12)
    order = np.concatenate([test for _, test in folds.split(X, y)])
    np.testing.assert_allclose(row.scores.raw, scores[order], atol=1e-4)
    np.testing.assert_array_equal(row.scores.positive, positive[order])


def test_a_fold_is_calibrated_by_the_others(folded, data):
    row = folded.best
    X, y = data
    tests = [test for _, test in StratifiedKFold(5).split(X, y)]
    limits = np.cumsum([0, *map(len, tests)])
    first = slice(limits[0], limits[1])
    others = slice(limits[1], None)
    ratios = likelihood_ratios(
        row.scores.raw[others], row.scores.positive[others], 0.1, row.scores.raw[first]
    )
    np.testing.assert_allclose(row.scores.calibrated[first], ratios, atol=1e-4)
