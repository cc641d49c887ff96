"""Are two classes separable in a kernel's space? With a witness either way.

Two sets are strictly separable exactly when their convex hulls do not meet. The nearest points
p, q of the hulls solve

    min |p - q|^2,   p = sum u_i phi(x_i) over the label +1,   q = sum v_j phi(x_j) over -1,
    u, v >= 0,  sum u = sum v = 1.

If they are apart, the plane half-way between them separates with margin |p - q| / 2; if they
coincide, they are the common point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError, NotSeparableError
from maxmargin.interior_point import quadratic_program
from maxmargin.kernels import Kernel, Linear, is_positive_semidefinite
from maxmargin.problems import HardMargin, Regularised
from maxmargin.problems.gram import Gram
from maxmargin.typing import Bools, Floats, Integers

__all__ = ["CommonPoint", "SeparatingPlane", "require_separable", "separability"]

_TOUCHING = 1e-7


@dataclass(frozen=True, eq=False)
class SeparatingPlane:
    """The classes are separable: f(x) = sum_i coefficient_i k(x_i, x) + b has the right sign.

    Attributes
    ----------
    coefficients : ndarray of shape (n,)
        Scaled so that the smallest functional margin is 1.
    b : float
        The bias.
    margin : float
        The geometric margin, checked on every point.
    w : ndarray of shape (d,) or None
        The weights, where the kernel is linear.

    Examples
    --------
    >>> from maxmargin import separability
    >>> plane = separability([[0.0], [4.0]], [-1, 1])
    >>> plane.w.round(6), round(plane.b, 6), round(plane.margin, 6)
    (array([0.5]), -1.0, 2.0)
    """

    coefficients: Floats
    b: float
    margin: float
    w: Floats | None

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        return f"The classes are separable with a margin of {self.margin:.6g}."


@dataclass(frozen=True, eq=False)
class CommonPoint:
    """The classes are not separable: their convex hulls share a point.

    Attributes
    ----------
    positive, negative : ndarray of shape (n,)
        Two convex combinations, of the points labelled +1 and of those labelled -1.
    distance : float
        The distance in the kernel's space between the two combined points: zero up to rounding.
    point : ndarray of shape (d,) or None
        The common point, where the kernel is linear.

    Examples
    --------
    >>> from maxmargin import separability
    >>> witness = separability([[0.0], [1.0], [2.0]], [-1, 1, -1])
    >>> witness.point.round(6), witness.negative.round(6)
    (array([1.]), array([0.5, 0. , 0.5]))
    """

    positive: Floats
    negative: Floats
    distance: float
    point: Floats | None

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        def names(weights: Floats) -> str:
            heaviest: Integers = np.argsort(-weights)[:4]
            return " + ".join(f"{weights[i]:.3g} x[{i}]" for i in heaviest if weights[i] > 1e-6)

        return (
            "The classes are not separable: their convex hulls share a point, "
            f"{names(self.positive)} (label +1) = {names(self.negative)} (label -1), "
            f"up to a distance of {self.distance:.2g}."
        )


def separability(X: Any, y: Any, kernel: Kernel | None = None) -> SeparatingPlane | CommonPoint:
    """Decide whether two classes are strictly separable in a kernel's space.

    Parameters
    ----------
    X : array-like of shape (n, d), CSR matrix, or whatever the kernel takes
        The points.
    y : array-like of shape (n,)
        Labels, exactly -1 and +1.
    kernel : Kernel, optional
        Linear by default.

    Returns
    -------
    SeparatingPlane or CommonPoint
        The witness; true in a condition if the classes are separable.

    Examples
    --------
    >>> from maxmargin import separability
    >>> from maxmargin.kernels import RBF
    >>> X, y = [[0.0], [1.0], [2.0]], [-1, 1, -1]
    >>> print(separability(X, y))
    The classes are not separable: their convex hulls share a point, 1 x[1] (label +1) = \
