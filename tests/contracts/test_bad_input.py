"""Bad input is met with a sentence that names the argument and says what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm

from maxmargin import (
    InfeasibleProblemError,
    InvalidInputError,
    MaxMarginError,
    NotSeparableError,
    Solution,
    Stop,
    UnsupportedProblemError,
    certify,
    errors,
    separability,
    solve,
    solve_all,
)
from maxmargin.certificates import CommonPoint, margins
from maxmargin.kernels import (
    RBF,
    Chi2,
    Function,
    Laplacian,
    Polynomial,
    Precomputed,
    Sigmoid,
    is_positive_semidefinite,
)
from maxmargin.problems import (
    EpsilonTube,
    Free,
    HardMargin,
    NuMargin,
    NuTube,
    OneClass,
    Regularised,
    SoftMargin,
    Sphere,
)
from zoo import points

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 3.0], [3.0, 2.0]])
Y = np.array([-1, -1, 1, 1])
NAN, INF = float("nan"), float("inf")


def soft(X: Any = X, y: Any = Y, **others: Any) -> SoftMargin:
    return SoftMargin(X, y, **others)


def with_entry(value: float) -> np.ndarray:
    changed = X.copy()
    changed[2, 1] = value
    return changed


def sparse_with_entry(value: float) -> sparse.csr_array:
    return sparse.csr_array(with_entry(value))


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    # The points.
    "X NaN": (
        lambda: soft(with_entry(NAN)),
        r"X contains NaN \(first at row 2\).*remove or impute",
    ),
    "X infinite": (lambda: soft(with_entry(INF)), r"X contains infinity \(first at row 2\)"),
    "X minus infinity": (lambda: soft(with_entry(-INF)), r"X contains infinity"),
    "X sparse NaN": (lambda: soft(sparse_with_entry(NAN)), r"X contains NaN"),
    "X float32 NaN": (lambda: soft(with_entry(NAN).astype(np.float32)), r"X contains NaN"),
    "X object NaN": (lambda: soft(with_entry(NAN).astype(object)), r"X contains NaN"),
    "X one dimension": (lambda: soft(X[:, 0]), r"X has 1 dimensions? where 2 .*reshape\(-1, 1\)"),
    "X three dimensions": (lambda: soft(X[None]), r"X has 3 dimensions where 2 are needed"),
    "X scalar": (lambda: soft(3.0), r"X has 0 dimensions where 2 are needed"),
    "X ragged": (lambda: soft([[1.0, 2.0], [3.0]]), r"X is not a rectangular array.*same length"),
    "X no rows": (lambda: soft(np.zeros((0, 2)), []), r"X has no rows"),
    "X no columns": (lambda: soft(np.zeros((4, 0))), r"X has no columns"),
    "X empty list": (lambda: soft([], []), r"X has 1 dimensions?"),
    "X sparse no rows": (lambda: soft(sparse.csr_array((0, 2)), []), r"X has no rows"),
    "X complex": (lambda: soft(X * 1j), r"X holds complex numbers"),
    "X sparse complex": (lambda: soft(sparse.csr_array(X * 1j)), r"X holds complex numbers"),
    "X words": (lambda: soft([["a", "b"]] * 4), r"X holds values that are not numbers"),
    "X objects": (lambda: soft(np.array([[{}, 1.0]] * 4)), r"X holds values that are not numbers"),
    "X holes": (lambda: soft(np.array([[None, 1.0]] * 4)), r"X contains NaN"),
    "X None": (lambda: soft(None), r"X "),
    "X negative for chi2": (lambda: soft(-X, kernel=Chi2(1.0)), r"X has negative entries.*RBF"),
    # The labels.
    "y zero and one": (lambda: soft(y=[0, 0, 1, 1]), r"y must hold the labels -1 and \+1.*0, 1"),
    "y three classes": (lambda: soft(y=[-1, 0, 1, 1]), r"y must hold the labels -1 and \+1 exac"),
    "y words": (lambda: soft(y=["no", "no", "yes", "yes"]), r"y must hold numbers"),
    "y one class": (lambda: soft(y=[1, 1, 1, 1]), r"y holds one class only: no point .* -1"),
    "y other class": (lambda: soft(y=[-1, -1, -1, -1]), r"y holds one class only: no point .* \+1"),
    "y NaN": (lambda: soft(y=[-1, -1, 1, NAN]), r"y contains NaN"),
    "y infinite": (lambda: soft(y=[-1, -1, 1, INF]), r"y contains infinity"),
    "y longer": (lambda: soft(y=[-1, -1, 1, 1, 1]), r"y has 5 values for 4 points"),
    "y shorter": (lambda: soft(y=[-1, 1]), r"y has 2 values for 4 points"),
    "y column": (lambda: soft(y=Y[:, None]), r"y must be one-dimensional.*\(4, 1\)"),
    "y ragged": (lambda: soft(y=[[1], [1, 2]]), r"y must hold numbers"),
    "y complex": (lambda: soft(y=Y * (1 + 0j)), r"y .*complex"),
    "y None": (lambda: soft(y=None), r"y "),
    "y scalar": (lambda: soft(y=1), r"y must be one-dimensional"),
    "targets NaN": (lambda: EpsilonTube(X, [0, 1, 2, NAN]), r"y contains NaN"),
    "targets wrong length": (lambda: NuTube(X, [0, 1, 2]), r"y has 3 values for 4 points"),
    # The weights.
    "weights negative": (lambda: soft(sample_weight=[1, 1, 1, -2]), r"sample_weight .*zero.*-2"),
    "weights all zero": (lambda: soft(sample_weight=[0] * 4), r"sample_weight is zero everywhere"),
    "weights zero for a class": (
        lambda: soft(sample_weight=[0, 0, 1, 1]),
        r"sample_weight is zero for every point with the label -1",
    ),
    "weights NaN": (lambda: soft(sample_weight=[1, 1, 1, NAN]), r"sample_weight contains NaN"),
    "weights infinite": (lambda: soft(sample_weight=[1, 1, 1, INF]), r"sample_weight .*infinity"),
    "weights short": (lambda: soft(sample_weight=[1, 1]), r"sample_weight has 2 values for 4"),
    "weights scalar": (lambda: soft(sample_weight=2.0), r"sample_weight must be one-dimensional"),
    "weights of one class": (
        lambda: OneClass(X, sample_weight=[0] * 4),
        r"sample_weight is zero everywhere",
    ),
    # The parameters.
    "C zero": (lambda: soft(C=0), r"C must be greater than zero; got 0"),
    "C negative": (lambda: soft(C=-1.0), r"C must be greater than zero; got -1"),
    "C infinite": (lambda: soft(C=INF), r"C is infinite.*HardMargin"),
    "C NaN": (lambda: soft(C=NAN), r"C must be a finite number"),
    "C word": (lambda: soft(C="big"), r"C must be a number; got 'big'"),
    "C None": (lambda: soft(C=None), r"C must be a number; got None"),
    "C array": (lambda: soft(C=[1.0, 2.0]), r"C must be a number"),
    "C tube": (lambda: EpsilonTube(X, Y, C=0), r"C must be greater than zero"),
    "C tube infinite": (lambda: EpsilonTube(X, Y, C=INF), r"C "),
    "C sphere": (lambda: Sphere(X, C=0), r"C must be greater than zero"),
    "epsilon negative": (lambda: EpsilonTube(X, Y, epsilon=-0.1), r"epsilon must be zero or more"),
    "epsilon NaN": (lambda: EpsilonTube(X, Y, epsilon=NAN), r"epsilon must be a finite number"),
    "nu zero": (lambda: NuMargin(X, Y, nu=0), r"nu must lie in \(0, 1\]"),
    "nu above one": (lambda: OneClass(X, nu=1.01), r"nu must lie in \(0, 1\]"),
    "nu NaN": (lambda: NuTube(X, Y, nu=NAN), r"nu must be a finite number"),
    "loss": (lambda: soft(loss="log"), r"loss must be 'hinge' or 'squared_hinge'; got 'log'"),
    "lambda": (lambda: SoftMargin.from_lambda(X, Y, 0), r"regularisation must be greater than"),
    "lambda form": (lambda: SoftMargin.from_lambda(X, Y, 1, form="third"), r"form must be 'half'"),
    "bias": (lambda: soft(bias=True), r"bias must be Free\(\) or Regularised\(scale\); got True"),
    "bias scale": (lambda: Regularised(-1), r"scale must be zero or more; got -1"),
    "bias scale and eps": (
        lambda: Regularised(2.0, eps=1.0),
        r"either scale or eps; got scale=2.0 and eps=1.0",
    ),
    "bias scale NaN": (lambda: Regularised(NAN), r"scale must be a finite number"),
    # The kernels.
    "kernel word": (lambda: soft(kernel="rbf"), r"kernel must be one of maxmargin.kernels.*'rbf'"),
    "kernel class": (lambda: soft(kernel=RBF), r"kernel must be one of maxmargin.kernels"),
    "kernel function": (lambda: soft(kernel=np.dot), r"Wrap a function as kernels.Function"),
    "gamma zero": (lambda: RBF(0), r"gamma must be greater than zero; got 0"),
    "gamma negative": (lambda: Laplacian(-1), r"gamma must be greater than zero"),
    "gamma NaN": (lambda: Polynomial(gamma=NAN), r"gamma must be a finite number"),
    "gamma word": (
        lambda: RBF("wide"),
        r"gamma must be .*'auto' or 'median'",
    ),
    "gamma None": (lambda: RBF(None), r"gamma must be a number"),
    "coef0": (lambda: Sigmoid(1.0, coef0=INF), r"coef0 must be a finite number"),
    "degree half": (
        lambda: Polynomial(degree=1.5),
        r"degree must be a whole number of at least 1; got 1.5",
    ),
    "degree zero": (
        lambda: Polynomial(degree=0),
        r"degree must be a whole number of at least 1; got 0",
    ),
    "degree bool": (lambda: Polynomial(degree=True), r"degree must be a whole number"),
    "factor negative": (lambda: -2 * RBF(1.0), r"factor must be greater than zero"),
    "factor zero": (lambda: 0 * RBF(1.0), r"factor must be greater than zero"),
    "mixed with precomputed": (lambda: RBF(1.0) + Precomputed(), r"combines only with precompu"),
    "unresolved": (lambda: RBF("scale").block(X, X), r"no value of gamma yet.*resolve\(X\)"),
    "function not callable": (lambda: Function(3), r"Function needs a callable"),
    "function shape": (
        lambda: solve(soft(kernel=Function(lambda A, B: np.ones(3)))),
        r"returned shape \(3,\) where",
    ),
    "function NaN": (
        lambda: solve(soft(kernel=Function(lambda A, B: np.full((len(A), len(B)), NAN)))),
        r"kernel function returned NaN or infinity",
    ),
    "gram not square": (lambda: soft(X, kernel=Precomputed()), r"X must be a square Gram matrix"),
    "gram not symmetric": (
        lambda: soft(np.arange(16.0).reshape(4, 4), kernel=Precomputed()),
        r"X is not symmetric .*\(X \+ X.T\) / 2",
    ),
    "psd not square": (lambda: is_positive_semidefinite(X), r"K must be a square matrix"),
    "psd NaN": (lambda: is_positive_semidefinite([[NAN]]), r"K contains NaN"),
    "psd not symmetric": (lambda: is_positive_semidefinite([[1, 2], [0, 1]]), r"not symmetric"),
    # The solvers.
    "solver unknown": (lambda: solve(soft(), solver="newton"), r"'primal-qp'.*got 'newton'"),
    "solver None": (lambda: solve(soft(), solver=None), r"solver must be one of"),
    "solver list": (lambda: solve(soft(), solver=["smo"]), r"solver must be one of"),
    "no problem": (lambda: solve(X), r"solve takes a problem of maxmargin.problems.*ndarray"),
    "start of one problem": (
        lambda: solve(soft(), warm=0),
        r"warm must be a Solution to start from; got 0",
    ),
    "start for all": (
        lambda: solve_all([soft(), soft()], warm=solve(soft())),
        r"for each of the 2 problems; got one Solution",
    ),
    # The solutions.
    "new points features": (
        lambda: solve(soft()).decision([[1.0, 2.0, 3.0]]),
        r"X has 3 features, but the problem was solved with 2",
    ),
    "new points NaN": (lambda: solve(soft()).decision([[1.0, NAN]]), r"X contains NaN"),
    "new points flat": (lambda: solve(soft()).decision([1.0, 2.0]), r"reshape\(1, -1\)"),
    "new similarities": (
        lambda: solve(soft(X @ X.T, kernel=Precomputed())).decision([[1.0, 2.0]]),
        r"similarities to the 4 training points.*\(1, 2\)",
    ),
    "new similarities NaN": (
        lambda: solve(soft(X @ X.T, kernel=Precomputed())).decision([[1.0, 2.0, NAN, 0.0]]),
        r"X contains NaN",
    ),
    "w of a kernel machine": (lambda: solve(soft(kernel=RBF(1.0))).w, r"w lives in the feature sp"),
    "multipliers of another size": (
        lambda: Solution(soft(), np.zeros(3), np.zeros(1)),
        r"4 multipliers and 1 offsets; got shapes \(3,\)",
    ),
    "certify another problem": (
        lambda: certify(soft(X[1:], Y[1:]), solve(soft())),
        r"4 multipliers and 1 offsets; this problem has 3 and 1",
    ),
    "margins of a tube": (
        lambda: margins(solve(EpsilonTube(X, Y))),
        r"need a problem with two classes; got EpsilonTube",
    ),
    "margins of scikit-learn's machine": (
        lambda: margins(svm.SVC().fit(X, Y)),
        r"got SVC of sklearn",
    ),
    "margins of no machine": (lambda: margins(X), r"got ndarray of numpy"),
    "which machine": (lambda: margins(solve(soft()), machine=1), r"from 0 to 0; got 1"),
    "which machine, bool": (lambda: margins(solve(soft()), machine=False), r"got False"),
    "which machine, word": (lambda: margins(solve(soft()), machine="a"), r"got 'a'"),
    "separability of one class": (lambda: separability(X, [1] * 4), r"y holds one class only"),
}


@pytest.mark.parametrize(("action", "pattern"), REFUSED.values(), ids=REFUSED)
def test_is_refused_with_a_sentence(action: Callable[[], Any], pattern: str) -> None:
    with pytest.raises(InvalidInputError, match=pattern) as caught:
        action()
    assert isinstance(caught.value, MaxMarginError)
    assert isinstance(caught.value, ValueError)
    assert str(caught.value).rstrip().endswith(".")


INFEASIBLE: dict[str, tuple[Callable[[], Any], str]] = {
    "nu above twice the smaller share": (
        lambda: NuMargin([[0.0], [1.0], [2.0], [3.0]], [1, -1, -1, -1], nu=0.6),
        r"nu = 0.6 is infeasible.*at most 0.5.*Lower nu",
    ),
    "nu infeasible by weights": (
        lambda: NuMargin(X, Y, nu=0.9, sample_weight=[1, 1, 3, 3]),
        r"nu = 0.9 is infeasible.*at most 0.5",
    ),
    "C too small for a sphere": (
        lambda: Sphere(X, C=0.2),
        r"C = 0.2 is too small for a sphere.*0.8 and must be at least 1",
    ),
}


@pytest.mark.parametrize(("action", "pattern"), INFEASIBLE.values(), ids=INFEASIBLE)
def test_is_infeasible_with_a_sentence(action: Callable[[], Any], pattern: str) -> None:
    with pytest.raises(InfeasibleProblemError, match=pattern) as caught:
        action()
    assert isinstance(caught.value, MaxMarginError)
    assert isinstance(caught.value, ValueError)


def test_nu_at_its_largest_feasible_value_is_solved() -> None:
    problem = NuMargin([[0.0], [1.0], [2.0], [3.0]], [1, -1, -1, -1], nu=0.5)
    assert certify(problem, solve(problem)).holds(1e-6)


def test_a_regularised_bias_makes_every_nu_feasible() -> None:
    problem = NuMargin([[0.0], [1.0], [2.0], [3.0]], [1, -1, -1, -1], nu=1, bias=Regularised(1))
    assert certify(problem, solve(problem)).holds(1e-6)


@pytest.mark.parametrize("solver", ["auto", "primal-qp", "dual-qp", "decomposition", "smo"])
def test_a_hard_margin_on_mixed_classes_is_refused_with_its_witness(solver: str) -> None:
    crossed = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    labels = [1, 1, -1, -1]
    with pytest.raises(NotSeparableError, match=r"hulls share a point.*Use SoftMargin") as caught:
        solve(HardMargin(crossed, labels), solver=solver)
    witness = caught.value.witness
    assert isinstance(witness, CommonPoint)
    np.testing.assert_allclose(witness.positive @ crossed, [0.5, 0.5], atol=1e-6)
    np.testing.assert_allclose(witness.negative @ crossed, [0.5, 0.5], atol=1e-6)
    assert isinstance(caught.value, InfeasibleProblemError)


def test_a_hard_margin_with_a_point_in_both_classes_is_refused() -> None:
    with pytest.raises(NotSeparableError):
        solve(HardMargin([[1.0], [1.0]], [1, -1], kernel=RBF(1.0)))


def test_a_hard_margin_through_the_origin_needs_points_on_one_side_of_it() -> None:
    # x = 1 and x = 2 are separable, but not by a plane through the origin.
    with pytest.raises(NotSeparableError):
        solve(HardMargin([[1.0], [2.0]], [-1, 1], bias=Regularised(0)))
    problem = HardMargin([[-1.0], [2.0]], [-1, 1], bias=Regularised(0))
    assert certify(problem, solve(problem)).holds(1e-6)


def test_an_unsupported_problem_is_a_value_error_of_ours() -> None:
    with pytest.raises(UnsupportedProblemError) as caught:
        solve(soft(bias=Free()), solver="lbfgsb")
    assert isinstance(caught.value, MaxMarginError)
    assert isinstance(caught.value, ValueError)
    assert "Regularised" in str(caught.value)


@pytest.mark.parametrize("name", [name for name in errors.__all__ if name.endswith("Error")])
def test_every_error_is_one_of_ours(name: str) -> None:
    assert issubclass(getattr(errors, name), MaxMarginError)


def test_nan_in_the_data_is_not_the_callers_array_changed() -> None:
    before = X.copy()
    solve(soft())
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("C", [1e-10, 1e-3, 1e6])
@pytest.mark.parametrize("solver", ["primal-qp", "dual-qp"])
def test_an_extreme_cost_is_solved(C: float, solver: str) -> None:
    problem = SoftMargin(*points("SoftMargin"), C=C)
    certificate = certify(problem, solve(problem, solver=solver))
    assert certificate.holds(1e-6), certificate.summary()


@pytest.mark.parametrize("C", [1e-10, 1e6, 1e10])
@pytest.mark.parametrize("solver", ["primal-qp", "dual-qp", "decomposition", "smo"])
def test_an_extreme_cost_ends_honestly(C: float, solver: str) -> None:
    problem = SoftMargin(*points("SoftMargin"), C=C)
    stop = Stop(gap=1e-6, kkt=1e-6, max_iter=20_000)
    solution = solve(problem, solver=solver, stop=stop)
    certificate = certify(problem, solution)
    assert np.isfinite(certificate.primal)
    assert solution.converged == certificate.holds(1e-6)
    assert solution.status.startswith("Converged" if solution.converged else "Stopped before")
