"""Are two classes separable in a kernel's feature space? There is a witness in either case.

Two finite sets are strictly separable if and only if their convex hulls do not meet. The nearest
points p, q of the hulls solve

    min |p - q|^2,   p = sum u_i phi(x_i) over the label +1,   q = sum v_j phi(x_j) over -1,
    u, v >= 0,  sum u = sum v = 1.

If p and q differ, the plane halfway between them separates the classes with margin |p - q| / 2. If
they coincide, they are a point common to both hulls. In a feature space of d dimensions d + 1
points of each class, or fewer, are enough for it (Caratheodory 1907).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.certificates.subjects import one_solution
from maxmargin.errors import InvalidInputError, MaxMarginError, NotSeparableError
from maxmargin.interior_point import quadratic_program
from maxmargin.interrupts import require_none
from maxmargin.kernels import Kernel, Linear
from maxmargin.problems import HardMargin, Points, Problem, Regularised
from maxmargin.typing import Bools, Floats, Integers

__all__ = [
    "CommonPoint",
    "SeparatingPlane",
    "ZeroCombination",
    "require_separable",
    "separability",
]

# In units of the largest |phi(x)|: a smaller distance between the hulls is zero.
_TOUCHING = 1e-7
# Features up to which a common point is written with few points, and terms that a message shows.
_MOST_REDUCED_FEATURES = 200
_MOST_TERMS = 12
# A larger distance although no separating plane was found is an error of the solver.
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
        The weights, if the kernel is linear.

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
        The common point, if the kernel is linear.

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
            f"{_terms(self.positive)} (label +1) = {_terms(self.negative)} (label -1), "
            f"up to a distance of {self.distance:.2g}."
        )


@dataclass(frozen=True, eq=False)
class ZeroCombination:
    """No plane through the origin separates: a convex combination of the y_i phi(x_i) is zero.

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


def separability(
    X: Any, y: Any = None, kernel: Kernel | None = None, *, machine: int | None = None
) -> SeparatingPlane | CommonPoint:
    """Decide whether two classes are strictly separable in a kernel's feature space.

    Parameters
    ----------
    X : array-like of shape (n, d), CSR matrix, or whatever the kernel takes
        The points. Or, without y and kernel: a Solution, a fitted estimator, or a pipeline or
        search that ends in one, for its training points and its kernel.
    y : array-like of shape (n,)
        Labels, exactly -1 and +1.
    kernel : Kernel, optional
        Linear by default.
    machine : int, optional
        The index of the machine in an estimator's ``machines_``, if it has several.

    Returns
    -------
    SeparatingPlane or CommonPoint
        The witness; true in a condition if the classes are separable.

    Examples
    --------
    >>> from maxmargin import SVC, separability
    >>> from maxmargin.kernels import RBF
    >>> X, y = [[0.0], [1.0], [2.0]], [-1, 1, -1]
    >>> print(separability(X, y))
    The classes are not separable: their convex hulls share a point, 1 x[1] (label +1) = \
0.5 x[0] + 0.5 x[2] (label -1), up to a distance of 0.
    >>> bool(separability(SVC(kernel="rbf").fit(X, y)))
    True
    """
    if y is None:
        problem = one_solution(X, machine).problem
        return _separate(problem, _labels(problem))
    posed = HardMargin(X, y, kernel=kernel)
    return _separate(posed, posed.y)


def require_separable(problem: HardMargin, time_limit: float | None = None) -> None:
    """Raise `NotSeparableError` with a witness unless a hard margin exists.

    Raises `TimeoutError` if that is not decided within the time limit, in seconds.
    """
    labels = _labels(problem)
    if isinstance(problem.bias, Regularised) and problem.bias.scale == 0:
        _require_plane_through_origin(problem, labels, time_limit)
        return
    witness = _separate(problem, labels, time_limit)
    if isinstance(witness, CommonPoint):
        raise NotSeparableError(
            f"A hard margin does not exist. {witness} Use SoftMargin, which allows slack, or a "
            "kernel in whose feature space the classes are separable.",
            witness,
        )


