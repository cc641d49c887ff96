"""Machines along a price over one matrix are as optimal as machines by themselves."""

import numpy as np
import pytest
from scipy import sparse

from maxmargin.kernels import RBF, Laplacian, Linear, Polynomial, Precomputed, Sigmoid
from maxmargin.problems import EpsilonTube, NuMargin, OneClass, Regularised, SoftMargin
from maxmargin.solvers.engine import Program
from maxmargin.solvers.price_path import PricePath, similarities, solve_paths
from maxmargin.solvers.shared_gram import PairSums, SharedGram

KERNELS = [
    RBF(0.3),
    2.0 * RBF(0.3),
    Linear(),
    Polynomial(0.5, 1.0, 3),
    Sigmoid(0.1, -0.2),
    Laplacian(0.2),
    Linear() + RBF(0.1),
]


@pytest.fixture(name="X")
def rows(rng):
    return rng.normal(size=(300, 4)) + 2.0


@pytest.fixture
def y(X, rng):
    return np.where((X**2).sum(axis=1) + 3 * rng.normal(size=300) > 20, 1.0, -1.0)


def filled(kernel, X, dtype, constant=0.0):
    gram = SharedGram(len(X) if not sparse.issparse(X) else X.shape[0], dtype)
    gram.fill(kernel, PairSums(X, 2), constant)
    return gram


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_the_matrix_is_the_kernel_s(kernel, dtype, make, X):
    gram = filled(kernel, make(X), dtype, constant=0.5)
    exact = kernel.block(X, X) + 0.5
    accuracy = 1e-6 if dtype is np.float32 else 1e-12
    np.testing.assert_allclose(gram.values[:300, :300], exact, rtol=accuracy, atol=accuracy)
    assert not gram.values[300:].any()
    assert not gram.values[:, 300:].any()


def test_distances_do_not_cancel_in_float32(X):
    far = X + 1e4
    near = filled(RBF(0.3), far, np.float32).values[:300, :300]
    np.testing.assert_allclose(near, RBF(0.3).block(X, X), atol=1e-6)


def test_a_matrix_is_filled_again(X):
    gram = filled(RBF(0.3), X, np.float32)
    first = gram.rounding
    gram.fill(RBF(3.0), PairSums(X, 1), 0.0)
    np.testing.assert_allclose(gram.values[:300, :300], RBF(3.0).block(X, X), atol=1e-6)
    assert (gram.rounding != first).any()


def problem_at(kind, X, y, price):
    kernel = RBF(0.3)
    if kind == "nu":
        return NuMargin(X, y, nu=price, kernel=kernel)
    if kind == "one class":
        return OneClass(X, nu=price, kernel=kernel)
    bias = {"bias": Regularised(1.0)} if kind == "regularised" else {}
    return SoftMargin(X, y, C=price, kernel=kernel, **bias)


