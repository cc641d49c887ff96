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

from maxmargin.errors import InvalidInputError, MaxMarginError, NotSeparableError
from maxmargin.interior_point import quadratic_program
from maxmargin.kernels import Kernel, Linear
from maxmargin.problems import HardMargin, Regularised
from maxmargin.problems.gram import Gram
from maxmargin.typing import Bools, Floats, Integers

__all__ = [
    "CommonPoint",
    "SeparatingPlane",
    "ZeroCombination",
    "require_separable",
    "separability",
]

_TOUCHING = 1e-7
_UNDECIDED = 1e-4


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
        return (
            "The classes are not separable: their convex hulls share a point, "
            f"{_name(self.positive)} (label +1) = {_name(self.negative)} (label -1), "
            f"up to a distance of {self.distance:.2g}."
        )


@dataclass(frozen=True, eq=False)
class ZeroCombination:
    """No plane through the origin separates: some combination of the y_i phi(x_i) is zero.

    Attributes
    ----------
    weights : ndarray of shape (n,)
        Zero or more, summing to one.
    distance : float
        The length of sum_i weight_i y_i phi(x_i): zero up to rounding.

    Examples
    --------
    >>> from maxmargin import NotSeparableError, solve
    >>> from maxmargin.problems import HardMargin, Regularised
    >>> try:
    ...     solve(HardMargin([[1.0], [2.0]], [1, -1], bias=Regularised(0)))
    ... except NotSeparableError as error:
    ...     print(error.witness.weights.round(4))
    [0.6667 0.3333]
    """

    weights: Floats
    distance: float

    def __bool__(self) -> bool:
        return False


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
    return _separate(problem, problem.y)


def require_separable(problem: HardMargin) -> None:
    """Raise `NotSeparableError` with its witness unless a hard margin exists."""
    labels: Floats = np.where(problem.sample_weight > 0, problem.y, 0.0)
    if isinstance(problem.bias, Regularised) and problem.bias.scale == 0:
        _require_plane_through_origin(problem, labels)
        return
    witness = _separate(problem, labels)
    if isinstance(witness, CommonPoint):
        raise NotSeparableError(
            f"A hard margin does not exist. {witness} Use SoftMargin, which pays for slack, or a "
            "kernel in whose space the classes are separable.",
            witness,
        )


def _separate(problem: HardMargin, labels: Floats) -> SeparatingPlane | CommonPoint:
    """Find the nearest points of the hulls and check what they prove; label 0 is left out."""
    gram, shift = _centred(problem)
    weights = _smallest_combination(gram, labels, np.array([labels > 0, labels < 0]))
    coefficients = labels * weights
    values = gram @ coefficients
    distance = max(float(coefficients @ values), 0.0) ** 0.5
    lowest = float(values[labels > 0].min())
    highest = float(values[labels < 0].max())
    half = 0.5 * (lowest - highest)
    linear = isinstance(problem.kernel, Linear)
    if half > 0 and distance > _TOUCHING * _size(gram, labels):
        scaled = coefficients / half
        w = np.asarray(problem.X.T @ scaled, dtype=np.float64) if linear else None
        moved = 0.0 if w is None or shift is None else float(w @ shift)
        return SeparatingPlane(
            coefficients=scaled,
            b=-0.5 * (lowest + highest) / half - moved,
            margin=half / distance,
            w=w,
        )
    if distance > _UNDECIDED * _size(gram, labels):
        raise MaxMarginError(
            f"Separability could not be decided: the hulls seem {distance:.3g} apart, but no plane "
            "between them was found. Centre and scale the features."
        )
    positive = np.where(labels > 0, weights, 0.0)
    return CommonPoint(
        positive=positive,
        negative=np.where(labels < 0, weights, 0.0),
        distance=distance,
        point=np.asarray(problem.X.T @ positive) if linear else None,
    )


def _require_plane_through_origin(problem: HardMargin, labels: Floats) -> None:
    gram = _semidefinite(Gram(problem.kernel, problem.X))
    weights = _smallest_combination(gram, labels, np.array([labels != 0]))
    coefficients = labels * weights
    values = gram @ coefficients
    distance = max(float(coefficients @ values), 0.0) ** 0.5
    used = labels != 0
    if float((labels * values)[used].min()) > 0 and distance > _TOUCHING * _size(gram, labels):
        return
    raise NotSeparableError(
        "A hard margin without a bias does not exist: no plane through the origin separates the "
        f"classes, for {_name(labels * weights)} is zero up to {distance:.2g}. Use bias=Free(), or "
        "SoftMargin.",
        ZeroCombination(weights, distance),
    )


def _centred(problem: HardMargin) -> tuple[Gram, Floats | None]:
    """Return the Gram matrix and by how much the points were moved: linear ones to their mean."""
    if not isinstance(problem.kernel, Linear) or sparse.issparse(problem.X):
        return _semidefinite(Gram(problem.kernel, problem.X)), None
    shift: Floats = problem.X.mean(axis=0, dtype=np.float64)
    return Gram(problem.kernel, problem.X - shift), shift


def _semidefinite(gram: Gram) -> Gram:
    if gram.kernel.positive_semidefinite is None and not gram.semidefiniteness:
        raise InvalidInputError(
            f"{gram.kernel!r} is indefinite on this data (smallest eigenvalue "
            f"{gram.semidefiniteness.eigenvalue:.3g}): it has no feature space in which a hard "
            "margin or separability would mean anything. Use another kernel, or SoftMargin."
        )
    return gram


def _size(gram: Gram, labels: Floats) -> float:
    largest = float(np.abs(gram.diagonal[labels != 0]).max())
    return float(np.sqrt(max(largest, float(np.finfo(np.float64).tiny))))


def _smallest_combination(gram: Gram, labels: Floats, groups: Bools) -> Floats:
    """Minimise |sum_i u_i y_i phi(x_i)| over u >= 0 that sum to one over each group."""
    n, sums = len(labels), len(groups)
    size = _size(gram, labels)
    members = sparse.csc_matrix(groups, dtype=np.float64)
    if gram.n_features is not None and gram.n_features < n:
        # Variables u and z = sum u_i y_i phi(x_i): the matrix stays as sparse as the features.
        width = gram.n_features
        signed = sparse.csc_matrix(gram.features).multiply(labels[:, None]).T / size
        objective = sparse.block_diag([sparse.csc_matrix((n, n)), sparse.identity(width)])
        equalities = sparse.bmat([[members, None], [signed, -sparse.identity(width)]], format="csc")
        targets = np.concatenate([np.ones(sums), np.zeros(width)])
        bounds = sparse.hstack([-sparse.identity(n), sparse.csc_matrix((n, width))], format="csc")
        linear = np.zeros(n + width)
    else:
        objective = sparse.csc_matrix(gram.matrix * np.outer(labels, labels) / size**2)
        equalities, targets, linear = members, np.ones(sums), np.zeros(n)
        bounds = -sparse.identity(n)
    result = quadratic_program(
        objective, linear, (equalities, targets), (bounds, np.zeros(n)), tolerance=1e-12
    )
    weights = np.where((result.x[:n] > 1e-9) & (labels != 0), result.x[:n], 0.0)
    for group in groups:
        weights[group] /= weights[group].sum()
    return weights


def _name(weights: Floats) -> str:
    """Write the heaviest terms of a combination."""
    heaviest: Integers = np.argsort(-np.abs(weights))[:4]
    terms = [f"{weights[i]:.3g} x[{i}]" for i in heaviest if abs(weights[i]) > 1e-6]
    return " + ".join(terms).replace("+ -", "- ")
