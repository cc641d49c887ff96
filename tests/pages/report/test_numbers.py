"""The numbers on the page, against scikit-learn's and counts of our own."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn import metrics

from maxmargin import SVC
from maxmargin.pages import report

from ..reading import Numbers
from .models import N_TRAINING, fitted

SETTING = {"prior": 0.2, "cost_fn": 3.0, "cost_fp": 1.0}
ERROR_COSTS = 0.2 * 3.0, 0.8 * 1.0


def page_of(name, **arguments):
    found = fitted(name)
    return found, Numbers(report(found.model, *found.rows.test, **arguments).html)


def costs_by_threshold(scores, positive):
    """Return the normalised cost of every threshold, by counting."""
    levels = [-np.inf, *scores]
    miss, false_alarm = ERROR_COSTS
    cost = [
        miss * np.mean(scores[positive] <= level) + false_alarm * np.mean(scores[~positive] > level)
        for level in levels
    ]
    return np.array(cost) / min(ERROR_COSTS)


@pytest.mark.parametrize("name", ["SVC", "CalibratedSVC", "CalibratedSVC, Platt", "pipeline"])
def test_costs_of_two_classes(name):
    found, page = page_of(name, **SETTING)
    X, y = found.rows.test
    positive = y == "real"
    scores = found.model.decision_function(X)
    if name == "CalibratedSVC, Platt":
        scores = found.model.log_likelihood_ratio(X)
    shown = {row[0]: row[1] for row in page.tables["Errors and costs"][1:]}
    predicted = found.model.predict(X) == "real"
    miss, false_alarm = np.mean(~predicted[positive]), np.mean(predicted[~positive])
    assert shown["misses"] == f"{miss:.2%}"
    assert shown["false alarms"] == f"{false_alarm:.2%}"
    assert shown["area under the ROC"] == f"{metrics.roc_auc_score(positive, scores):.4f}"
    assert shown["minDCF"] == f"{costs_by_threshold(scores, positive).min():.4f}"
    threshold = np.log(ERROR_COSTS[1] / ERROR_COSTS[0])
    accepted = scores > threshold
    actual = ERROR_COSTS[0] * np.mean(~accepted[positive]) + ERROR_COSTS[1] * np.mean(
        accepted[~positive]
    )
    assert shown["actDCF"] == f"{actual / min(ERROR_COSTS):.4f}"
    decided = (ERROR_COSTS[0] * miss + ERROR_COSTS[1] * false_alarm) / min(ERROR_COSTS)
    assert shown["DCF of predictions"] == f"{decided:.4f}"
    bits = np.log1p(np.exp(-scores[positive])).mean() + np.log1p(np.exp(scores[~positive])).mean()
    assert shown["Cllr"] == f"{bits / 2 / np.log(2):.4f} bit"
    assert page.tiles["minDCF"] == shown["minDCF"]
    assert page.tiles["actDCF"] == shown["actDCF"]


@pytest.mark.parametrize("name", ["SVC", "many classes", "many classes, linear", "search"])
def test_labels(name):
    found, page = page_of(name)
    X, y = found.rows.test
    predicted = found.model.predict(X)
    labels = np.unique(y)
    assert page.tiles["accuracy"] == f"{metrics.accuracy_score(y, predicted):.2%}"
    balanced = metrics.balanced_accuracy_score(y, predicted)
    assert page.tiles["balanced accuracy"] == f"{balanced:.2%}"
    caption = next(caption for caption in page.tables if caption.startswith("Confusion matrix"))
    matrix = [[int(cell) for cell in row[1:]] for row in page.tables[caption][2:]]
    assert matrix == metrics.confusion_matrix(y, predicted, labels=labels).tolist()
    measures = metrics.precision_recall_fscore_support(y, predicted, labels=labels)
    for row, label, precision, recall, f1, held in zip(
        page.tables["Class by class"][1:], labels, *measures, strict=True
    ):
        assert row == [str(label), f"{precision:.2%}", f"{recall:.2%}", f"{f1:.4f}", str(held)]


def test_probabilities_of_many_classes():
    found, page = page_of("many classes, calibrated")
    X, y = found.rows.test
    assert page.tiles["log loss"] == f"{metrics.log_loss(y, found.model.predict_proba(X)):.4g}"


@pytest.mark.parametrize("name", ["SVR", "NuSVR", "LinearSVR", "SVR, searched"])
def test_residuals(name):
    found, page = page_of(name)
    X, y = found.rows.test
    predicted = found.model.predict(X)
    assert page.tiles["R²"] == f"{metrics.r2_score(y, predicted):.4f}"
    error = metrics.mean_absolute_error(y, predicted)
    assert page.tiles["mean absolute error"] == f"{error:.4g}"
    squared = np.sqrt(metrics.mean_squared_error(y, predicted))
    assert page.tiles["root mean squared error"] == f"{squared:.4g}"
    assert page.tiles["largest error"] == f"{metrics.max_error(y, predicted):.4g}"
    machine = found.model.best_estimator_ if name == "SVR, searched" else found.model
    inside = np.mean(np.abs(y - predicted) <= machine.margin_)
    assert page.tiles["inside the tube"] == f"{inside:.2%}"


def test_rows_outside():
    found, page = page_of("OneClassSVM, no labels")
    predicted = found.model.predict(found.rows.test[0])
    assert page.tiles["rows outside"] == str(np.sum(predicted == -1))
    assert "accuracy" not in page.tiles
    labelled, judged = page_of("OneClassSVM")
    X, y = labelled.rows.test
    auc = metrics.roc_auc_score(y == 1, labelled.model.decision_function(X))
    assert judged.tiles["area under the ROC"] == f"{auc:.4f}"


def test_the_data_are_counted():
    found, page = page_of("frame")
    X, y = found.rows.test
    assert page.tiles["rows"] == str(len(X))
    assert page.tiles["columns"] == "4"
    assert page.tiles["missing values"] == "0"
    held = [[name, str(np.sum(y == name))] for name in ("fake", "real")]
    assert [row[:2] for row in page.tables["The classes"][1:]] == held
    for row, name in zip(page.tables["The columns"][1:], X.columns, strict=True):
        values = X[name]
        expected = [f"{value:.4g}" for value in (values.min(), values.mean(), values.max())]
        assert row == [name, *expected, "0"]


@pytest.mark.parametrize(
    "name", ["SVC", "NuSVC", "LinearSVC", "many classes", "SVR", "OneClassSVM"]
)
def test_the_certificate_is_the_machines(name):
    found, page = page_of(name)
    certificate = found.model.certificate_
    gap = certificate.relative_gap
    shown = f"{gap:.1e}" if gap > 0 else "0"
    assert page.tiles["relative duality gap"] == f"{shown} {'✓' if gap <= 1e-3 else '!'}"
    assert page.tiles["KKT violation"] == f"{certificate.kkt_violation:.1e}"
    rows = page.tables["What is proved, the largest relative gap first"][1:]
    assert len(rows) == len(certificate.machines)
    for row, machine in zip(rows, certificate.machines, strict=True):
        assert row[1:3] == [f"{machine.primal:.8g}", f"{machine.dual:.8g}"]


def test_support_vectors_are_where_they_are_said_to_be():
    found, page = page_of("SVC")
    X, y = found.rows.training
    machine = SVC(C=2.0, tol=1e-10).fit(X, y)
    page = Numbers(report(machine, *found.rows.test).html)
    margin = np.where(y == "real", 1.0, -1.0) * machine.decision_function(X)
    multipliers = np.zeros(N_TRAINING)
    multipliers[machine.support_] = np.abs(machine.dual_coef_[0])
    bounded = multipliers >= 2.0 * (1 - 1e-9)
    free = (multipliers > 0) & ~bounded
    tiles = page.tiles
    assert tiles["support vectors"] == str(len(machine.support_))
    assert tiles["of the training rows"] == f"{len(machine.support_) / N_TRAINING:.0%}"
    assert tiles["on the margin (free)"] == str(free.sum())
    assert tiles["at their bound"] == str(bounded.sum())
    assert tiles["inside the margin, right side"] == str(
        np.sum((margin < 1 - 1e-7) & (margin >= 0))
    )
    assert tiles["on the wrong side"] == str(np.sum(margin < 0))
    counts = [int(row[1]) for row in page.tables["Support vectors by class"][1:]]
    assert counts == machine.n_support_.tolist()


def test_counts_of_several_machines_say_that_they_do_not_add_up():
    found, page = page_of("many classes")
    machines = page.tables["Support vectors of each machine"][1:]
    assert [int(row[1]) for row in machines] == [int(row[2]) + int(row[3]) for row in machines]
    assert sum(int(row[1]) for row in machines) > int(page.tiles["support vectors"])
    assert "on the margin (free)" not in page.tiles
    text = " ".join(report(found.model, *found.rows.test).html.split())
    assert "A row can be a support vector of several machines, free in one and bounded in" in text


def test_a_squared_loss_has_no_bound():
    found, page = page_of("LinearSVC")
    X, y = found.rows.training
    margin = np.where(y == "real", 1.0, -1.0) * found.model.decision_function(X)
    assert "at their bound" not in page.tiles
    assert page.tiles["inside the margin, right side"] == str(np.sum((margin < 1) & (margin >= 0)))


@pytest.mark.parametrize(
    ("name", "score", "sign"),
    [
        ("search", "accuracy", 1),
        ("search by cost", "minDCF", -1),
        ("search by several", "area under the ROC", 1),
        ("SVR, searched", "mean absolute error", -1),
    ],
)
def test_the_search_is_ranked_as_it_was(name, score, sign):
    found, page = page_of(name)
    search = found.model
    assert page.tiles[f"best mean {score}"] == f"{sign * search.best_score_:.4g}"
    rows = page.tables["The candidates, best first"][1:]
    assert len(rows) == len(search.cv_results_["params"])
    ranks = [int(row[0]) for row in rows]
    assert ranks == sorted(ranks)
    key = "mean_test_score" if name != "search by several" else "mean_test_roc_auc"
    values = sorted((f"{sign * value:.4g}" for value in search.cv_results_[key]), key=float)
    assert sorted((row[2] for row in rows), key=float) == values


def test_minimum_costs_of_bits_are_below_actual_ones():
    """The best affine map of the scores costs no less than the best monotone one, page or not."""
    found, page = page_of("SVC")
    X, y = found.rows.test
    scores, positive = found.model.decision_function(X), y == "real"

    def bits(slope):
        scaled = slope * scores
        loss = np.logaddexp(0, -scaled[positive]).mean() + np.logaddexp(0, scaled[~positive]).mean()
        return loss / 2 / np.log(2)

    shown = {row[0]: row[1] for row in page.tables["Errors and costs"][1:]}
    least = float(shown["minimum Cllr"].removesuffix(" bit"))
    assert least <= minimize_scalar(bits, bounds=(0, 20), method="bounded").fun + 1e-4
