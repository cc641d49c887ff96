"""Crammer and Singer's machines: data, both solvers, values by definition, Clarabel's optimum."""

import numpy as np
import pytest
from scipy import sparse

from maxmargin import Stop, solve
from maxmargin.interior_point import quadratic_program
from maxmargin.problems import CrammerSinger, Regularised
from maxmargin.solvers import ClassDescent, ClassInteriorPoint

SCALES = [0.0, 1.0, 5.0]
by_scale = pytest.mark.parametrize("scale", SCALES)


def classes(rng, n=60, d=6, k=4, spread=1.0):
    label = np.arange(n) % k
    centres = rng.normal(size=(k, d))
    return centres[label] + spread * rng.normal(size=(n, d)), label


SOLVERS = {"coordinate-descent": ClassDescent, "interior-point": ClassInteriorPoint}
by_method = pytest.mark.parametrize("method", SOLVERS)


def class_problem(X, label, C=1.0, scale=1.0, k=None):
    """The problem of classes 0 to k - 1, points or not, with one penalty or one per point."""
    bias = Regularised(scale)
    penalty = {"C": C} if np.ndim(C) == 0 else {"sample_weight": C}
    problem = CrammerSinger(X, label, bias=bias, **penalty)
    if k is None:
        return problem
    names = ("sample_weight", "C", "bias")
    given = {name: getattr(problem, name) for name in names}
    return CrammerSinger.posed(
        problem.points, classes=np.arange(k), label=np.asarray(label), **given
    )


def solve_classes(
    X,
    label,
    C=1.0,
    scale=1.0,
    *,
    k=None,
    method="coordinate-descent",
    gap=1e-9,
    max_iter=100_000,
    warm=None,
    **options,
):
    problem = class_problem(X, label, C, scale, k)
    stop = Stop(gap=gap, max_iter=max_iter)
    return solve(problem, SOLVERS[method](**options), stop=stop, warm=warm)


def objective(X, label, C, scale, W, b):
    """The primal value, from its definition."""
    levels = X @ W.T + b + 1.0
    at = np.arange(len(label))
    levels[at, label] -= 1.0
    own = np.sum((b / scale) ** 2) if scale > 0 else 0.0
    return 0.5 * (np.sum(W**2) + own) + np.sum(C * (levels.max(axis=1) - levels[at, label]))


def clarabels_optimum(X, label, C, scale, k):
    """The primal over (W, slack), one constraint for each point and other class."""
    if scale > 0:
        X = np.hstack([X, np.full((len(X), 1), scale)])
    n, d = X.shape
    rows = []
    for i in range(n):
        for m in range(k):
            if m == label[i]:
                continue
            row = np.zeros(k * d + n)
            row[m * d : (m + 1) * d] += X[i]
            row[label[i] * d : (label[i] + 1) * d] -= X[i]
            row[k * d + i] = -1.0
            rows.append(row)
    slacks = np.hstack([np.zeros((n, k * d)), -np.eye(n)])
    G, h = np.vstack([*rows, slacks]), np.concatenate([-np.ones(n * (k - 1)), np.zeros(n)])
    P = sparse.diags(np.concatenate([np.ones(k * d), np.zeros(n)]))
    q = np.concatenate([np.zeros(k * d), np.broadcast_to(C, n)])
    nothing = np.zeros((0, k * d + n))
    x = quadratic_program(P, q, (nothing, np.zeros(0)), (G, h), tolerance=1e-11).x
    W = x[: k * d].reshape(k, d)
    return objective(X, label, C, 0.0, W, np.zeros(k))