PRICES = {
    "soft": [0.1, 1.0, 1.0, 20.0, 300.0, 0.5],
    "regularised": [0.1, 1.0, 20.0],
    "nu": [0.1, 0.2, 0.3],
    "one class": [0.1, 0.3, 0.2],
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_used", [80, 240, 300])
@pytest.mark.parametrize("kind", PRICES)
def test_each_solution_is_optimal(kind, n_used, dtype, X, y, rng):
    constant = 1.0 if kind == "regularised" else 0.0
    gram = filled(RBF(0.3), X, dtype, constant)
    points = rng.permutation(300)[:n_used]
    K = RBF(0.3).block(X, X) + constant
    path, tol, last = None, 1e-3, None
    for price in PRICES[kind]:
        qp = problem_at(kind, X[points], y[points], price).dual()
        start, factor = qp.project(np.zeros(n_used)), 1.0
        if last is not None:
            factor = qp.cost.sum() / last[1].sum()
            start = qp.project(factor * last[0])
        program = Program.of(qp, start)
        path = path or PricePath(gram, program, points, tol)
        answer = path.solve(program, factor, tol, None)
        assert answer.converged
        last = answer.signed, qp.cost
        gradient = K[np.ix_(points, points)] @ answer.signed + qp.linear
        rounding = 2e-7 * np.abs(answer.signed).sum()
        assert program.violation(answer.signed, gradient) <= tol + rounding
        assert qp.infeasibility(answer.signed) < 1e-9
        np.testing.assert_allclose(answer.gradient, gradient, atol=rounding + 1e-9)
        everywhere = np.arange(300)
        np.testing.assert_allclose(
            similarities([path], everywhere)[0], K[:, points] @ answer.signed, atol=rounding + 1e-9
        )
        few = np.array([7, 290, 7])
        np.testing.assert_array_equal(
            similarities([path], few)[0], similarities([path], everywhere)[0][few]
        )


@pytest.mark.parametrize("gamma", [0.02, 3.0], ids=["few free", "most free"])
@pytest.mark.parametrize("kind", ["soft", "regularised", "nu"])
def test_large_machines_are_optimal_too(kind, gamma, rng):
    X = rng.normal(size=(2600, 4))
    y = np.where((X**2).sum(axis=1) + rng.normal(size=2600) > 4, 1.0, -1.0)
    constant = 1.0 if kind == "regularised" else 0.0
    gram = filled(RBF(gamma), X, np.float32, constant)
    K = RBF(gamma).block(X, X) + constant
    points = np.sort(rng.permutation(2600)[:2300])
    path, tol, start = None, 1e-3, None
    for price in [0.2, 0.4] if kind == "nu" else [0.1, 3.0, 100.0, 1000.0]:
        bias = {"bias": Regularised(1.0)} if kind == "regularised" else {}
        problem = (
            NuMargin(X[points], y[points], nu=price, kernel=RBF(gamma))
            if kind == "nu"
            else SoftMargin(X[points], y[points], C=price, kernel=RBF(gamma), **bias)
        )
        qp = problem.dual()
        start = qp.project(np.zeros(2300) if start is None else start)
        program = Program.of(qp, start)
        path = path or PricePath(gram, program, points, tol)
        answer = path.solve(program, 1.0, tol, None)
        assert answer.converged
        start = answer.signed
        gradient = K[np.ix_(points, points)] @ answer.signed + qp.linear
        rounding = 1e-7 * np.abs(answer.signed).sum()
        assert program.violation(answer.signed, gradient) <= tol + rounding
        np.testing.assert_allclose(
            similarities([path], np.arange(2600))[0],
            K[:, points] @ answer.signed,
            atol=rounding + 1e-9,
        )


def test_the_error_of_rounding_is_measured_and_made_up_for(X, y):
    gram = filled(RBF(0.3), X, np.float32)
    points = np.arange(300)
    qp = problem_at("soft", X, y, 1e4).dual()
    program = Program.of(qp, np.zeros(300))
    path = PricePath(gram, program, points, 1e-3)
    answer = path.solve(program, 1.0, 1e-3, None)
    exact = RBF(0.3).block(X, X) @ answer.signed
    off = np.abs(similarities([path], points)[0] - exact)
    assert 0 < path.error(answer.signed) <= off.max() * (1 + 1e-6)
    path.settle(answer.signed)
    np.testing.assert_allclose(similarities([path], points)[0], exact, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_threads", [1, 4])
def test_paths_side_by_side_are_those_one_by_one(n_threads, dtype, X, y, rng):
    gram = filled(RBF(0.3), X, dtype)
    subsets = [np.sort(rng.permutation(300)[:n]) for n in (60, 100, 140, 200)]
    programs = [
        Program.of(problem_at("soft", X[rows], y[rows], 3.0).dual(), np.zeros(len(rows)))
        for rows in subsets
    ]

    def paths():
        pairs = zip(programs, subsets, strict=True)
        return [PricePath(gram, program, rows, 1e-3) for program, rows in pairs]

    singles, group, at = paths(), paths(), np.arange(0, 300, 7)
    alone = [p.solve(q, 1.0, 1e-3, None) for p, q in zip(singles, programs, strict=True)]
    stages = [p.stage(q, 1.0, 1e-3) for p, q in zip(group, programs, strict=True)]
    together = solve_paths(group, stages, None, n_threads)
    for one, other in zip(alone, together, strict=True):
        assert one.ending == other.ending == "converged"
        np.testing.assert_array_equal(one.signed, other.signed)
        np.testing.assert_array_equal(one.gradient, other.gradient)
    sums = [similarities([path], at)[0] for path in singles]
    np.testing.assert_array_equal(similarities(group, at, n_threads), sums)


def test_a_path_can_be_stopped(rng):
    X, y = rng.normal(size=(1500, 8)), np.sign(rng.normal(size=1500))
    gram = filled(RBF(0.01), X, np.float64)
    program = Program.of(SoftMargin(X, y, C=1e9, kernel=RBF(0.01)).dual(), np.zeros(1500))
    path = PricePath(gram, program, np.arange(1500), 1e-12)
    answer = path.solve(program, 1.0, 1e-12, lambda: True)
    assert answer.ending == "watch"
    assert np.isfinite(answer.signed).all()


def test_what_a_path_cannot_solve_is_refused(X, y):
    gram = filled(RBF(0.3), X, np.float32)
    tube = EpsilonTube(X, y, kernel=RBF(0.3)).dual()
    squared = SoftMargin(X, y, loss="squared_hinge", kernel=RBF(0.3)).dual()
    for qp in (tube, squared):
        program = Program.of(qp, np.zeros(qp.n_variables))
        assert not PricePath.suits(program)
        with pytest.raises(ValueError, match="one variable a point"):
            PricePath(gram, program, qp.point, 1e-3)
    program = Program.of(problem_at("soft", X, y, 1.0).dual(), np.zeros(300))
    with pytest.raises(ValueError, match="different ones"):
        PricePath(gram, program, np.zeros(300, dtype=np.int64), 1e-3)


def test_similarities_given_as_a_matrix_are_taken_as_they_are(X):
    K = RBF(0.3).block(X, X)
    gram = filled(Precomputed(), K, np.float64)
    np.testing.assert_array_equal(gram.values[:300, :300], K)