def _labels(problem: Problem) -> Floats:
    """Return the labels, zero for points of weight zero, which are left out."""
    if not problem.has_two_classes:
        raise InvalidInputError(
            f"Separability needs a problem with two classes; got {type(problem).__name__}."
        )
    return np.where(problem.sample_weight > 0, problem.y, 0.0)  # type: ignore[attr-defined]


def _separate(
    problem: Problem, labels: Floats, time_limit: float | None = None
) -> SeparatingPlane | CommonPoint:
    """Find the nearest points of the hulls and check what they prove."""
    linear = isinstance(problem.kernel, Linear)
    points, shift = _semidefinite(problem.points), None
    if linear and not sparse.issparse(problem.X):
        # Centred, because the size of the data limits the accuracy of distances.
        shift = problem.X.mean(axis=0, dtype=np.float64)
        points = Points.checked(problem.X - shift, problem.kernel)
    size = _size(points, labels)
    groups = np.array([labels > 0, labels < 0])
    weights, values, distance = _nearest_to_zero(points, labels, groups, size, time_limit)
    lowest = float(values[labels > 0].min())
    highest = float(values[labels < 0].max())
    half = 0.5 * (lowest - highest)
    if half > 0 and distance > _TOUCHING * size:
        coefficients = labels * weights / half
        w = np.asarray(problem.X.T @ coefficients, dtype=np.float64) if linear else None
        moved = 0.0 if w is None or shift is None else float(w @ shift)
        return SeparatingPlane(
            coefficients=coefficients,
            b=-0.5 * (lowest + highest) / half - moved,
            margin=half / distance,
            w=w,
        )
    if distance > _UNDECIDED * size:
        raise MaxMarginError(
            f"Separability could not be decided: the hulls seem {distance:.3g} apart, but no plane "
            "between them was found. Centre and scale the features."
        )
    weights, distance = _with_few_points(points, labels, groups, weights, distance, size)
    positive = np.where(labels > 0, weights, 0.0)
    return CommonPoint(
        positive=positive,
        negative=np.where(labels < 0, weights, 0.0),
        distance=distance,
        point=np.asarray(problem.X.T @ positive) if linear else None,
    )


def _require_plane_through_origin(
    problem: HardMargin, labels: Floats, time_limit: float | None
) -> None:
    points = _semidefinite(problem.points)
    size, used = _size(points, labels), labels != 0
    groups = np.array([used])
    weights, values, distance = _nearest_to_zero(points, labels, groups, size, time_limit)
    if float((labels * values)[used].min()) > 0 and distance > _TOUCHING * size:
        return
    weights, distance = _with_few_points(points, labels, groups, weights, distance, size)
    raise NotSeparableError(
        "A hard margin without a bias does not exist: no plane through the origin separates the "
        f"classes, because {_terms(labels * weights)} is zero up to {distance:.2g}. Use "
        "bias=Free(), or SoftMargin.",
        ZeroCombination(weights, distance),
    )


def _semidefinite(points: Points) -> Points:
    if points.kernel.positive_semidefinite is None and not points.semidefiniteness:
        raise InvalidInputError(
            f"{points.kernel!r} is indefinite on this data (smallest eigenvalue "
            f"{points.semidefiniteness.eigenvalue:.3g}): it has no feature space in which a hard "
            "margin or separability would mean anything. Use another kernel, or SoftMargin."
        )
    return points


def _size(points: Points, labels: Floats) -> float:
    """Return the largest |phi(x)|."""
    largest = float(np.abs(points.diagonal[labels != 0]).max())
    return float(np.sqrt(max(largest, float(np.finfo(np.float64).tiny))))