0.5 x[0] + 0.5 x[2] (label -1), up to a distance of 0.
    >>> bool(separability(X, y, RBF(1.0)))
    True
    """
    problem = HardMargin(X, y, kernel=Linear() if kernel is None else kernel)
    labels: Floats = problem.y
    return _witness(problem, np.array([labels > 0, labels < 0]))


def require_separable(problem: HardMargin) -> None:
    """Raise `NotSeparableError` with its witness unless a hard margin exists.

    Without any bias (``Regularised(0)``) the plane passes through the origin, and the condition is
    that no combination of the points times their labels is zero.
    """
    labels: Floats = np.where(problem.sample_weight > 0, problem.y, 0.0)
    through_origin = isinstance(problem.bias, Regularised) and problem.bias.scale == 0
    groups = [labels != 0] if through_origin else [labels > 0, labels < 0]
    witness = _witness(problem, np.array(groups))
    if isinstance(witness, CommonPoint):
        raise NotSeparableError(
            f"A hard margin does not exist. {witness} Use SoftMargin, which pays for slack, or a "
            "kernel in whose space the classes are separable.",
            witness,
        )


def _witness(problem: HardMargin, groups: Bools) -> SeparatingPlane | CommonPoint:
    """Find the nearest points of the hulls and check what they prove.

    The rows of groups are sets of points whose weights sum to one: the two classes, or all points
    at once if the plane must pass through the origin.
    """
    used = groups.any(axis=0)
    gram = Gram(problem.kernel, problem.X)
    if problem.kernel.positive_semidefinite is None:
        answer = is_positive_semidefinite(gram.matrix)
        if not answer:
            raise InvalidInputError(
                f"{problem.kernel!r} is indefinite on this data (smallest eigenvalue "
                f"{answer.eigenvalue:.3g}): it has no feature space in which a hard margin or "
                "separability would mean anything. Use another kernel, or SoftMargin."
            )
    labels: Floats = np.where(used, problem.y, 0.0)
    weights = _nearest_points_of_hulls(gram, labels, groups)
    coefficients = labels * weights
    values = gram @ coefficients
    distance = max(float(coefficients @ values), 0.0) ** 0.5
    lowest = float(values[labels > 0].min())
    highest = float(values[labels < 0].max())
    centre = 0.5 * (lowest + highest) if len(groups) == 2 else 0.0
    half = min(lowest - centre, centre - highest)
    size = float(np.abs(gram.diagonal[used]).max()) ** 0.5
    linear = isinstance(problem.kernel, Linear)
    if half > 0 and distance > _TOUCHING * size:
        scaled = coefficients / half
        return SeparatingPlane(
            coefficients=scaled,
            b=-centre / half,
            margin=half / distance,
            w=np.asarray(problem.X.T @ scaled) if linear else None,
        )
    positive = np.where(labels > 0, weights, 0.0)
    return CommonPoint(
        positive=positive,
        negative=np.where(labels < 0, weights, 0.0),
        distance=distance,
        point=np.asarray(problem.X.T @ positive) if linear else None,
    )


def _nearest_points_of_hulls(gram: Gram, labels: Floats, groups: Bools) -> Floats:
    """Return the weights of all points, summing to one over each group."""
    n, sums = len(labels), len(groups)
    size = max(float(np.abs(gram.diagonal).max()), np.finfo(float).tiny)
    members = sparse.csc_matrix(groups, dtype=np.float64)
    features = gram.features
    if features is not None and features.shape[1] < n:
        # Variables (u, v) and z = p - q: the matrix stays as sparse as the features.
        width = features.shape[1]
        signed = sparse.csc_matrix(features).multiply(labels[:, None]).T / np.sqrt(size)
        objective = sparse.block_diag([sparse.csc_matrix((n, n)), sparse.identity(width)])
        equalities = sparse.bmat([[members, None], [signed, -sparse.identity(width)]], format="csc")
        targets = np.concatenate([np.ones(sums), np.zeros(width)])
        bounds = sparse.hstack([-sparse.identity(n), sparse.csc_matrix((n, width))], format="csc")
        linear = np.zeros(n + width)
    else:
        objective = sparse.csc_matrix(gram.matrix * np.outer(labels, labels) / size)
        equalities, targets, linear = members, np.ones(sums), np.zeros(n)
        bounds = -sparse.identity(n)
    result = quadratic_program(
        objective, linear, (equalities, targets), (bounds, np.zeros(n)), tolerance=1e-12
    )
    weights = np.where((result.x[:n] > 1e-9) & (labels != 0), result.x[:n], 0.0)
    for group in groups:
        weights[group] /= weights[group].sum()
    return weights
