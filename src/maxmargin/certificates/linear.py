"""The numbers of a certificate for L1Margin and CrammerSinger, whose duals are not a `BoxQP`."""

from __future__ import annotations

from math import fsum
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.certificates.measures import Measures, compared, measure_solution
from maxmargin.certificates.rounding import EXTENDED, exactly_balanced, linear_error
from maxmargin.certificates.subjects import Solved
from maxmargin.kernels.rounding import PER_TERM, UNIT_ROUNDOFF
from maxmargin.problems import CrammerSinger, Free, L1Margin, Regularised
from maxmargin.typing import Floats, Integers

__all__ = ["measure_crammer_singer", "measure_l1"]


@measure_solution.register
def _(problem: L1Margin, solution: Solved) -> Measures:
    assert solution.weights is not None
    return measure_l1(problem, solution.weights, solution.b)


@measure_solution.register
def _(problem: CrammerSinger, solution: Solved) -> Measures:
    assert solution.weights is not None
    return measure_crammer_singer(problem, solution.weights, solution.offsets, solution.dual)


def measure_l1(problem: L1Margin, weights: Floats, offset: float) -> Measures:
    """Measure the weights and the bias of an l1 machine.

    The dual value is that of the multipliers a_i = 2 C_i slack_i, made feasible: for a free bias
    the class with the larger sum is scaled down to the sum of the other, then all are scaled by
    one number.

    The KKT violation is the largest residual of a feature. At an optimum u_j = sum y_i a_i x_ij is
    at most 1 in size, and equals the sign of w_j if that is not zero. The residual is |u_j| - 1
    or, if larger, the smaller of

    - |u_j - sign(w_j)|: the error of the slope, in units of its penalty, and
    - |w_j| max_i |x_ij|: the largest contribution of w_j to a decision, in units of the margin.

    A regularised bias counts as the weight of a constant feature. A free one has the residual
    |sum y_i a_i| / sum a_i.

    Parameters
    ----------
    problem : L1Margin
        The problem that they should solve.
    weights : ndarray of shape (d,)
        w.
    offset : float
        b.

    Returns
    -------
    Measures
        Its feasibility is that of the multipliers made feasible, so it is rounding alone.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.certificates import measure_l1
    >>> from maxmargin.problems import L1Margin
    >>> problem = L1Margin([[0.0], [1.0], [3.0]], [-1, -1, 1], C=10)
    >>> found = measure_l1(problem, np.array([0.975]), -1.95)
    >>> round(found.primal, 6), round(found.dual, 6), found.kkt_violation < 1e-12
    (0.9875, 0.9875, True)
    """
    points, sign, cost, bias = problem.points, problem.y, problem.cost, problem.bias
    slack = np.maximum(0.0, 1.0 - sign * (points.scores(weights) + offset))
    off = linear_error(points, weights, offset) + 4 * UNIT_ROUNDOFF
    value = float(np.abs(weights).sum() + cost @ slack**2)
    primal = float(np.abs(weights).sum() + cost @ (slack + off) ** 2)
    scale = bias.scale if isinstance(bias, Regularised) else 0.0
    if scale > 0:
        value += abs(offset) / scale
        primal += abs(offset) / scale
    primal *= 1.0 + PER_TERM * (len(weights) + problem.n_points + 8)

    raw = 2.0 * cost * slack
    feasible = raw
    if isinstance(bias, Free):
        feasible = np.abs(exactly_balanced(sign * _balanced(sign, raw)))
    slope, feasible_slope = points.weights(np.stack([sign * raw, sign * feasible], axis=1)).T
    total, feasible_total = fsum((sign * raw).tolist()), fsum((sign * feasible).tolist())
    long_sum = PER_TERM * (problem.n_points + 4)
    sizes = np.maximum(_largest_entries(problem.X).max(initial=0.0), scale)
    constraint = max(float(np.abs(feasible_slope).max()), abs(feasible_total) * scale)
    # The slopes of the multipliers must be at most 1 whatever rounding hides.
    each = EXTENDED if points.has_extended_weights else PER_TERM
    constraint += each * (problem.n_points + 4) * float(sizes) * float(feasible.sum())
    constraint *= 1.0 + 8 * UNIT_ROUNDOFF
    used = feasible > 0
    gain = float(feasible.sum())
    loss = float((feasible[used] ** 2 / (4.0 * cost[used])).sum())
    best = gain / (2.0 * loss) if loss > 0 else 0.0
    share = min(best, 1.0 / constraint) if constraint > 0 else best
    dual_value = share * (gain - share * loss)
    dual = dual_value - 4 * long_sum * share * (gain + share * loss)
    if isinstance(bias, Free):
        # An optimal bias makes some point's margin 1: |b*| <= 1 + |w*|_1 max |x|.
        missed = abs(fsum((sign * feasible).tolist()))
        dual -= share * missed * (1.0 + primal * float(sizes))

    violation = float(_residuals(weights, slope, _largest_entries(problem.X)).max())
    infeasibility = max(share * constraint - 1.0, 0.0)
    if scale > 0:
        of_bias = _residuals(np.array(offset / scale), np.array(total * scale), np.array(scale))
        violation = max(violation, float(of_bias))
    if isinstance(bias, Free) and raw.any():
        violation = max(violation, abs(total) / float(raw.sum()))
        infeasibility = max(infeasibility, abs(feasible_total) / (gain or 1.0))
    hidden = (primal - value) + (dual_value - dual)
    return compared(primal, dual, violation, infeasibility, rounding=hidden)


