"""The compiled engine reaches the optimum of every program, on every path through it.

The violation is computed here in float64 from the multipliers alone: nothing of what the engine
says about itself is taken on trust.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from maxmargin import certify, solve
from maxmargin.kernels import (
    RBF,
    Chi2,
    Function,
    Kernel,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
)
from maxmargin.problems import (
    BoxQP,
    EpsilonTube,
    Free,
    NuMargin,
    NuTube,
    OneClass,
    Problem,
    Regularised,
    SoftMargin,
)
from maxmargin.solvers import Decomposition
from maxmargin.solvers.engine import Answer, Engine, Program
from zoo import CASES, Case, build, quadratic


def matrix_of(qp: BoxQP) -> np.ndarray:
    """The Gram matrix in float64, from the kernel's own values."""
    X = qp.gram.X
    if isinstance(X, np.ndarray) and X.dtype == np.float32:
        X = X.astype(np.float64)
    return np.asarray(qp.gram.kernel.block(X, X), dtype=np.float64) + qp.gram.constant


def violation(qp: BoxQP, signed: np.ndarray) -> float:
    """m(a) - M(a), the largest over the sums, by its definition."""
    assert np.all(signed >= qp.lower)
    assert np.all(signed <= qp.upper)
    assert qp.infeasibility(signed) < 1e-9
    K = matrix_of(qp)
    per_point = np.zeros(len(K))
    np.add.at(per_point, qp.point, signed)
    gradient = (K @ per_point)[qp.point] + qp.ridge * signed + qp.linear
    if len(qp.equality) == 0:
        rise = np.where(signed < qp.upper, -gradient, 0.0).max(initial=0.0)
        fall = np.where(signed > qp.lower, gradient, 0.0).max(initial=0.0)
        return float(rise + fall)
    worst = 0.0
    for row in qp.equality:
        members = np.flatnonzero(row)
        score = -row[members] * gradient[members]
        lower = np.where(row[members] > 0, qp.lower[members], -qp.upper[members])
        upper = np.where(row[members] > 0, qp.upper[members], -qp.lower[members])
        value = row[members] * signed[members]
        top = score[value < upper].max(initial=-np.inf)
        bottom = score[value > lower].min(initial=np.inf)
        worst = max(worst, float(top - bottom))
    return worst


def objective(qp: BoxQP, signed: np.ndarray) -> float:
    per_point = np.zeros(qp.gram.n_points)
    np.add.at(per_point, qp.point, signed)
    quadratic_part = per_point @ (matrix_of(qp) @ per_point) + qp.ridge @ signed**2
    return float(0.5 * quadratic_part + qp.linear @ signed)


def start_of(qp: BoxQP) -> np.ndarray:
    start = np.zeros(qp.n_variables)
    return start if qp.infeasibility(start) < 1e-12 else qp.project(start)


def engine_for(problem: Problem, **options: Any) -> Engine:
    gram = problem.dual().gram
    return Engine(gram.kernel, gram.X, constant=gram.constant, **options)


def run(problem: Problem, tol: float, **options: Any) -> Answer:
    qp = problem.dual()
    (answer,) = engine_for(problem, **options).solve([Program.of(qp, start_of(qp))], tol=tol)
    return answer


def classes(n: int, seed: int = 0, d: int = 6, noise: float = 0.7) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] * X[:, 1] + noise * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y


def curve(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n)


class TestSmallPrograms:
    @pytest.mark.parametrize("case", CASES, ids=str)
    @pytest.mark.parametrize("tol", [1e-3, 1e-6])
    def test_the_violation_is_below_the_tolerance(self, case: Case, tol: float) -> None:
        problem = build(case)
        answer = run(problem, tol)
        assert answer.converged
        assert violation(problem.dual(), answer.signed) <= tol
        assert answer.violation <= tol

    @pytest.mark.parametrize("case", CASES, ids=str)
    def test_the_optimum_is_that_of_the_interior_point(self, case: Case) -> None:
        problem = build(case)
        best = certify(problem, solve(problem, solver="dual-qp"))
        found = certify(problem, solve(problem, solver="decomposition"))
        assert found.dual == pytest.approx(best.dual, rel=1e-7, abs=1e-8)


#: Sizes on both sides of every threshold: all at once (to 4096), nested and wide working sets.
SIZES = [5, 17, 64, 65, 257, 1000, 2049, 4097, 6000]


