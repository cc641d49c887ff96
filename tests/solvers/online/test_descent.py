"""The online solver: one road with its estimators, and a bound that is true for any weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin import OnlineOneClassSVM, OnlineSVC, Stop, solve, solve_all
from maxmargin.certificates import margins
from maxmargin.errors import InvalidInputError
from maxmargin.problems import Free, OneClass, Points, Problem, Regularised, SoftMargin
from maxmargin.solvers import OnlineDescent
from maxmargin.solvers.online.dual import multipliers_at


def clouds(n: int = 300, d: int = 3, n_classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    y = rng.integers(0, n_classes, n)
    return rng.normal(size=(n, d)) + 1.5 * np.eye(n_classes, d)[y], y


PROBLEMS: dict[str, Any] = {
    "hinge": lambda X, sign: SoftMargin(X, sign, bias=Regularised(1)),
    "squared": lambda X, sign: SoftMargin(X, sign, loss="squared_hinge", bias=Free()),
    "wide bias": lambda X, sign: SoftMargin(X, sign, bias=Regularised(3)),
    "no bias": lambda X, sign: SoftMargin(X, sign, bias=Regularised(0)),
    "one class": lambda X, sign: OneClass(X + 4.0, nu=0.2),
}


def posed(kind: str) -> Problem:
    X, y = clouds()
    return PROBLEMS[kind](X, np.where(y == 1, 1.0, -1.0))


@pytest.mark.parametrize("kind", PROBLEMS)
def test_a_few_passes_come_near_the_optimum_and_the_gap_covers_the_rest(kind: str) -> None:
    problem = posed(kind)
    best = solve(problem).certificate
    found = solve(problem, "online", stop=Stop(max_iter=200)).certificate
    assert found.dual <= best.primal + 1e-9 * abs(best.primal)
    assert best.dual - 1e-9 * abs(best.dual) <= found.primal
    assert found.primal - best.primal <= 0.02 * abs(best.primal)


@pytest.mark.parametrize("kind", PROBLEMS)
@given(seed=st.integers(0, 2**32 - 1), size=st.floats(-3, 3))
def test_multipliers_for_any_weights_are_feasible(kind: str, seed: int, size: float) -> None:
    problem = posed(kind)
    qp = problem.dual()
    constraint = 10.0**size * np.random.default_rng(seed).normal(size=qp.n_variables)
    multipliers = multipliers_at(qp, constraint, 1.0)
    assert qp.infeasibility(qp.sign * multipliers) <= 1e-9
    assert -qp.value(qp.sign * multipliers) <= solve(problem).certificate.primal * (1 + 1e-9)


def test_an_estimator_and_solve_learn_the_same_weights_bit_by_bit() -> None:
    X, y = clouds(2000)
    model = OnlineSVC(alpha=1e-2, random_state=0).fit(X, y)
    problem = SoftMargin(X, 2.0 * y - 1.0, C=1 / (1e-2 * 2000), bias=Regularised(1))
    solver = OnlineDescent(seed=np.random.default_rng(0))
    solution = solve(problem, solver, stop=Stop(gap=1e-3, max_iter=1000))
    np.testing.assert_array_equal(solution.w, model.coef_[0])
    assert solution.b == model.intercept_[0]
    assert solution.iterations == model.n_iter_


def test_one_class_against_the_rest_each_is_learnt_in_common_passes() -> None:
    X, y = clouds(2000, 4, n_classes=3)
    points = Points(X)
    problems = [
        SoftMargin(points, np.where(y == c, 1.0, -1.0), C=0.05, bias=Regularised(1))
        for c in range(3)
    ]
    together = solve_all(problems, "online", stop=Stop(max_iter=5))
    for problem, solution in zip(problems, together, strict=True):
        assert solution.iterations == 5
        assert solution.certificate.primal <= 1.02 * solve(problem).certificate.primal


@pytest.mark.parametrize("kind", [OnlineSVC, OnlineOneClassSVM])
def test_a_model_of_rows_in_memory_has_machines_and_certificates(kind: Any) -> None:
    X, y = clouds()
    model = kind(random_state=0).fit(X + 4.0, y)
    (machine,) = model.machines_
    certificate = model.certificate_
    assert certificate.gap > 0
    assert len(certificate.table()) == len(X)
    value = machine.solution.decision(X + 4.0)
    own = model.decision_function(X + 4.0)
    np.testing.assert_allclose(value / value[0], own / own[0], rtol=1e-9)


def test_weights_of_classes_and_rows_are_those_of_the_problem() -> None:
    X, y = clouds(1500)
    weight = np.random.default_rng(0).uniform(0, 2, len(y))
    model = OnlineSVC(alpha=1e-2, class_weight={0: 1.0, 1: 4.0}, random_state=0)
    (machine,) = model.fit(X, y, weight).machines_
    best = solve(machine.problem).certificate.primal
    np.testing.assert_allclose(machine.problem.sample_weight, weight * np.where(y == 1, 4.0, 1.0))
    assert best * (1 - 1e-9) <= machine.certificate.primal <= 1.02 * best


def test_margins_of_an_online_model() -> None:
    X, y = clouds()
    model = OnlineSVC(random_state=0).fit(X, y)
    errors = np.count_nonzero(model.predict(X) != y)
    assert margins(model).training_errors == errors


def test_what_learnt_from_a_stream_says_that_there_is_no_solution() -> None:
    X, y = clouds()
    model = OnlineSVC().partial_fit(X, y, classes=[0, 1])
    with pytest.raises(InvalidInputError, match="learnt from a stream"):
        margins(model)
    assert not hasattr(model, "certificate_")


@pytest.mark.parametrize("options", [{"step": "newton"}, {"seed": -1}])
def test_wrong_options_get_a_sentence(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match=r"OnlineDescent\("):
        OnlineDescent(**options)
