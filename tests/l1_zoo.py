"""l1 machines: data, the solver, values by the definition, and Clarabel's optimum."""

import numpy as np
import pytest
from scipy import sparse

from maxmargin import Stop, solve
from maxmargin.interior_point import quadratic_program
from maxmargin.problems import Free, L1Margin, Regularised
from maxmargin.solvers import L1Descent

BIASES = {
    "free": Free(),
    "regularised": Regularised(),
    "regularised, scale 10": Regularised(10.0),
    "none": Regularised(0.0),
}
by_bias = pytest.mark.parametrize("bias", BIASES.values(), ids=BIASES.keys())


def two_classes(rng, n=80, d=12):
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    y = np.where(X[:, 0] - X[:, 1] + 0.7 * rng.normal(size=n) > 0.3, 1.0, -1.0)
    return X, y


def l1_problem(X, y, C=1.0, bias=BIASES["free"]):
    """The problem with one penalty for all points, or one each."""
    if np.ndim(C) == 0:
        return L1Margin(X, y, C=C, bias=bias)
    return L1Margin(X, y, bias=bias, sample_weight=C)


def solve_l1(X, y, C=1.0, bias=BIASES["free"], *, gap=1e-9, max_iter=1000, warm=None, **options):
    problem = l1_problem(X, y, C, bias)
    return solve(problem, L1Descent(**options), stop=Stop(gap=gap, max_iter=max_iter), warm=warm)


def objective(X, y, C, bias, w, b):
    """The primal value, from its definition."""
    scale = bias.scale if isinstance(bias, Regularised) else 0.0
    slack = np.maximum(0.0, 1.0 - y * (X @ w + b))
    own = abs(b) / scale if scale > 0 else 0.0
    return np.abs(w).sum() + own + np.sum(C * slack**2)


def clarabels_optimum(X, y, C, bias):
    """The primal over (w+, w-, b+, b-, slack)."""
    n, d = X.shape
    scale = bias.scale if isinstance(bias, Regularised) else 1.0
    of_bias = [0.0 if isinstance(bias, Free) else 1.0] if scale > 0 else []
    features = np.hstack([X, np.full((n, len(of_bias)), scale)])
    penalty = np.concatenate([np.ones(d), of_bias])
    m = len(penalty)
    cost = np.broadcast_to(np.asarray(C, dtype=np.float64), n)
    P = sparse.diags(np.concatenate([np.zeros(2 * m), 2 * cost]))
    q = np.concatenate([penalty, penalty, np.zeros(n)])
    margins = y[:, None] * features
    G = np.vstack([np.hstack([-margins, margins, -np.eye(n)]), -np.eye(2 * m + n)])
    h = np.concatenate([-np.ones(n), np.zeros(2 * m + n)])
    # A free bias split in two has no least solution; one of its parts is enough.
    E = np.zeros((1, 2 * m + n))
    if isinstance(bias, Free):
        G = np.delete(G, [n + m - 1, n + 2 * m - 1], axis=0)
        h = np.delete(h, [n + m - 1, n + 2 * m - 1])
        E[0, 2 * m - 1] = 1.0
    x = quadratic_program(P, q, (E, np.zeros(1)), (G, h), tolerance=1e-11).x
    w = x[:m] - x[m : 2 * m]
    if m == d:
        return objective(X, y, C, bias, w, 0.0)
    return objective(X, y, C, bias, w[:d], scale * w[d])
