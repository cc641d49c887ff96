"""The path holds the optimum of every C: checked against Clarabel and against theorems."""

import numpy as np
import pytest

from maxmargin import InvalidInputError, UnsupportedProblemError, certify, solve, svm_path
from maxmargin.kernels import RBF, Function, Linear, Polynomial, Precomputed, Sigmoid
from maxmargin.problems import Case, Free, HardMargin, NuMargin, Regularised, SoftMargin
from references import primal_optimum
from zoo import KERNELS, Numbers

BIASES = {"free": Free(), "regularised": Regularised(1.5), "none": Regularised(0)}


def two_classes(seed=0, n=40, share=0.5, d=2):
    """Overlapping classes of which the first has the given share of the points."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < round(share * n), 1.0, -1.0)
    return rng.normal(size=(n, d)) + 0.6 * y[:, None], y


def some_penalties(path, n=12):
    """C inside the pieces, at breakpoints and before the first one."""
    inner = path.breakpoints[path.breakpoints > 0]
    places = np.linspace(0, len(inner) - 1, n).astype(int)
    middles = 0.5 * (inner[places] + inner[np.maximum(places - 1, 0)])
    return np.unique(np.concatenate([[0.3 * inner[0]], inner[places], middles]))


def assert_certified(path, tol=1e-9):
    for C in some_penalties(path, 25):
        certificate = path.certificate(C)
        assert certificate.holds(tol), f"C = {C}: {certificate.summary()}"


@pytest.mark.parametrize("share", [0.5, 0.25])
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("kernel", ["linear", "polynomial", "rbf", "laplacian"])
def test_the_optimum_is_that_of_another_solver_anywhere(kernel, bias, share):
    X, y = two_classes(1, 30, share)
    ours, theirs = KERNELS[kernel]
    weight = np.random.default_rng(2).uniform(0.3, 2.0, len(y)) if share < 0.5 else np.ones(30)
    problem = SoftMargin(X, y, C=50, kernel=ours, bias=BIASES[bias], sample_weight=weight)
    path = svm_path(problem)
    assert_certified(path)
    for C in some_penalties(path, 8):
        expected = primal_optimum(
            "SoftMargin", theirs(X, X), Numbers(X, y, weight, C), BIASES[bias]
        )
        certificate = path.certificate(C)
        assert certificate.primal == pytest.approx(expected, rel=1e-7)
        assert certificate.dual == pytest.approx(expected, rel=1e-7)


def test_one_dimension_by_hand():
    """Balanced: a = C for all while a bias suits them, to C = 1/3; then w = 2/3 for ever."""
    path = svm_path(SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=10))
    np.testing.assert_allclose(path.breakpoints, [0, 1 / 3, 10])
    assert [(e.point, e.before, e.after) for e in path.events] == [
        (0, Case.BOUNDED, Case.FREE),
        (3, Case.BOUNDED, Case.FREE),
    ]
    np.testing.assert_allclose(path.multipliers(0.2), 0.2)
    np.testing.assert_allclose(path.coef([0.2, 5.0]), [[0.4], [2 / 3]])
    np.testing.assert_allclose(path.bias(5.0), -1)
    outer = (2 / 3 + 5.0) / 3
    np.testing.assert_allclose(path.multipliers(5.0), [outer, 5, 5, outer])


def test_the_first_breakpoint_of_balanced_classes():
    """Hastie et al., section 3.1: until then a = C, and it comes when no bias is left."""
    X, y = two_classes(3)
    for kernel in (Linear(), RBF(0.7)):
        pull = kernel.block(X, X) @ y
        first = 2 / (pull[y > 0].max() - pull[y < 0].min())
        path = svm_path(SoftMargin(X, y, C=5, kernel=kernel))
        assert path.breakpoints[1] == pytest.approx(first, rel=1e-12)
        np.testing.assert_allclose(path.multipliers(0.9 * first), 0.9 * first)


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_multipliers_of_unbalanced_classes_start_proportional_to_C(share):
    X, y = two_classes(4, share=share)
    path = svm_path(SoftMargin(X, y, C=5, kernel=RBF(0.7)))
    first = path.breakpoints[1]
    np.testing.assert_allclose(
        path.multipliers(first / 1000) * 1000, path.multipliers(first), atol=1e-12 * first
    )
    assert path.bias(first * 1e-9) == pytest.approx(-1, abs=1e-6)
    assert path.multipliers(0.0).max() == 0


def test_the_sets_change_at_the_events_and_nowhere_else():
    X, y = two_classes(5)
    path = svm_path(SoftMargin(X, y, C=20, kernel=RBF(0.5)))
    where = np.unique([event.C for event in path.events])
    np.testing.assert_array_equal(where, path.breakpoints[1:-1])
    for before, after in zip(path.breakpoints[:-1], path.breakpoints[1:], strict=True):
        if after - before < 1e-6 * after:
            continue
        for C in np.linspace(before, after, 5)[1:-1]:
            np.testing.assert_array_equal(path.cases(C), path.cases(0.5 * (before + after)))


def test_the_sets_are_those_of_the_solved_problem():
    X, y = two_classes(6)
    problem = SoftMargin(X, y, C=20, kernel=RBF(0.5))
    path = svm_path(problem)
    for C in some_penalties(path, 8):
        if np.abs(path.breakpoints - C).min() < 1e-6 * C:
            continue
        posed = problem.replace(C=C)
        case = posed.dual().case(solve(posed, "dual-qp").dual)
        np.testing.assert_array_equal(path.cases(C), case)
        assert path.n_free(C) == np.count_nonzero(case == Case.FREE)
        assert path.n_support(C) == np.count_nonzero(case != Case.ZERO)


def test_everything_is_continuous():
    X, y = two_classes(7, share=0.4)
    path = svm_path(SoftMargin(X, y, C=30, kernel=RBF(1.0)))
    inner = path.breakpoints[1:-1]
    for value in (path.multipliers, path.margins, path.bias):
        jump = value(inner * (1 + 1e-12)) - value(inner * (1 - 1e-12))
        assert np.abs(jump).max() < 1e-7


def test_at_returns_the_solution_and_its_problem():
    X, y = two_classes(8)
    problem = SoftMargin(X, y, C=20)
    path = svm_path(problem)
    solution = path.at(3.0)
    assert solution.converged
    assert solution.problem.C == 3.0
    assert certify(SoftMargin(X, y, C=3.0), solution).holds(1e-9)
    np.testing.assert_allclose(path.coef(3.0), solution.w)
    np.testing.assert_allclose(path.bias(3.0), solution.b)
    np.testing.assert_allclose(path.margins(3.0), y * solution.decision(X), atol=1e-12)
    assert solution.solver == "path"
    assert solution.iterations == len(path.events)


def test_a_regularised_bias_is_reported():
    X, y = two_classes(8)
    path = svm_path(SoftMargin(X, y, C=20, bias=Regularised(2)))
    solution = path.at(3.0)
    np.testing.assert_allclose(path.bias(3.0), solution.b)
    np.testing.assert_allclose(path.margins(3.0), y * solution.decision(X), atol=1e-12)


def test_a_path_from_the_middle_is_the_same_path():
    X, y = two_classes(9, share=0.4)
    problem = SoftMargin(X, y, C=20, kernel=RBF(0.5))
    whole, part = svm_path(problem), svm_path(problem, C_min=0.7, C_max=5)
    assert part.breakpoints[0] == 0.7
    assert part.breakpoints[-1] == 5
    for C in np.geomspace(0.7, 5, 9):
        np.testing.assert_allclose(part.multipliers(C), whole.multipliers(C), atol=1e-8)
        assert part.bias(C) == pytest.approx(whole.bias(C), abs=1e-8)


def test_flipping_the_labels_flips_the_bias():
    X, y = two_classes(10, share=0.3)
    path = svm_path(SoftMargin(X, y, C=10, kernel=RBF(0.5)))
    flipped = svm_path(SoftMargin(X, -y, C=10, kernel=RBF(0.5)))
    Cs = np.geomspace(1e-3, 10, 9)
    np.testing.assert_allclose(path.multipliers(Cs), flipped.multipliers(Cs), atol=1e-9)
    np.testing.assert_allclose(path.bias(Cs), -flipped.bias(Cs), atol=1e-9)


def test_scaling_the_points_scales_the_breakpoints():
    X, y = two_classes(11)
    path = svm_path(SoftMargin(X, y, C=9))
    scaled = svm_path(SoftMargin(3 * X, y, C=1))
    np.testing.assert_allclose(scaled.breakpoints, path.breakpoints / 9, rtol=1e-8)


def test_a_duplicated_point_equals_a_doubled_weight():
    X, y = two_classes(12, share=0.4)
    twice = svm_path(SoftMargin(np.vstack([X, X[:5]]), np.append(y, y[:5]), C=10, kernel=RBF(0.5)))
    weight = np.where(np.arange(len(y)) < 5, 2.0, 1.0)
    heavy = svm_path(SoftMargin(X, y, C=10, kernel=RBF(0.5), sample_weight=weight))
    Cs = np.geomspace(1e-3, 10, 20)
    np.testing.assert_allclose(twice.margins(Cs)[:, : len(y)], heavy.margins(Cs), atol=1e-8)


def test_points_of_no_weight_are_left_out():
    X, y = two_classes(13)
    weight = np.r_[np.zeros(5), np.ones(35)]
    path = svm_path(SoftMargin(X, y, C=10, sample_weight=weight))
    rest = svm_path(SoftMargin(X[5:], y[5:], C=10))
    np.testing.assert_allclose(path.breakpoints, rest.breakpoints)
    np.testing.assert_allclose(path.multipliers(2.0)[5:], rest.multipliers(2.0), atol=1e-10)
    assert {event.point for event in path.events}.isdisjoint(range(5))


def test_separable_points_end_at_the_hard_margin():
    X, y = two_classes(14)
    X = X + 3 * y[:, None]
    path = svm_path(SoftMargin(X, y, C=1e4))
    hard = solve(HardMargin(X, y))
    np.testing.assert_allclose(path.coef(1e4), hard.w, rtol=1e-7)
    assert path.bias(1e4) == pytest.approx(hard.b, rel=1e-6)
    assert path.events[-1].C < 1e3


def test_any_kernel_will_do():
    X, y = two_classes(15, 30)
    gaussian = svm_path(SoftMargin(X, y, C=5, kernel=RBF(0.5)))
    K = RBF(0.5).block(X, X)
    names = [str(i) for i in range(30)]

    def look_up(A, B):
        return K[np.ix_([int(a) for a in A], [int(b) for b in B])]

    for other in (
        SoftMargin(K, y, C=5, kernel=Precomputed()),
        SoftMargin(names, y, C=5, kernel=Function(look_up)),
    ):
        np.testing.assert_allclose(svm_path(other).breakpoints, gaussian.breakpoints, rtol=1e-8)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda X, y: svm_path((X, y)), "svm_path takes points and labels"),
        (
            lambda X, y: svm_path(NuMargin(X, y)),
            "svm_path takes data, or a SoftMargin.*got NuMargin",
        ),
        (lambda X, y: svm_path(SoftMargin(X, y), C_min=2.0), "C_min must be .* below C_max = 1"),
        (lambda X, y: svm_path(SoftMargin(X, y), C_min=-1), "C_min must be zero or more"),
        (lambda X, y: svm_path(SoftMargin(X, y), C_max=np.inf), "C_max must be a finite number"),
        (lambda X, y: svm_path(SoftMargin(X, y)).at(2.0), "C = 2 is not on this path"),
        (lambda X, y: svm_path(SoftMargin(X, y)).bias([[1.0]]), "one-dimensional"),
        (lambda X, y: svm_path(SoftMargin(X, y)).at(0.0), "C must be greater than zero"),
    ],
)
def test_wrong_things_get_a_sentence(make, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        make(*two_classes())


def test_what_has_no_such_path_is_refused():
    X, y = two_classes()
    with pytest.raises(UnsupportedProblemError, match="loss='hinge'"):
        svm_path(SoftMargin(X, y, loss="squared_hinge"))
    with pytest.raises(UnsupportedProblemError, match="positive semidefinite"):
        svm_path(SoftMargin(X, y, kernel=Sigmoid(gamma=1.0, coef0=-1.0)))
    with pytest.raises(InvalidInputError, match="w lives in the feature space"):
        svm_path(SoftMargin(X, y, kernel=Polynomial(gamma=1.0, coef0=1.0, degree=2))).coef(0.5)
