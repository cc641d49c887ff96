"""Slack of any price, constant columns: a fit ends, once, with a certificate that is true."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from maxmargin import LinearSVC, LinearSVR

MACHINES = {
    "hinge": (LinearSVC, {"loss": "hinge"}),
    "squared hinge": (LinearSVC, {"loss": "squared_hinge"}),
    "l1": (LinearSVC, {"penalty": "l1"}),
    "all classes": (LinearSVC, {"multi_class": "crammer_singer"}),
    "tube": (LinearSVR, {"loss": "epsilon_insensitive", "epsilon": 0.1}),
    "squared tube": (LinearSVR, {"loss": "squared_epsilon_insensitive", "epsilon": 0.1}),
}
LARGEST = 100.0  # entry of the data below
SOLVERS = ("auto", "interior-point", "newton", "coordinate-descent")
BIASES = ("regularised", "free")

CASES = [
    (machine, solver, bias)
    for machine in MACHINES
    for solver in SOLVERS
    for bias in BIASES
    if machine != "all classes" or bias == "regularised"
    if machine != "l1" or solver == "auto"
]
each_case = pytest.mark.parametrize(("machine", "solver", "bias"), CASES)


def overlapping(machine, n=120):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    score = X[:, 0] - X[:, 1] + rng.normal(size=n)
    if "tube" in machine:
        return X, score
    return X, np.digitize(score, [-0.5, 0.5]) if machine == "all classes" else score > 0


def separable(machine, n=60):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3))
    score = X @ [1.0, -2.0, 0.5]
    if "tube" in machine:
        return X, score
    y = np.digitize(score, [-1.0, 1.0]) if machine == "all classes" else score > 0
    X[:, 0] += 0.5 * np.sign(score)
    return X, y


def fitted(machine, solver, bias, X, y, **parameters):
    """The machine, and whether it has converged; it warns once at most."""
    kind, settings = MACHINES[machine]
    model = kind(**settings, solver=solver, bias=bias, **parameters)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.fit(X, y)
    assert len(told) <= 1
    assert all(issubclass(warning.category, ConvergenceWarning) for warning in told)
    return model, not told


def assert_honest(model, converged):
    found = model.certificate_
    assert np.isfinite([found.primal, found.dual, found.kkt_violation]).all()
    assert np.isfinite(model.coef_).all()
    assert found.dual <= found.primal * (1 + 1e-9) + 1e-9
    assert not converged or found.relative_gap <= 1.01 * model.tol + rounding(model)


def rounding(model):
    """What rounding may hide, and what float64 leaves of the l1 dual's |sum y a x| <= 1."""
    found = model.certificate_.worst
    hidden = found.rounding / max(abs(found.primal), abs(found.dual), 1e-300)
    if model.get_params().get("penalty") != "l1":
        return hidden
    unit = np.finfo(np.float64).eps
    return hidden + unit * 2 * min(model.C, 1e10) * model.slack_.sum() * LARGEST


def is_exact(machine, solver):
    """Whether the solver reaches the gap whatever slack costs; descents may run out of steps."""
    return solver != "coordinate-descent" and machine != "l1"


@pytest.mark.parametrize("C", [1e10, float("inf")])
@pytest.mark.parametrize("draw", [overlapping, separable])
@each_case
def test_any_price_of_slack(machine, solver, bias, draw, C):
    X, y = draw(machine)
    model, converged = fitted(machine, solver, bias, X, y, C=C)
    assert converged or not is_exact(machine, solver)
    assert_honest(model, converged)


@pytest.mark.parametrize("C", [1.0, 1e10])
@pytest.mark.parametrize("hold", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@each_case
def test_constant_columns(machine, solver, bias, hold, C):
    X, y = overlapping(machine)
    constant = np.ones((len(X), 1))
    wide = hold(np.hstack([X, constant, 100 * constant, 0 * constant]))
    model, converged = fitted(machine, solver, bias, wide, y, C=C)
    assert converged or not is_exact(machine, solver)
    assert_honest(model, converged)
    assert np.all(np.atleast_2d(model.coef_)[:, -1] == 0)


@each_case
def test_nothing_but_constant_columns(machine, solver, bias):
    _, y = overlapping(machine)
    X = np.tile([1.0, 0.0, 7.0], (len(y), 1))
    for C in (1.0, 1e10):
        model, converged = fitted(machine, solver, bias, X, y, C=C)
        assert converged or not is_exact(machine, solver)
        assert_honest(model, converged)
        decision = model.predict(X)
        assert len(set(decision.tolist())) == 1
