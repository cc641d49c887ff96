"""Marks and words follow what the certificate proves."""

from dataclasses import replace

import numpy as np
import pytest

from maxmargin import SVC, Stop, solve
from maxmargin.certificates import FitCertificate
from maxmargin.pages import report
from maxmargin.pages.verdict import CLOSE, at_tolerance, verdict
from maxmargin.pages.words import small
from maxmargin.problems import SoftMargin

from .reading import Numbers

PROBLEM = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])


def with_gap(relative, **measures):
    """A certificate of a small problem, as if its solution had this relative gap."""
    certificate = solve(PROBLEM).certificate
    primal = certificate.primal
    gaps = {"dual": primal * (1 - relative), "gap": primal * relative, "relative_gap": relative}
    return replace(certificate, measures=replace(certificate.measures, **gaps, **measures))


@pytest.mark.parametrize(
    ("gap", "mark", "words"),
    [
        (1e-5, "✓", "optimal to 1.0e-05"),
        (0.9 * CLOSE, "✓", "optimal to 9.0e-04"),
        (1.5e-3, "!", "the optimum may be 0.15% lower"),
        (0.97, "!", "the optimum may be 97% lower"),
        (0.998, "✗", "nothing is proved"),
        (1.0, "✗", "nothing is proved"),
        (-0.01, "✗", "nothing is proved"),
    ],
)
def test_a_tick_needs_a_small_gap(gap, mark, words):
    found = verdict(with_gap(gap))
    assert (found.mark, found.words) == (mark, words)


def test_multipliers_that_break_their_constraints_get_no_tick():
    assert verdict(with_gap(1e-6, feasibility=0.243)).mark == "!"


def test_an_indefinite_kernel_gets_a_cross():
    X = np.random.default_rng(0).normal(size=(40, 2))
    model = SVC(kernel="sigmoid", gamma=0.5, coef0=-1.0).fit(X, X[:, 0] > 0)
    assert not model.certificate_.worst.convexity.holds
    assert verdict(model.certificate_).mark == "✗"


def test_a_fit_is_as_good_as_its_worst_machine():
    parts = [with_gap(gap) for gap in (0.2, 1e-6)]
    assert verdict(FitCertificate.of(parts)).mark == "!"
    assert verdict(FitCertificate.of(parts[1:])).mark == "✓"
    assert verdict(FitCertificate.of([parts[1], with_gap(-0.01)])).mark == "✗"


def test_a_study_asks_for_its_own_tolerance():
    assert at_tolerance(with_gap(1e-7), 1e-4).words == "certified"
    assert at_tolerance(with_gap(3e-4), 1e-4)[::2] == ("!", "not to 0.0001")
    assert at_tolerance(with_gap(1.2), 1e-4).words == "nothing is proved"


def test_the_marks_of_a_page_follow_the_gap():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(80, 2)), np.tile([-1, 1], 40)
    problem = SoftMargin(X, y, C=1.0)
    for limit, mark in ((2, "!"), (10**6, "✓")):
        solution = solve(problem, "smo", stop=Stop(max_iter=limit, gap=1e-6))
        gap = solution.certificate.relative_gap
        assert (gap > 0.5) if mark == "!" else (gap < CLOSE)
        page = Numbers(report(solution).html)
        assert page.tiles["relative duality gap"] == f"{small(gap)} {mark}"
        (row,) = page.tables["What is proved, the largest relative gap first"][1:]
        assert row[-1].endswith(mark)
        marks = "✓!✗".replace(mark, "")
        assert not any(other in row[-1] for other in marks)


@pytest.mark.parametrize("gap", [0.02, 5e-3])
def test_a_fit_that_kept_its_tolerance_but_not_its_gap_says_so(gap, monkeypatch):
    X, y = PROBLEM.X, [0, 1, 0, 1]
    model = SVC(kernel="linear").fit(X, y)
    proof = FitCertificate.of([with_gap(gap)])
    monkeypatch.setattr(SVC, "certificate_", property(lambda self: proof))
    html = " ".join(report(model, X, y).html.split())
    assert ("but the relative duality gap is 0.02" in html) == (gap > 0.01)
    assert f"{small(gap)} !" in html