class TestSizes:
    @pytest.mark.parametrize("n", SIZES)
    @pytest.mark.parametrize("C", [0.1, 100.0])
    @pytest.mark.parametrize("tol", [1e-3, 1e-6])
    def test_a_soft_margin(self, n: int, C: float, tol: float) -> None:
        X, y = classes(n)
        problem = SoftMargin(X, y, C=C, kernel=RBF(0.2))
        answer = run(problem, tol)
        assert answer.converged
        assert violation(problem.dual(), answer.signed) <= tol

    @pytest.mark.parametrize("bias", [Free(), Regularised(1.0)], ids=repr)
    @pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
    def test_biases_and_losses(self, bias: Any, loss: str) -> None:
        X, y = classes(5000)
        weight = np.random.default_rng(1).uniform(0.1, 3.0, len(y)) * np.where(y > 0, 2.0, 0.5)
        problem = SoftMargin(
            X, y, C=2.0, loss=loss, kernel=RBF(0.2), bias=bias, sample_weight=weight
        )
        answer = run(problem, 1e-4)
        assert answer.converged
        assert violation(problem.dual(), answer.signed) <= 1e-4

    @pytest.mark.parametrize("n", [300, 3000])
    def test_a_tube(self, n: int) -> None:
        X, t = curve(n)
        problem = EpsilonTube(X, t, C=5.0, epsilon=0.1, kernel=RBF(0.3))
        answer = run(problem, 1e-5)
        assert answer.converged
        assert violation(problem.dual(), answer.signed) <= 1e-5

    @pytest.mark.parametrize("n", [300, 3000, 5000])
    def test_nu_forms(self, n: int) -> None:
        X, y = classes(n)
        Z, t = curve(n // 2)
        problems: list[Problem] = [
            NuMargin(X, y, nu=0.3, kernel=RBF(0.2)),
            NuTube(Z, t, C=5.0, nu=0.4, kernel=RBF(0.3)),
            OneClass(X, nu=0.2, kernel=RBF(0.2)),
        ]
        for problem in problems:
            answer = run(problem, 1e-4)
            assert answer.converged
            assert violation(problem.dual(), answer.signed) <= 1e-4

    @pytest.mark.parametrize("n", [700, 5000])
    def test_rows_that_are_dropped_are_computed_again(self, n: int) -> None:
        X, y = classes(n)
        problem = SoftMargin(X, y, C=10.0, kernel=RBF(0.2))
        tight = run(problem, 1e-4, cache_mb=1.0)
        assert tight.converged
        assert violation(problem.dual(), tight.signed) <= 1e-4
        roomy = objective(problem.dual(), run(problem, 1e-4).signed)
        assert objective(problem.dual(), tight.signed) == pytest.approx(roomy, rel=1e-5)


KERNELS: dict[str, Kernel] = {
    "linear": Linear(),
    "polynomial": Polynomial(0.2, 1.0, 3),
    "gaussian": RBF(0.2),
    "laplacian": Laplacian(0.2),
    "chi2": Chi2(0.5),
    "tanh": Sigmoid(0.01, 0.0),
    "function": Function(quadratic),
    "sum": Linear() + RBF(0.5),
    "product": Polynomial(1.0, 1.0, 1) * Laplacian(0.4),
    "scaled gaussian": 2.5 * RBF(0.2),
    "scaled linear": 0.5 * Linear(),
}


@pytest.mark.parametrize("n", [200, 4300])
@pytest.mark.parametrize("name", KERNELS)
def test_every_kernel(name: str, n: int) -> None:
    kernel = KERNELS[name]
    X, y = classes(n, d=3)
    X = np.abs(X) if isinstance(kernel, Chi2) else X
    problem = SoftMargin(X, y, C=0.05, kernel=kernel)
    answer = run(problem, 1e-3)
    assert answer.converged
    assert violation(problem.dual(), answer.signed) <= 1e-3


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [300, 4200])
def test_a_precomputed_matrix(n: int, dtype: type) -> None:
    X, y = classes(n)
    K = RBF(0.2).block(X, X).astype(dtype)
    problem = SoftMargin(K, y, C=1.0, kernel=Precomputed())
    answer = run(problem, 1e-3)
    assert answer.converged
    assert violation(problem.dual(), answer.signed) <= 1e-3


