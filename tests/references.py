"""The optimum of each problem by another road: its primal as in the textbook, given to Clarabel.

The kernel enters through Phi with Phi Phi' = K from an eigendecomposition, so neither the library's
dual program nor its feature maps take part.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import clarabel
import numpy as np
from scipy import sparse

from maxmargin.problems import Regularised
from zoo import BIASES, KERNELS, Case, Numbers, numbers, sphere_cost


@cache
def optimum(case: Case) -> float:
    """Return the primal optimum of a case of the zoo."""
    data = numbers(case)
    K = KERNELS[case.kernel][1](data.X, data.X)
    return primal_optimum(case.kind, K, data, BIASES[case.bias])


def primal_optimum(kind: str, K: np.ndarray, data: Numbers, bias: Any) -> float:
    """Minimise over (w, b, level, slack) and return the smallest objective value."""
    kept = data.weight > 0
    phi = _features(K)[kept]
    n, width = phi.shape
    s = data.weight[kept]
    y = None if data.y is None else data.y[kept]
    regularised = isinstance(bias, Regularised)
    column = np.full((n, 1), bias.scale if regularised else 1.0)
    no_level, level = np.zeros((n, 1)), np.ones((n, 1))
    curvature = {"w": 1.0, "b": 1.0 if regularised else 0.0, "slack": 0.0}
    price = {"level": 0.0, "slack": data.C * s}

    # Rows of "machine @ (w, b) + levels * level + slack >= right".
    machine = np.hstack([phi, column])
    if kind in ("HardMargin", "SoftMargin", "SoftMargin2", "NuMargin"):
        machine = y[:, None] * machine
        levels, right = no_level, np.ones(n)
        if kind == "SoftMargin2":
            curvature["slack"], price["slack"] = 2 * data.C * s, np.zeros(n)
        if kind == "NuMargin":
            levels, right = -level, np.zeros(n)
            price = {"level": -data.nu * s.sum(), "slack": s}
    elif kind in ("EpsilonTube", "NuTube"):
        machine = np.vstack([machine, -machine])
        right = np.concatenate([y, -y])
        levels = np.zeros((2 * n, 1))
        price["slack"] = np.tile(price["slack"], 2)
        if kind == "EpsilonTube":
            right = right - data.epsilon
        else:
            levels, price["level"] = np.ones((2 * n, 1)), data.C * data.nu * s.sum()
    elif kind == "OneClass":
        machine[:, -1] = 0.0
        levels, right = -level, np.zeros(n)
        price = {"level": -data.nu * s.sum(), "slack": s}
    else:
        # Sphere: with level = R^2 - |c|^2, |phi - c|^2 <= R^2 + slack is linear in (c, level).
        machine = np.hstack([2 * phi, np.zeros((n, 1))])
        levels, right = level, (phi**2).sum(axis=1)
        curvature["w"] = 2.0
        price = {"level": 1.0, "slack": sphere_cost(data) * s}

    m = len(right)
    slack = np.zeros((m, m)) if kind == "HardMargin" else np.eye(m)
    fixed = [_unused(machine[:, width]), _unused(levels[:, 0])]
    P = np.concatenate(
        [
            np.full(width, curvature["w"]),
            [curvature["b"], 0.0],
            np.broadcast_to(curvature["slack"], m),
        ]
    )
    q = np.concatenate([np.zeros(width + 1), [price["level"]], np.broadcast_to(price["slack"], m)])
    A = np.hstack([machine, levels, slack])
    keep = np.ones(width + 2 + m, dtype=bool)
    keep[[width, width + 1]] = np.logical_not(fixed)
    if kind == "HardMargin":
        keep[width + 2 :] = False
    return _minimum(P[keep], q[keep], A[:, keep], right, nonnegative=keep[: width + 2].sum())


def _unused(column: np.ndarray) -> bool:
    """Say whether a variable appears in no constraint and can be left out."""
    return not column.any()


def _features(K: np.ndarray) -> np.ndarray:
    values, vectors = np.linalg.eigh(K)
    used = values > 1e-13 * values.max()
    return vectors[:, used] * np.sqrt(values[used])


def _minimum(
    P: np.ndarray, q: np.ndarray, A: np.ndarray, right: np.ndarray, nonnegative: int
) -> float:
    """min 1/2 x'diag(P)x + q'x with Ax >= right and x >= 0 from the given index on."""
    n = len(q)
    bounded = np.eye(n)[nonnegative:]
    constraints = sparse.csc_matrix(-np.vstack([A, bounded]))
    limits = np.concatenate([-right, np.zeros(len(bounded))])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    cones = [clarabel.NonnegativeConeT(len(limits))]
    result = clarabel.DefaultSolver(
        sparse.diags(P, format="csc"), q, constraints, limits, cones, settings
    ).solve()
    assert str(result.status) in ("Solved", "AlmostSolved")
    return float(result.obj_val)