def _nearest_to_zero(
    points: Points, labels: Floats, groups: Bools, size: float, time_limit: float | None
) -> tuple[Floats, Floats, float]:
    """Minimise |z|, z = sum_i u_i y_i phi(x_i), over u >= 0 that sum to one over each group.

    Returns u, the values z'phi(x_i), and |z|.
    """
    n, sums = len(labels), len(groups)
    members = sparse.csc_matrix(groups, dtype=np.float64)
    if points.n_features is not None and points.n_features < n:
        # With the variables u and z the matrices are as sparse as the features.
        width = points.n_features
        signed = sparse.csc_matrix(points.features).multiply(labels[:, None]).T / size
        objective = sparse.block_diag([sparse.csc_matrix((n, n)), sparse.identity(width)])
        equalities = sparse.bmat([[members, None], [signed, -sparse.identity(width)]], format="csc")
        targets = np.concatenate([np.ones(sums), np.zeros(width)])
        bounds = sparse.hstack([-sparse.identity(n), sparse.csc_matrix((n, width))], format="csc")
        linear = np.zeros(n + width)
    else:
        objective = sparse.csc_matrix(points.gram() * np.outer(labels, labels) / size**2)
        equalities, targets, linear = members, np.ones(sums), np.zeros(n)
        bounds = -sparse.identity(n)
    result = quadratic_program(
        objective,
        linear,
        (equalities, targets),
        (bounds, np.zeros(n)),
        tolerance=1e-12,
        time_limit=time_limit,
    )
    require_none("It was interrupted before the separability of the points was decided.")
    if result.ending == "MaxTime":
        raise TimeoutError
    weights = np.where((result.x[:n] > 1e-9) & (labels != 0), result.x[:n], 0.0)
    for group in groups:
        weights[group] /= weights[group].sum()
    coefficients = labels * weights
    values = points.expansion(coefficients)
    return weights, values, max(float(coefficients @ values), 0.0) ** 0.5


def _with_few_points(
    points: Points, labels: Floats, groups: Bools, weights: Floats, distance: float, size: float
) -> tuple[Floats, float]:
    """Return weights of at most d + 1 points per group, and their distance, or what was given.

    The combination of each group stays what it is. Without a finite feature map, or if rounding
    spoils it, nothing changes.
    """
    width = points.n_features
    if width is None:
        return weights, distance
    found = weights.copy()
    for group in groups:
        members = np.flatnonzero(group & (weights > 0))
        if width + 1 < len(members) and width <= _MOST_REDUCED_FEATURES:
            features = points.take(members).features
            dense = features.toarray() if sparse.issparse(features) else np.asarray(features)
            found[members] = _reduced(labels[members, None] * dense / size, weights[members])
    coefficients = labels * found
    after = max(float(coefficients @ points.expansion(coefficients)), 0.0) ** 0.5
    return (found, after) if after <= max(distance, _TOUCHING * size) else (weights, distance)


def _reduced(rows: Floats, weights: Floats) -> Floats:
    """Return a convex combination of at most d + 1 rows that is the same point.

    As long as there are more, some combination of the rows with a zero sum is zero: the weights
    move along it until one of them vanishes.
    """
    lifted = np.hstack([rows, np.ones((len(rows), 1))])
    found, width = weights.copy(), lifted.shape[1]
    # The lightest go first, so that rounding stays small.
    order: Integers = np.argsort(-found)
    kept = list(order[:width])
    for row in order[width:]:
        kept.append(row)
        direction = np.linalg.svd(lifted[kept].T)[2][-1]
        if not (direction > 0).any():
            direction = -direction
        own = found[kept]
        ratio = np.divide(own, direction, out=np.full(len(own), np.inf), where=direction > 0)
        gone = int(np.argmin(ratio))
        found[kept] = np.maximum(own - ratio[gone] * direction, 0.0)
        found[kept[gone]] = 0.0
        del kept[gone]
    return np.asarray(found / found.sum())


def _terms(weights: Floats) -> str:
    """Write a combination, the largest weights first; say how many terms are left out."""
    heaviest: Integers = np.argsort(-np.abs(weights), kind="stable")
    used = [i for i in heaviest if weights[i] != 0]
    terms = [f"{weights[i]:.3g} x[{i}]" for i in used[:_MOST_TERMS]]
    text = " + ".join(terms).replace("+ -", "- ")
    more = len(used) - len(terms)
    return f"{text} and {more} more" if more else text