def read_only(X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X.flags.writeable = False
    return X


def with_wide_indices(X: np.ndarray) -> sparse.csr_array:
    wide = sparse.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    return wide


LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda X: X[::-1].copy()[::-1],
    "read-only": read_only,
    "csr": sparse.csr_array,
    "csr matrix": sparse.csr_matrix,
    "csr int64": with_wide_indices,
    "csc": sparse.csc_array,
    "coo": sparse.coo_array,
}


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.3), Laplacian(0.3)], ids=repr)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_layout_gives_the_same_optimum(layout: str, dtype: type, kernel: Kernel) -> None:
    X, y = classes(400)
    X[np.random.default_rng(5).random(X.shape) < 0.6] = 0.0
    X = X.astype(dtype)
    plain = SoftMargin(X.astype(np.float64), y, C=1.0, kernel=kernel)
    other = SoftMargin(LAYOUTS[layout](X), y, C=1.0, kernel=kernel)
    expected, found = run(plain, 1e-6), run(other, 1e-6)
    assert found.converged
    assert violation(plain.dual(), found.signed) <= 1.1e-6
    best = objective(plain.dual(), expected.signed)
    assert objective(plain.dual(), found.signed) == pytest.approx(best, rel=1e-8)


class TestManyPrograms:
    def programs(self, n: int, k: int = 4) -> tuple[np.ndarray, list[SoftMargin], list[Program]]:
        """Pairs of k classes, the points sorted by class."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, 5))
        label = np.sort(rng.integers(k, size=n))
        X[:, 0] += label
        problems, programs = [], []
        for i in range(k):
            for j in range(i + 1, k):
                rows = np.flatnonzero((label == i) | (label == j))
                y = np.where(label[rows] == i, 1.0, -1.0)
                problem = SoftMargin(X[rows], y, C=10.0, kernel=RBF(0.3))
                qp = problem.dual()
                program = Program.of(qp, np.zeros(qp.n_variables))
                problems.append(problem)
                programs.append(replace(program, point=rows[qp.point]))
        return X, problems, programs

    @pytest.mark.parametrize("cache_mb", [None, 1.0])
    @pytest.mark.parametrize("n", [60, 1200, 6000])
    def test_each_reaches_its_optimum(self, n: int, cache_mb: float | None) -> None:
        X, problems, programs = self.programs(n)
        answers = Engine(RBF(0.3), X, cache_mb=cache_mb).solve(programs, tol=1e-4)
        for problem, answer in zip(problems, answers, strict=True):
            assert answer.converged
            assert violation(problem.dual(), answer.signed) <= 1e-4

    def test_they_are_the_same_as_alone(self) -> None:
        X, problems, programs = self.programs(1500)
        together = Engine(RBF(0.3), X).solve(programs, tol=1e-7)
        for problem, answer in zip(problems, together, strict=True):
            alone = objective(problem.dual(), run(problem, 1e-7).signed)
            assert objective(problem.dual(), answer.signed) == pytest.approx(alone, rel=1e-8)

    def test_an_engine_can_be_used_again(self) -> None:
        X, _, programs = self.programs(800)
        engine = Engine(RBF(0.3), X)
        first, second = (engine.solve(programs, tol=1e-4) for _ in range(2))
        for one, other in zip(first, second, strict=True):
            np.testing.assert_array_equal(one.signed, other.signed)


class TestDuplicates:
    """Equal points are merged; the answer is that of the points as they are."""

    def repeated(self, opposite: bool) -> tuple[np.ndarray, np.ndarray]:
        X, y = classes(150, d=2)
        X = np.vstack([X, X, X[:40]])
        y = np.concatenate([y, -y if opposite else y, y[:40]])
        order = np.random.default_rng(2).permutation(len(y))
        return X[order], y[order]

    @pytest.mark.parametrize("opposite", [False, True])
    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
    @pytest.mark.parametrize("hold", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
    def test_a_margin(self, opposite: bool, weighted: bool, loss: str, hold: Any) -> None:
        X, y = self.repeated(opposite)
        weight = np.random.default_rng(4).uniform(0.2, 2.0, len(y)) if weighted else None
        problem = SoftMargin(hold(X), y, C=1.0, loss=loss, kernel=RBF(0.5), sample_weight=weight)
        answer = run(problem, 1e-6)
        plain = SoftMargin(X, y, C=1.0, loss=loss, kernel=RBF(0.5), sample_weight=weight)
        assert violation(plain.dual(), answer.signed) <= 1e-6
        best = certify(plain, solve(plain, solver="dual-qp")).dual
        assert -objective(plain.dual(), answer.signed) == pytest.approx(best, rel=1e-7)

    def test_other_problems(self) -> None:
        X, y = self.repeated(False)
        t = np.round(X[:, 0] + X[:, 1], 1)
        problems: list[Problem] = [
            EpsilonTube(X, t, C=1.0, epsilon=0.1, kernel=RBF(0.5)),
            NuTube(X, t, C=1.0, nu=0.3, kernel=RBF(0.5)),
            NuMargin(X, y, nu=0.7, kernel=RBF(0.5)),
            OneClass(X, nu=0.3, kernel=RBF(0.5)),
        ]
        for problem in problems:
            answer = run(problem, 1e-6)
            assert answer.converged
            assert violation(problem.dual(), answer.signed) <= 1e-6
            best = certify(problem, solve(problem, solver="dual-qp")).dual
            found = -objective(problem.dual(), answer.signed)
            assert found == pytest.approx(best, rel=1e-6, abs=1e-8)

    def test_the_gradient_is_that_of_each_point(self) -> None:
        X, y = self.repeated(True)
        problem = SoftMargin(X, y, C=1.0, kernel=RBF(0.5))
        answer = run(problem, 1e-6)
        expected = problem.dual().gradient(answer.signed)
        np.testing.assert_allclose(answer.gradient, expected, atol=1e-5)


@pytest.mark.parametrize("n", [100, 3000, 6000])
def test_the_answer_depends_neither_on_threads_nor_on_the_run(n: int) -> None:
    X, y = classes(n)
    problem = SoftMargin(X, y, C=10.0, kernel=RBF(0.2))
    first = run(problem, 1e-4, n_threads=1)
    for n_threads in (1, 2, 3):
        again = run(problem, 1e-4, n_threads=n_threads)
        np.testing.assert_array_equal(first.signed, again.signed)
        np.testing.assert_array_equal(first.gradient, again.gradient)
        assert (first.steps, first.ending) == (again.steps, again.ending)


def test_many_programs_do_not_depend_on_threads() -> None:
    X, _, programs = TestManyPrograms().programs(1500)
    first = Engine(RBF(0.3), X, n_threads=1).solve(programs, tol=1e-4)
    for n_threads in (2, 3):
        again = Engine(RBF(0.3), X, n_threads=n_threads).solve(programs, tol=1e-4)
        for one, other in zip(first, again, strict=True):
            np.testing.assert_array_equal(one.signed, other.signed)


def test_steps_and_seconds_end_a_run_with_a_feasible_point() -> None:
    X, y = classes(5000)
    problem = SoftMargin(X, y, C=1e4, kernel=RBF(0.2))
    qp = problem.dual()
    program = Program.of(qp, np.zeros(qp.n_variables))
    for limit, ending in (({"max_steps": 50}, "steps"), ({"seconds": 1e-3}, "seconds")):
        (answer,) = engine_for(problem).solve([program], tol=1e-9, **limit)
        assert answer.ending == ending
        assert not answer.converged
        assert np.all((answer.signed >= qp.lower) & (answer.signed <= qp.upper))
        assert qp.infeasibility(answer.signed) < 1e-9


def test_what_a_watcher_raises_reaches_the_caller() -> None:
    X, y = classes(5000)
    problem = SoftMargin(X, y, C=1e4, kernel=RBF(0.2))
    qp = problem.dual()

    def broken(progress: object) -> bool:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        engine_for(problem).solve(
            [Program.of(qp, np.zeros(qp.n_variables))], tol=1e-9, watch=broken
        )


def test_what_a_kernel_raises_reaches_the_caller() -> None:
    def broken(A: np.ndarray, B: np.ndarray) -> np.ndarray:
        raise KeyError("mine")

    X, y = classes(60)
    qp = SoftMargin(X, y).dual()
    with pytest.raises(KeyError, match="mine"):
        Engine(Function(broken), X).solve([Program.of(qp, 0 * qp.sign)], tol=1e-3)


@pytest.mark.parametrize("options", [{"cache_mb": 2.0}, {"n_threads": 1}])
def test_the_solver_takes_options(options: dict[str, Any]) -> None:
    X, y = classes(1000)
    problem = SoftMargin(X, y, kernel=RBF(0.2))
    assert certify(problem, solve(problem, Decomposition(**options))).holds(1e-6)
