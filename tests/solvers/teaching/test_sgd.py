"""The averages of the stochastic method, and where each step schedule leads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from maxmargin import Stop, certify, solve
from maxmargin.kernels import RBF, Kernel, Linear
from maxmargin.problems import Bias, EpsilonTube, Free, Problem, Regularised, SoftMargin
from maxmargin.solvers import SGD, ConstantStep, InverseRoot, InverseTime, Schedule, Subgradient

KERNELS: dict[str, Kernel] = {"linear": Linear(), "rbf": RBF(0.5)}
BIASES: dict[str, Bias] = {"free": Free(), "regularised": Regularised(1)}
SCHEDULES = [InverseTime(1), InverseTime(2), InverseRoot(0.5), ConstantStep(0.01)]

each_kernel = pytest.mark.parametrize("kernel", KERNELS)
each_bias = pytest.mark.parametrize("bias", BIASES)
each_schedule = pytest.mark.parametrize("schedule", SCHEDULES, ids=repr)
each_averaging = pytest.mark.parametrize("averaging", ["weighted", "none"])


@dataclass(frozen=True)
class FullStepNowAndThen(Schedule):
    """Forgets everything at every tenth step."""

    def __call__(self, t: int) -> float:
        return 1.0 if t % 10 == 0 else 0.3


def two_clouds(n_points: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    y = np.where(np.arange(n_points) % 2, 1.0, -1.0)
    X = rng.normal(size=(n_points, 2))
    X[:, 0] += y
    return X, y


@cache
def well_scaled(kernel: str, bias: str) -> tuple[Problem, float]:
    """A problem and its optimum."""
    X, y = two_clouds(160)
    problem = SoftMargin(X, y, C=0.1, kernel=KERNELS[kernel], bias=BIASES[bias])
    return problem, certify(problem, solve(problem)).primal


@each_schedule
@each_averaging
@each_kernel
@each_bias
@pytest.mark.parametrize("method", [SGD, Subgradient])
def test_every_schedule_comes_near_the_optimum_and_stays_there(
    method: Callable[..., SGD | Subgradient],
    bias: str,
    kernel: str,
    averaging: str,
    schedule: Schedule,
) -> None:
    problem, best = well_scaled(kernel, bias)
    solver = method(schedule=schedule, averaging=averaging)
    solution = solve(problem, solver=solver, stop=Stop(gap=1e-12, max_iter=400))
    assert certify(problem, solution).primal <= 1.1 * best


def test_a_long_run_with_a_constant_step_keeps_its_average() -> None:
    problem, best = well_scaled("linear", "regularised")
    solver = SGD(schedule=ConstantStep(0.05))
    solution = solve(problem, solver=solver, stop=Stop(gap=1e-12, max_iter=1000))
    assert certify(problem, solution).primal <= 1.1 * best


def by_hand(problem: Problem, schedule: Schedule, epochs: int, start: np.ndarray) -> np.ndarray:
    """The weighted mean of all iterates, each of them written out in full."""
    qp = problem.dual()
    n = qp.n_points
    random = np.random.default_rng(0)
    b, offsets = start.copy(), qp.vertex(qp.gradient(start))[1]
    rate = np.abs(qp.points.diagonal + qp.constant).mean()
    weighted_sum, weight, t = np.zeros_like(b), 0, 0
    for _ in range(epochs):
        order = random.permutation(n)
        for first in range(0, n, 16):
            t += 1
            eta = schedule(t)
            batch = order[first : first + 16]
            lost = np.isin(qp.point, batch) & (qp.stationarity(qp.gradient(b), offsets) < 0)
            target = np.where(lost, (n / len(batch)) * qp.sign * qp.cost, 0.0)
            b = (1 - eta) * b + eta * target
            offsets = offsets - eta * rate * (qp.equality @ target - qp.total)
            weighted_sum += t * b
            weight += t
    return weighted_sum / weight


@pytest.mark.parametrize(
    "schedule", [*SCHEDULES, ConstantStep(0.3), ConstantStep(1.0), FullStepNowAndThen()], ids=repr
)
@each_kernel
@each_bias
def test_the_average_is_the_weighted_mean_of_all_iterates(
    bias: str, kernel: str, schedule: Schedule
) -> None:
    X, y = two_clouds(50)
    problem = SoftMargin(X, y, C=0.5, kernel=KERNELS[kernel], bias=BIASES[bias])
    solution = solve(problem, solver=SGD(schedule=schedule), stop=Stop(gap=1e-12, max_iter=300))
    mean = by_hand(problem, schedule, 300, np.zeros(50))
    np.testing.assert_allclose(problem.dual().sign * solution.dual, mean, rtol=1e-9, atol=1e-9)


def test_so_it_is_for_a_tube_and_from_a_warm_start() -> None:
    X, _ = two_clouds(40)
    problem = EpsilonTube(X, np.sin(X[:, 0]), C=0.5, epsilon=0.1, bias=Regularised(1))
    warm = solve(problem, solver="subgradient", stop=Stop(gap=1e-12, max_iter=3))
    sign = problem.dual().sign
    solver = SGD(schedule=InverseRoot(0.5))
    solution = solve(problem, solver=solver, warm=warm, stop=Stop(gap=1e-12, max_iter=300))
    mean = by_hand(problem, solver.schedule or InverseTime(), 300, sign * warm.dual)
    np.testing.assert_allclose(sign * solution.dual, mean, rtol=1e-9, atol=1e-9)
