"""Reports on solutions: judged on their problem's own points, or on others."""

import numpy as np
import pytest
from sklearn import metrics

from maxmargin import SVC, InvalidInputError, Stop, solve
from maxmargin.kernels import RBF, Precomputed, Spectrum
from maxmargin.pages import report
from maxmargin.problems import (
    CrammerSinger,
    EpsilonTube,
    HardMargin,
    L1Margin,
    NuMargin,
    NuTube,
    OneClass,
    Regularised,
    SoftMargin,
    Sphere,
)

from ..reading import Numbers, assert_loads_nothing, assert_well_formed
from .models import classes, strings, targets, two_classes, usual
from .test_source import lines_of
from .test_truth import PARTLY, TRAINED, words_of

X, NAMES = two_classes().training
SIGNS = np.where(NAMES == "real", 1, -1)
WEIGHTS = np.linspace(0.5, 1.5, len(X))

PROBLEMS = {
    "soft": SoftMargin(X, SIGNS, C=5.0, kernel=RBF(0.3)),
    "weighted": SoftMargin(X, SIGNS, kernel=RBF(0.3), sample_weight=WEIGHTS),
    "squared": SoftMargin(X, SIGNS, loss="squared_hinge", bias=Regularised(2.0)),
    "hard": HardMargin(X, SIGNS, kernel=RBF(5.0)),
    "nu": NuMargin(X, SIGNS, nu=0.4, kernel=RBF(0.3)),
    "l1": L1Margin(X, SIGNS),
    "two classes at once": CrammerSinger(X, NAMES),
    "classes": CrammerSinger(*classes().training),
    "tube": EpsilonTube(*targets().training, C=10.0, epsilon=0.2),
    "nu tube": NuTube(*targets().training, C=10.0, nu=0.3, kernel=RBF(0.1)),
    "one class": OneClass(usual().training[0], nu=0.2, kernel=RBF(0.1)),
    "sphere": Sphere.from_nu(usual().training[0], nu=0.2, kernel=RBF(0.1)),
    "similarities": SoftMargin(X @ X.T, SIGNS, kernel=Precomputed()),
    "strings": SoftMargin(strings().X, 2 * strings().y - 1, kernel=Spectrum(2)),
}


@pytest.fixture(scope="module")
def solutions():
    return {name: solve(problem) for name, problem in PROBLEMS.items()}


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_kind_of_problem_has_a_page(name, solutions):
    html = report(solutions[name]).html
    page = assert_well_formed(html)
    assert_loads_nothing(html)
    words = " ".join(" ".join(page.words).split())
    assert TRAINED in words
    assert f"solved by {solutions[name].solver}" in words
    assert solutions[name].certificate.claim in words
    assert "Beware" not in words


@pytest.mark.parametrize("name", PROBLEMS)
def test_support_vectors_are_counted_as_the_certificate_does(name, solutions):
    tiles = Numbers(report(solutions[name]).html).tiles
    certificate = solutions[name].certificate
    if name in ("tube", "nu tube"):
        n_support = len(solutions[name].support)
    else:
        n_support = certificate.n_free + certificate.n_bounded
    assert tiles["support vectors"] == str(n_support)
    if name not in ("squared", "l1"):
        assert tiles["at their bound"] == str(certificate.n_bounded)


def test_its_own_labels_are_judged(solutions):
    solution = solutions["soft"]
    tiles = Numbers(report(solution).html).tiles
    values = solution.decision(X)
    assert tiles["accuracy"] == f"{np.mean(np.where(values > 0, 1, -1) == SIGNS):.2%}"
    assert tiles["area under the ROC"] == f"{metrics.roc_auc_score(SIGNS, values):.4f}"


@pytest.mark.parametrize("name", ["one class", "sphere"])
def test_no_more_points_are_outside_than_nu_allows(name, solutions):
    tiles = Numbers(report(solutions[name]).html).tiles
    assert int(tiles["rows outside"]) == solutions[name].certificate.n_bounded
    assert float(tiles["share outside"].rstrip("%")) <= 20.0
    if name == "sphere":
        assert tiles["radius"] == f"{solutions[name].level ** 0.5:.4g}"


def test_other_rows_are_recognised_as_others(solutions):
    rows, labels = two_classes().test
    words = words_of(solutions["soft"], rows, np.where(labels == "real", 1, -1))
    assert TRAINED not in words
    words = words_of(solutions["soft"], X[:30], SIGNS[:30])
    n_support = np.count_nonzero(solutions["soft"].support < 30)
    assert f"{n_support} {PARTLY}" in words


def test_a_wrong_claim_about_its_own_points_is_contradicted(solutions):
    words = words_of(solutions["strings"], None, None, evaluation="held-out")
    assert "These rows are said to be held out" in words


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_lines_make_the_same_page(name, solutions, tmp_path, monkeypatch):
    lines = lines_of(report(solutions[name]).html)
    problem = solutions[name].problem
    monkeypatch.chdir(tmp_path)
    y = problem.classes[problem.label] if isinstance(problem, CrammerSinger) else None
    names = {"X": problem.X, "y": getattr(problem, "y", y), "sample_weight": problem.sample_weight}
    exec(lines, names)
    np.testing.assert_allclose(names["model"].dual, solutions[name].dual, atol=1e-6)
    assert lines_of((tmp_path / "report.html").read_text()) == lines


def test_a_run_that_stopped_is_named_first():
    stopped = solve(PROBLEMS["soft"], solver="smo", stop=Stop(max_iter=3))
    words = words_of(stopped, None, None)
    assert words.count("The solver did not converge.") == 2
    assert words.index("The solver did not converge.") < words.index("accuracy")


def test_a_machine_of_a_model_is_reported_on_by_its_solution():
    rows, labels = classes().training
    machine = SVC().fit(rows, labels).machines_[0]
    words = words_of(machine, None, None)
    n_rows = np.count_nonzero(np.isin(labels, machine.classes))
    assert f"judged on {n_rows} training rows" in words


def test_rows_are_needed_by_all_but_solutions(solutions):
    with pytest.raises(InvalidInputError, match="X is missing: give the rows"):
        report(SVC().fit(X, NAMES))
    with pytest.raises(InvalidInputError, match="X is missing"):
        report(solutions["soft"], y=SIGNS)
    with pytest.raises(InvalidInputError, match="y is None, but the report compares"):
        report(solutions["soft"], X)