def measure_crammer_singer(
    problem: CrammerSinger, weights: Floats, offsets: Floats, multipliers: Floats
) -> Measures:
    """Measure a machine of Crammer and Singer.

    The primal value is that of the weights, the dual value that of the multipliers after they are
    made feasible.

    The KKT violation is the largest, over points and classes, of the smaller of

    - how far e_im + f_m(x_i) is below its maximum over the classes, in units of the margin, and
    - how far the multiplier is below its bound, in units of min(C_i, 1 / |x_i|^2): its whole range,
      or the change that changes the point's own decision by one margin;

    or, if larger, the largest difference between decision values from the weights and from the
    multipliers.

    Parameters
    ----------
    problem : CrammerSinger
        The problem that they should solve.
    weights, offsets : ndarray of shape (k, d) and (k,)
        w_m and b_m.
    multipliers : ndarray of shape (n, k)
        a_im.

    Examples
    --------
    If all multipliers are zero, so is the dual value, and every point has a slack of one.

    >>> import numpy as np
    >>> from maxmargin.certificates import measure_crammer_singer
    >>> from maxmargin.problems import CrammerSinger
    >>> problem = CrammerSinger(np.eye(3), [0, 1, 2], C=2)
    >>> nothing = np.zeros((3, 3))
    >>> found = measure_crammer_singer(problem, nothing, np.zeros(3), nothing)
    >>> round(found.primal, 9), round(found.dual, 9) + 0.0
    (6.0, 0.0)
    """
    points, label, cost, scale = problem.points, problem.label, problem.cost, problem.bias.scale
    margin, own = problem.margin, (np.arange(len(problem.label)), problem.label)
    feasible = _feasible_multipliers(label, cost, multipliers)
    combined = points.weights(feasible).T
    constant = scale**2 * feasible.sum(axis=0)

    levels = points.scores(weights.T) + offsets + margin
    below = levels.max(axis=1, keepdims=True) - levels
    value = 0.5 * float((weights**2).sum()) + float(cost @ below[own])
    dual_value = -0.5 * float((combined**2).sum()) - float((margin * feasible).sum())
    if scale > 0:
        value += 0.5 * float(((offsets / scale) ** 2).sum())
        dual_value -= 0.5 * float(((constant / scale) ** 2).sum())
    primal, dual = _surely(problem, value, dual_value, weights, offsets, feasible, combined)

    room = -feasible
    room[own] += cost
    norms = problem.kernel.diag(problem.X) + scale**2
    unit = np.minimum(cost, 1.0 / np.maximum(norms, np.finfo(np.float64).tiny))
    used = cost > 0
    residuals = np.minimum(below[used], room[used] / unit[used, np.newaxis])
    difference = points.scores((weights - combined).T) + (offsets - constant)
    violation = max(residuals.max(initial=0.0), np.abs(difference).max())
    hidden = (primal - value) + (dual_value - dual)
    infeasibility = _class_infeasibility(problem, multipliers)
    return compared(primal, dual, float(violation), infeasibility, rounding=hidden)


