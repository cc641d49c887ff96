"""The solver of docs/howto/add-a-solver.md: these lines are the page's code."""

# [imports]
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from maxmargin import Stop, UnsupportedProblemError, certify, solve, solve_all
from maxmargin.kernels import RBF, Linear
from maxmargin.problems import EpsilonTube, Free, KernelProblem, L1Margin, Regularised, SoftMargin
from maxmargin.solvers import Monitor, SequentialSolver, Solution, starting_point

# [/imports]


# [solver]
@dataclass(frozen=True)
class KernelDescent(SequentialSolver):
    """Dual coordinate descent on duals with bounds only (Hsieh et al. 2008).

    Each step minimises over one signed variable; a pass visits all of them in random order.

    Parameters
    ----------
    seed : int
        Of the order.
    """

    seed: int = 0

    name: ClassVar[str] = "kernel-descent"
    default_stop: ClassVar[Stop] = Stop(gap=1e-7, kkt=5e-7, max_iter=10_000)

    def _objection(self, problem: KernelProblem) -> str | None:
        """Object to duals with equality constraints: one variable alone cannot move there."""
        if len(problem.dual().total) == 0:
            return None
        return "its dual has equality constraints, and the method moves one variable at a time"

    def run(self, problem: KernelProblem, monitor: Monitor, warm: Solution | None) -> Solution:
        """Pass over the variables until the monitor is satisfied."""
        qp = problem.dual()
        random = np.random.default_rng(self.seed)
        signed = starting_point(problem, warm)
        gradient = qp.gradient(signed)
        movable = np.flatnonzero((qp.diagonal > 0) & (qp.cost > 0))
        passes = 0
        while not monitor.observe(passes, signed, gradient=gradient):
            for i in random.permutation(movable):
                target = signed[i] - gradient[i] / qp.diagonal[i]
                change = np.clip(target, qp.lower[i], qp.upper[i]) - signed[i]
                if change != 0:
                    signed[i] += change
                    gradient += change * qp.hessian_rows(np.array([i]))[0]
            passes += 1
        return monitor.solution(self.name, signed)


# [/solver]


# [contract]
RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))
y = np.where(X[:, 0] + 0.5 * RNG.normal(size=30) > 0, 1.0, -1.0)

PROBLEMS = [
    SoftMargin(X, y, C=1, bias=Regularised(1)),
    SoftMargin(X, y, C=10, kernel=RBF(1.0), bias=Regularised(1)),
    SoftMargin(X, y, C=1, loss="squared_hinge", bias=Regularised(0)),
    SoftMargin(X, y, C=1, sample_weight=RNG.uniform(0, 2, 30), bias=Regularised(3)),
    EpsilonTube(X, X[:, 0] ** 2, C=2, epsilon=0.1, kernel=RBF(0.5), bias=Regularised(1)),
]


@pytest.mark.parametrize("problem", PROBLEMS, ids=repr)
def test_it_certifies_and_agrees_with_the_interior_point_method(problem):
    solution = solve(problem, solver=KernelDescent())
    certificate = certify(problem, solution)
    assert solution.converged
    assert certificate.holds(1e-6)
    exact = certify(problem, solve(problem, solver="dual-qp"))
    assert certificate.dual == pytest.approx(exact.dual, rel=1e-6)


def test_a_free_bias_is_refused_with_the_names_of_those_who_can():
    problem = SoftMargin(X, y, kernel=Linear(), bias=Free())
    with pytest.raises(UnsupportedProblemError, match="These can: 'primal-qp', 'dual-qp', 'dec"):
        solve(problem, solver=KernelDescent())


def test_a_machine_without_such_a_dual_is_refused():
    with pytest.raises(UnsupportedProblemError, match="not a box-constrained quadratic program"):
        solve(L1Margin(X, y), solver=KernelDescent())


def test_a_limit_ends_the_run_and_the_status_says_so():
    problem = PROBLEMS[1]
    solution = solve(problem, solver=KernelDescent(), stop=Stop(gap=1e-12, max_iter=2))
    assert not solution.converged
    assert solution.iterations == 2
    assert "the limit of 2 iterations was reached" in solution.status


def test_a_warm_start_takes_fewer_passes():
    cold = solve(PROBLEMS[1], solver=KernelDescent())
    warm = solve(PROBLEMS[1], solver=KernelDescent(), warm=cold)
    assert warm.iterations <= 1 < cold.iterations


def test_many_problems_are_solved_in_one_call_each_from_the_one_before():
    path = [PROBLEMS[1].replace(C=C) for C in (1.0, 2.0, 4.0)]
    solutions = solve_all(path, KernelDescent(), warm=[None, 0, 1])
    assert all(solution.certificate.holds(1e-6) for solution in solutions)


def test_the_trace_never_shows_the_dual_falling():
    trace = solve(PROBLEMS[1], solver=KernelDescent(), trace=True).trace
    assert np.all(np.diff(trace.dual) >= -1e-12)


# [/contract]
