"""The numbers of linear machines whose duals are no box programs: l1, and Crammer and Singer's.

Everything is recomputed in float64 from the data and the solution, a block of rows at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.certify.measure import Measures
from maxmargin.problems import Bias, Free, Regularised
from maxmargin.typing import Floats, Integers

__all__ = ["crammer_singer_measures", "l1_measures"]

_BLOCK_ENTRIES = 1 << 22


def l1_measures(
    X: Any, sign: Floats, cost: Floats, bias: Bias, weights: Floats, offset: float
) -> Measures:
    """Measure the weights and the bias of an l1 machine with squared hinge loss.

    ::

        primal  min |w|_1 + |b| / scale + sum C_i slack_i^2
        dual    max sum a_i - a_i^2 / (4 C_i),   a >= 0,   |sum y_i a_i x_ij| <= 1 for every j,
                |sum y_i a_i| <= 1 / scale, or = 0 where the bias is free

    The dual value is that of 2 C_i slack_i, made feasible: for a free bias the class with the
    larger sum is scaled down to the other's, then all are scaled by one number.

    The KKT violation is the largest over the features of a natural residual. At an optimum
    u_j = sum 2 y_i C_i slack_i x_ij is at most 1 in size and equals the sign of a weight that is
    not zero; the residual is |u_j| - 1 or, if larger, the smaller of

    - |u_j - sign(w_j)|: how wrong the slope is, in units of its price, and
    - |w_j| max_i |x_ij|: what the weight adds to a decision, in units of the margin.

    A regularised bias counts as the weight of a constant feature; a free one adds
    |sum y_i a_i| / sum a_i.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
        The data.
    sign, cost : ndarray of shape (n,)
        Labels -1 and 1, and C_i.
    bias : Free or Regularised
        How the bias is treated; Regularised(0) means none.
    weights : ndarray of shape (d,)
        w.
    offset : float
        b.

    Returns
    -------
    Measures
        Its feasibility is that of the dual point made, which only rounding violates.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.certify.linear import l1_measures
    >>> from maxmargin.problems import Free
    >>> X, sign, cost = np.array([[0.0], [1.0], [3.0]]), np.array([-1.0, -1.0, 1.0]), np.full(3, 10)
    >>> found = l1_measures(X, sign, cost, Free(), np.array([0.975]), -1.95)
    >>> round(found.primal, 6), round(found.dual, 6), found.kkt_violation < 1e-12
    (0.9875, 0.9875, True)
    """
    w = np.asarray(weights, dtype=np.float64)
    scores = np.concatenate([block @ w for _, block in _blocks(X)]) + offset
    slack = np.maximum(0.0, 1.0 - sign * scores)
    has_penalty = isinstance(bias, Regularised) and bias.scale > 0
    scale = bias.scale if isinstance(bias, Regularised) else 0.0
    primal = float(np.abs(w).sum() + cost @ slack**2)
    if has_penalty:
        primal += abs(offset) / scale

    raw = 2.0 * cost * slack
    feasible = _balanced(sign, raw) if isinstance(bias, Free) else raw
    slope, largest_entry = np.zeros((2, len(w))), np.zeros(len(w))
    signed = np.stack([sign * raw, sign * feasible])
    for rows, block in _blocks(X):
        slope += (block.T @ signed[:, rows].T).T
        np.maximum(largest_entry, _largest_entries(block), out=largest_entry)
    total = signed.sum(axis=1)
    bound = abs(float(total[1])) * scale if has_penalty else 0.0
    constraint = max(float(np.abs(slope[1]).max(initial=0.0)), bound)
    used = feasible > 0
    gain = float(feasible.sum())
    loss = float((feasible[used] ** 2 / (4.0 * cost[used])).sum())
    best = gain / (2.0 * loss) if loss > 0 else 0.0
    share = min(best, 1.0 / constraint) if constraint > 0 else best
    dual = share * (gain - share * loss)

    residuals = _sparse_residuals(w, slope[0], largest_entry)
    if has_penalty:
        own = _sparse_residuals(
            np.array([offset / scale]), np.array([total[0] * scale]), np.array([scale])
        )
        residuals = np.append(residuals, own)
    elif isinstance(bias, Free) and raw.sum() > 0:
        residuals = np.append(residuals, abs(total[0]) / raw.sum())
    left = max(share * constraint - 1.0, 0.0)
    if isinstance(bias, Free) and gain > 0:
        left = max(left, abs(float(total[1])) / gain)
    return _measures(primal, dual, float(residuals.max(initial=0.0)), left)


def crammer_singer_measures(
    X: Any,
    label: Integers,
    cost: Floats,
    bias: Regularised,
    weights: Floats,
    offsets: Floats,
    multipliers: Floats,
) -> Measures:
    """Measure a machine of Crammer and Singer.

    ::

        primal  min 1/2 sum_m |w_m|^2 + sum C_i max_m (e_im + f_m(x_i)) - f_{y_i}(x_i)
        dual    max -1/2 sum_m |sum_i a_im x_i|^2 - sum e_im a_im,
                a_im <= C_i [m = y_i],   sum_m a_im = 0,   with e_im = 1 - [m = y_i]

    where x_i includes the constant feature of a bias. The primal value is that of the weights, the
    dual value that of the multipliers, made feasible first.

    The KKT violation is the largest over points and classes of the smaller of

    - how far e_im + f_m(x_i) lies below the highest over the classes, in units of the margin, and
    - how far the multiplier is below its bound, in units of min(C_i, 1 / |x_i|^2): the whole range,
      or the distance over which it changes the point's own decision by one margin;

    or, if larger, the largest difference between a decision value by the weights and one by
    sum_i a_im x_i.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
        The data.
    label, cost : ndarray of shape (n,)
        Classes from 0 to k - 1, and C_i.
    bias : Regularised
        Regularised(0) means no bias.
    weights, offsets : ndarray of shape (k, d) and (k,)
        w_m and b_m.
    multipliers : ndarray of shape (n, k)
        a_im.

    Examples
    --------
    At zero the dual is zero and every point pays for its slack.

    >>> import numpy as np
    >>> from maxmargin.certify.linear import crammer_singer_measures
    >>> from maxmargin.problems import Regularised
    >>> X, label, cost = np.eye(3), np.arange(3), np.full(3, 2.0)
    >>> nothing = np.zeros((3, 3))
    >>> found = crammer_singer_measures(
    ...     X, label, cost, Regularised(0), nothing, np.zeros(3), nothing
    ... )
    >>> found.primal, found.dual + 0.0
    (6.0, 0.0)
    """
    W, b = np.asarray(weights, dtype=np.float64), np.asarray(offsets, dtype=np.float64)
    k, scale = len(W), bias.scale
    feasible = _feasible_multipliers(label, cost, np.asarray(multipliers, dtype=np.float64))
    combined = np.zeros_like(W)
    for rows, block in _blocks(X, k):
        combined += (block.T @ feasible[rows]).T
    constant = scale**2 * feasible.sum(axis=0)

    primal = 0.5 * float((W**2).sum())
    dual = -0.5 * float((combined**2).sum())
    if scale > 0:
        primal += 0.5 * float(((b / scale) ** 2).sum())
        dual -= 0.5 * float(((constant / scale) ** 2).sum())
    worst = 0.0
    for rows, block in _blocks(X, k):
        y, C, a = label[rows], cost[rows], feasible[rows]
        at = np.arange(len(y))
        scores = block @ W.T + b
        apart = np.abs(scores - (block @ combined.T + constant)).max(axis=1, initial=0.0)
        levels = scores + 1.0
        levels[at, y] = scores[at, y]
        below = levels.max(axis=1)[:, np.newaxis] - levels
        primal += float(C @ below[at, y])
        dual -= float(a.sum() - a[at, y].sum())
        room = -a
        room[at, y] = C - a[at, y]
        norms = _squared_norms(block) + scale**2
        unit = np.minimum(C, 1.0 / np.maximum(norms, np.finfo(np.float64).tiny))
        used = C > 0
        residuals = np.minimum(below[used], room[used] / unit[used, np.newaxis])
        worst = max(worst, float(residuals.max(initial=0.0)), float(apart.max(initial=0.0)))
    return _measures(primal, dual, worst, _class_infeasibility(label, cost, multipliers))


def _measures(primal: float, dual: float, violation: float, feasibility: float) -> Measures:
    gap, size = primal - dual, max(abs(primal), abs(dual))
    relative = gap / size if np.isfinite(size) and size > 0 else gap
    return Measures(primal, dual, gap, relative, violation + 0.0, feasibility + 0.0)


def _blocks(X: Any, n_classes: int = 1) -> Iterator[tuple[slice, Any]]:
    """Yield the rows in float64, a few at a time."""
    n, d = X.shape
    width = max(1, n_classes, X.nnz // max(n, 1) if sparse.issparse(X) else d)
    step = max(1, _BLOCK_ENTRIES // width)
    for first in range(0, n, step):
        rows = slice(first, min(first + step, n))
        yield rows, X[rows].astype(np.float64)


def _largest_entries(block: Any) -> Floats:
    largest = np.zeros(block.shape[1])
    if sparse.issparse(block):
        np.maximum.at(largest, block.indices, np.abs(block.data))
        return largest
    return np.asarray(np.abs(block).max(axis=0, initial=0.0))


def _squared_norms(block: Any) -> Floats:
    squares = block.multiply(block) if sparse.issparse(block) else block * block
    return np.asarray(squares.sum(axis=1), dtype=np.float64).ravel()


def _balanced(sign: Floats, multipliers: Floats) -> Floats:
    up = float(multipliers[sign > 0].sum())
    down = float(multipliers[sign < 0].sum())
    if up == down:
        return multipliers
    share = min(up, down) / max(up, down)
    return np.where((sign > 0) == (up > down), share, 1.0) * multipliers


def _sparse_residuals(weights: Floats, slope: Floats, largest_entry: Floats) -> Floats:
    excess = np.maximum(0.0, np.abs(slope) - 1.0)
    towards_zero = np.minimum(np.abs(slope - np.sign(weights)), np.abs(weights) * largest_entry)
    return np.maximum(excess, towards_zero)


def _feasible_multipliers(label: Integers, cost: Floats, multipliers: Floats) -> Floats:
    """Return multipliers that keep to bounds and sums: those given, where they do so already."""
    at = np.arange(len(label))
    feasible = np.minimum(multipliers, 0.0)
    feasible[at, label] = 0.0
    fallen = -feasible.sum(axis=1)
    share = np.where(fallen > cost, cost / np.where(fallen > 0, fallen, 1.0), 1.0)
    feasible *= share[:, np.newaxis]
    feasible[at, label] = -feasible.sum(axis=1)
    return feasible


def _class_infeasibility(label: Integers, cost: Floats, multipliers: Floats) -> float:
    bound = np.zeros_like(multipliers, dtype=np.float64)
    bound[np.arange(len(label)), label] = cost
    over = float(np.maximum(multipliers - bound, 0.0).max(initial=0.0))
    unbalanced = float(np.abs(multipliers.sum(axis=1)).max(initial=0.0))
    size = float(np.abs(multipliers).max(initial=0.0))
    return max(over, unbalanced) / size if size > 0 else 0.0