def _surely(
    problem: CrammerSinger,
    primal: float,
    dual: float,
    weights: Floats,
    offsets: Floats,
    feasible: Floats,
    combined: Floats,
) -> tuple[float, float]:
    """Return the values plus and minus what rounding may hide."""
    (k, d), n = weights.shape, problem.n_points
    sizes, scale = problem.points.bounds.size, problem.bias.scale
    largest = float(np.linalg.norm(weights, axis=1).max()) * sizes + float(np.abs(offsets).max())
    off = 2 * PER_TERM * (d + 6) * (largest + 1.0)
    primal += float(problem.cost @ off) + PER_TERM * (n + k * d + 8) * abs(primal)

    long_sum = PER_TERM * (n + k * d + 4)
    magnitude = np.abs(feasible)
    missed = long_sum * float(np.linalg.norm(sizes @ magnitude))
    norm = float(np.linalg.norm(combined))
    square = 2 * norm * missed + missed**2 + 4 * long_sum * norm**2
    totals = scale * np.abs(feasible.sum(axis=0))
    off_totals = long_sum * scale * magnitude.sum(axis=0)
    square += float((2 * totals * off_totals + off_totals**2 + 4 * long_sum * totals**2).sum())
    # The multipliers of a point sum to zero up to rounding; at an optimum |f_m(x)| is at most
    # sqrt(2 primal (|x|^2 + scale^2)).
    level = np.sqrt(2 * max(primal, 0.0) * (sizes**2 + scale**2)) + 1.0
    unbalanced = 4 * k * UNIT_ROUNDOFF * float(magnitude.sum(axis=1) @ level)
    dual -= 0.5 * square + long_sum * float(magnitude.sum()) + unbalanced
    return primal, dual


def _largest_entries(X: Any) -> Floats:
    """Return the largest absolute value of each column."""
    largest, smallest = X.max(axis=0), X.min(axis=0)
    if sparse.issparse(X):
        largest, smallest = largest.toarray().ravel(), smallest.toarray().ravel()
    return np.asarray(np.maximum(largest, -smallest), dtype=np.float64)


def _balanced(sign: Floats, multipliers: Floats) -> Floats:
    """Scale one class down so that both have the same sum of multipliers."""
    up = float(multipliers[sign > 0].sum())
    down = float(multipliers[sign < 0].sum())
    if up == down:
        return multipliers
    share = min(up, down) / max(up, down)
    return np.where((sign > 0) == (up > down), share, 1.0) * multipliers


def _residuals(weights: Floats, slope: Floats, largest: Floats) -> Floats:
    wrong = np.minimum(np.abs(slope - np.sign(weights)), np.abs(weights) * largest)
    return np.maximum(np.abs(slope) - 1.0, wrong)


def _feasible_multipliers(label: Integers, cost: Floats, multipliers: Floats) -> Floats:
    """Return multipliers that satisfy bounds and sums; feasible ones are not changed."""
    at = np.arange(len(label))
    feasible = np.minimum(multipliers, 0.0)
    feasible[at, label] = 0.0
    needed = -feasible.sum(axis=1)
    share = np.where(needed > cost, cost / np.where(needed > 0, needed, 1.0), 1.0)
    feasible *= share[:, np.newaxis]
    feasible[at, label] = -feasible.sum(axis=1)
    return feasible


def _class_infeasibility(problem: CrammerSinger, multipliers: Floats) -> float:
    bound = np.where(problem.margin == 0, problem.cost[:, np.newaxis], 0.0)
    over = float((multipliers - bound).max())
    unbalanced = float(np.abs(multipliers.sum(axis=1)).max())
    size = float(np.abs(multipliers).max())
    return max(over, unbalanced) / size if size > 0 else 0.0
