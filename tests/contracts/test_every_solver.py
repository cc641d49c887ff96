"""Every solver on every problem that it handles, with every kernel, bias and weighting."""

from __future__ import annotations

import pytest

from maxmargin import Stop, UnsupportedProblemError, certify, solve
from maxmargin.solvers import SOLVERS, solvers_for
from references import optimum
from zoo import CASES, WELL_SCALED_KERNELS, Case, able, build

EXACT = [name for name, solver in SOLVERS.items() if solver.exact]
APPROXIMATE = [name for name, solver in SOLVERS.items() if not solver.exact]


def pairs(solvers: list[str]) -> list[tuple[str, Case]]:
    return [(name, case) for case in CASES for name in solvers if name in able(case)]


def label(value: object) -> str:
    return str(value)


@pytest.mark.parametrize("case", CASES, ids=label)
def test_solvers_say_themselves_what_they_can_solve(case: Case) -> None:
    assert set(solvers_for(build(case))) == able(case)


@pytest.mark.parametrize(("name", "case"), pairs(EXACT), ids=label)
def test_an_exact_solver_reaches_the_textbook_optimum_and_proves_it(name: str, case: Case) -> None:
    problem = build(case)
    solution = solve(problem, solver=name)
    certificate = certify(problem, solution)
    assert solution.converged, solution.status
    assert certificate.holds(1e-6), certificate.summary()
    assert certificate.primal == pytest.approx(optimum(case), rel=1e-6, abs=1e-7)
    assert certificate.dual == pytest.approx(optimum(case), rel=1e-6, abs=1e-7)


@pytest.mark.parametrize(("name", "case"), pairs(APPROXIMATE), ids=label)
def test_an_approximate_solver_brackets_the_optimum_at_any_time(name: str, case: Case) -> None:
    problem = build(case)
    certificate = certify(problem, solve(problem, solver=name, stop=Stop(max_iter=25)))
    best = optimum(case)
    rounding = 1e-7 * max(1.0, abs(best))
    assert certificate.primal >= best - rounding
    assert certificate.dual <= best + rounding
    assert certificate.gap >= certificate.primal - best - rounding


@pytest.mark.parametrize(
    ("name", "case"),
    [
        (name, case)
        for name, case in pairs(APPROXIMATE)
        if case.kernel in WELL_SCALED_KERNELS and not case.weighted
    ],
    ids=label,
)
def test_an_approximate_solver_comes_within_a_few_percent(name: str, case: Case) -> None:
    problem = build(case)
    stop = Stop(gap=0.03, max_iter=1000)
    certificate = certify(problem, solve(problem, solver=name, stop=stop))
    assert certificate.primal - optimum(case) <= 0.05 * abs(optimum(case))


@pytest.mark.parametrize("case", CASES, ids=label)
def test_a_solver_that_cannot_says_who_can(case: Case) -> None:
    problem = build(case)
    for name in set(SOLVERS) - able(case):
        with pytest.raises(UnsupportedProblemError) as caught:
            solve(problem, solver=name)
        message = str(caught.value)
        assert f"'{name}' cannot solve" in message
        offered = message.split("These can:")[1]
        assert all(f"'{other}'" in offered for other in able(case))
        assert f"'{name}'" not in offered


@pytest.mark.parametrize("case", CASES, ids=label)
def test_the_automatic_choice_is_proved_optimal(case: Case) -> None:
    problem = build(case)
    assert certify(problem, solve(problem)).holds(1e-6)
