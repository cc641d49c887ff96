"""Data far from the origin or badly scaled: either the right answer or an honest refusal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from maxmargin import InvalidInputError, Solution, Stop, certify, separability, solve
from maxmargin.kernels import RBF, Polynomial
from maxmargin.problems import EpsilonTube, HardMargin, NuMargin, SoftMargin, Sphere

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 2))
Y = np.where(X[:, 0] + 0.7 * RANDOM.normal(size=60) > 0, 1.0, -1.0)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e5, 1e6])
@pytest.mark.parametrize("kind", ["nu", "sphere"])
@pytest.mark.parametrize("solver", ["decomposition", "smo", "auto"])
def test_what_holds_far_from_the_origin_is_right(kind: str, offset: float, solver: str) -> None:
    def build(points: np.ndarray) -> NuMargin | Sphere:
        return NuMargin(points, Y, nu=0.5) if kind == "nu" else Sphere(points)

    optimum = certify(build(X), solve(build(X))).primal
    problem = build(X + offset)
    certificate = certify(problem, solve(problem, solver=solver, stop=Stop(gap=1e-7, time_limit=2)))
    if certificate.holds(1e-6):
        assert certificate.primal == pytest.approx(optimum, rel=1e-5)
    if offset <= 1e3:
        assert certificate.holds(1e-6)


@pytest.mark.parametrize("solver", ["decomposition", "smo"])
def test_the_kkt_violation_does_not_depend_on_the_level_of_the_targets(solver: str) -> None:
    problem = EpsilonTube(X, X[:, 0] + 1e6, C=1, epsilon=0.1)
    solution = solve(problem, solver=solver, stop=Stop(kkt=1e-6))
    assert certify(problem, solution).relative_gap < 1e-4


def test_tiny_multipliers_must_be_feasible_too() -> None:
    problem = HardMargin([[3e7], [-1e7]], [1, -1])
    assert not certify(problem, Solution(problem, [0, 1e-14], [0])).holds(1e-6)
    soft = SoftMargin([[5e6], [-5e6]], [1, -1], C=1e-14)
    assert not certify(soft, Solution(soft, [2e-14, 2e-14], [0])).holds(1e-6)


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e8])
def test_separable_blobs_are_separable_anywhere(offset: float) -> None:
    points = np.vstack([X, X + 10]) + offset
    labels = np.repeat([-1.0, 1.0], len(X))
    plane = separability(points, labels)
    assert plane
    values = points @ plane.w + plane.b
    assert (labels * values).min() > 0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [1e3, 1e4, 1e5])
def test_one_unscaled_column_is_solved_or_named_as_the_cause(size: float, seed: int) -> None:
    # f(x) sums 300 products of size squared: from 1e4 on rounding may hide more than 1e-7.
    random = np.random.default_rng(seed)
    points = random.normal(size=(300, 3))
    labels = np.where(points[:, 0] + 0.5 * random.normal(size=300) > 0, 1.0, -1.0)
    problem = SoftMargin(points * [1, size, 1], labels)
    solution = solve(problem)
    assert certify(problem, solution).holds(1e-6) or not solution.converged
    assert solution.converged or "scale the features" in solution.status
    assert solution.converged or size >= 1e4


@pytest.mark.parametrize("C", [1.0, 1e4, 1e8])
def test_any_price_of_slack_is_solved(C: float) -> None:
    points = np.array([[0, 0], [1, 0], [0, 1], [2, 2], [3, 3], [4, 1], [3, 2]], dtype=float)
    problem = SoftMargin(points, [-1, -1, -1, 1, 1, 1, -1], C=C)
    assert certify(problem, solve(problem)).holds(1e-6)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("solver", ["primal-qp", "dual-qp", "decomposition", "smo"])
def test_a_hard_margin_of_any_size_is_solved(size: float, solver: str) -> None:
    points = size * np.array([[0, 0], [1, 0], [0, 1], [2, 2], [3, 3], [4, 1]], dtype=float)
    problem = HardMargin(points, [-1, -1, -1, 1, 1, 1])
    assert certify(problem, solve(problem, solver=solver)).holds(1e-6)


@pytest.mark.parametrize("nu", [0.3, 0.5])
def test_raw_features_are_solved_in_the_nu_form(nu: float) -> None:
    data = load_breast_cancer()
    problem = NuMargin(data.data, 2 * data.target - 1, nu=nu)
    assert certify(problem, solve(problem)).holds(1e-6)


def test_decisions_are_made_in_float64() -> None:
    points = (X + 50).astype(np.float32)
    solution = solve(SoftMargin(points, Y, C=100))
    np.testing.assert_allclose(
        solution.decision(points), solution.decision(points.astype(np.float64)), atol=1e-9
    )


def test_decisions_use_support_vectors_only() -> None:
    seen = []

    class Watched(RBF):
        def block(self, A, B):
            seen.append(len(B))
            return super().block(A, B)

    solution = solve(SoftMargin(X, Y, C=100, kernel=Watched(0.5)))
    seen.clear()
    solution.decision(X)
    assert seen == [len(solution.support)]


@pytest.mark.parametrize("solver", ["auto", "dual-qp", "decomposition", "smo", "subgradient"])
@pytest.mark.parametrize(
    "problem",
    [
        lambda: SoftMargin(X * 1e200, Y),
        lambda: SoftMargin(X * 1e5, Y, kernel=Polynomial(1, 1, 100)),
        lambda: SoftMargin(X, Y, C=1e300),
        lambda: SoftMargin(X, Y, sample_weight=np.full(60, 1e300)),
    ],
)
def test_numbers_that_overflow_are_refused(problem, solver: str) -> None:
    with pytest.raises(InvalidInputError, match=r"[Ss]cale the|HardMargin"):
        solve(problem(), solver=solver)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("solver", ["dual-qp", "primal-qp", "decomposition", "smo", "subgradient"])
def test_ctrl_c_ends_a_run_with_what_it_has(solver: str) -> None:
    script = f"""
        import signal
        import numpy as np
        from maxmargin import Stop, solve
        from maxmargin.problems import SoftMargin

        signal.signal(signal.SIGINT, signal.default_int_handler)
        random = np.random.default_rng(0)
        X = random.normal(size=(20000, 60))
        problem = SoftMargin(X, np.where(random.random(20000) > 0.5, 1, -1), C=100)
        print("ready", flush=True)
        try:
            solution = solve(problem, solver={solver!r}, stop=Stop(gap=1e-14))
            print(solution.ending.value, flush=True)
        except KeyboardInterrupt:
            # There was no point yet.
            print("interrupt", flush=True)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=0.5)
    os.kill(process.pid, signal.SIGINT)
    assert process.communicate(timeout=60)[0] == "interrupt\n"
