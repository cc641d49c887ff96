"""Which kernel? Weights for several kernels at once, with a proof of how good they are.

Multiple kernel learning minimises over the weights d (zero or more, with sum one)

    J(d) = min_w 1/2 |w|^2 + C sum slack = max_a sum(a) - 1/2 sum_m d_m b'K_m b,   b_i = y_i a_i,

which is convex in d (Lanckriet et al. 2004). Multipliers a that are feasible make a plane below J,
whatever d they were found for; the machine at d has a primal value above J(d). The lowest point of
the planes and the lowest value so far enclose the optimum. New weights are those nearest to the
best ones at which the planes promise enough (a level method: Xu, Jin, King, Lyu 2009).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from scipy.optimize import linprog

from maxmargin.errors import InvalidInputError
from maxmargin.interior_point import quadratic_program
from maxmargin.interrupts import heed
from maxmargin.kernels import Kernel, Precomputed
from maxmargin.kernels.base import positive
from maxmargin.machines.endings import warn
from maxmargin.problems import Points, SoftMargin
from maxmargin.solvers import Stop, solve_all
from maxmargin.solvers.stop import Keeping
from maxmargin.typing import Floats

__all__ = ["LearnedWeights", "learn_weights"]

# The level that the planes may reach at new weights, as a fraction of the way from the lower to the
# upper bound of the optimum.
_LEVEL = 0.5
_ROUNDS = 200

# A weight below this is taken to be zero.
_NEGLIGIBLE = 1e-6


@dataclass(frozen=True, eq=False)
class LearnedWeights:
    """What `learn_weights` found.

    Attributes
    ----------
    kernel : Kernel
        The weighted sum, without the kernels of weight zero.
    weights : ndarray of shape (n_kernels,)
        Zero or more with sum one, for kernels scaled to the same spread.
    scales : ndarray of shape (n_kernels,)
        The spread that each kernel was divided by: the mean squared distance of the points from
        their mean in its feature space.
    upper, lower : float
        Proved bounds of the optimum; `upper` is reached by these weights.
    n_rounds : int
        Machines fitted.

    Examples
    --------
    >>> from maxmargin.kernels import RBF, Linear
    >>> from maxmargin.model_selection import learn_weights
    >>> found = learn_weights([Linear(), RBF(1.0)], [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    >>> found.gap <= 1e-3 * found.upper
    True
    """

    kernel: Kernel
    weights: Floats
    scales: Floats
    upper: float
    lower: float
    n_rounds: int

    @property
    def gap(self) -> float:
        """At most this far from the optimum."""
        return self.upper - self.lower


def learn_weights(
    kernels: Sequence[Kernel], X: Any, y: Any, *, C: float = 1.0, tol: float = 1e-3
) -> LearnedWeights:
    """Find the weights of kernels with which a soft-margin machine does best.

    Many of the weights are usually zero. With more than two classes the machines of each class
    against the rest share the weights. All Gram matrices are kept in memory.

    Parameters
    ----------
    kernels : sequence of Kernel
        On the same kind of data.
    X : data
        Whatever the kernels take.
    y : array-like of shape (n,)
        Class labels.
    C : float
        Penalty of slack.
    tol : float
        Relative gap at which to stop.

    Returns
    -------
    LearnedWeights
        Its `kernel` goes into an estimator.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import Spectrum
    >>> from maxmargin.model_selection import learn_weights
    >>> words = ["aab", "abb", "bba", "baa", "aba", "bab", "aaab", "baab"]
    >>> ends_in_b = [word.endswith("b") for word in words]
    >>> found = learn_weights([Spectrum(1), Spectrum(2)], words, ends_in_b, C=10)
    >>> found.weights.shape, bool(np.isclose(found.weights.sum(), 1.0))
    ((2,), True)
    """
    tolerance, penalty = positive(tol, "tol"), positive(C, "C")
    if len(kernels) == 0:
        raise InvalidInputError("kernels is empty: give at least one kernel.")
    points = X
    for kernel in kernels:
        if not isinstance(kernel, Kernel):
            raise InvalidInputError(
                f"kernels must hold kernels of maxmargin.kernels, such as RBF(1.0); got {kernel!r}."
            )
        points = kernel.validate(points)
    resolved = [kernel.resolve(points) for kernel in kernels]
    signs = _signs(y)
    grams, scales = _scaled([kernel.block(points, points) for kernel in resolved])
    search = _Search(grams, signs, penalty, tolerance)
    if search.was_interrupted:
        gap = (search.upper - search.lower) / search.upper
        warn(
            f"learn_weights was interrupted and keeps the best weights of {len(search.planes)} "
            f"rounds: at most a fraction of {gap:.2g} of the objective above the optimum. Another "
            "interrupt within two seconds raises KeyboardInterrupt."
        )
    weights = search.best
    parts = [
        (weight / scale) * kernel
        for kernel, weight, scale in zip(resolved, weights, scales, strict=True)
        if weight > 0
    ]
    return LearnedWeights(
        reduce(add, parts), weights, scales, search.upper, search.lower, len(search.planes)
    )


@dataclass(frozen=True)
class _Plane:
    """A lower bound of J: constant - slopes'd."""

    constant: float
    slopes: Floats


class _Search:
    def __init__(self, grams: Floats, signs: Floats, C: float, tol: float) -> None:
        self.grams, self.signs, self.C, self.tol = grams, signs, C, tol
        self.planes: list[_Plane] = []
        self.best = np.full(len(grams), 1.0 / len(grams))
        self.upper, self.lower = np.inf, 0.0
        weights = self.best
        with Keeping() as work:
            for _ in range(_ROUNDS):
                self._visit(weights)
                self.lower = max(self.lower, self._lowest())
                if self.upper - self.lower <= tol * self.upper or work.was_interrupted:
                    break
                weights = self._next()
                if work.was_interrupted:
                    break
            self.was_interrupted = (
                work.was_interrupted and self.upper - self.lower > tol * self.upper
            )
            if self.was_interrupted:
                heed()

    def _visit(self, weights: Floats) -> None:
        """Fit the machines at some weights: a value above the optimum and a plane below J."""
        points = Points(np.tensordot(weights, self.grams, axes=1), Precomputed())
        problems = [SoftMargin(points, sign, C=self.C) for sign in self.signs]
        value, constant, slopes = 0.0, 0.0, np.zeros(len(self.grams))
        solutions = solve_all(problems, stop=Stop(gap=0.1 * self.tol))
        for sign, solution in zip(self.signs, solutions, strict=True):
            signed = sign * solution.dual
            value += solution.certificate.primal
            constant += float(solution.dual.sum())
            slopes += 0.5 * np.einsum("mij,i,j->m", self.grams, signed, signed, optimize=True)
        self.planes.append(_Plane(constant, slopes))
        if value < self.upper:
            self.upper, self.best = value, weights

    def _lowest(self) -> float:
        """Return a proved lower bound: the best mixture of the planes, at its worst weights."""
        constants = np.array([plane.constant for plane in self.planes])
        slopes = np.array([plane.slopes for plane in self.planes])
        n_planes, n_weights = slopes.shape
        # max over mixtures of constant - max slope
        found = linprog(
            np.append(-constants, 1.0),
            A_ub=np.hstack([slopes.T, -np.ones((n_weights, 1))]),
            b_ub=np.zeros(n_weights),
            A_eq=np.append(np.ones(n_planes), 0.0)[None, :],
            b_eq=[1.0],
            bounds=[(0, None)] * (n_planes + 1),
        )
        if found.x is None:
            return self.lower
        mixture = np.maximum(found.x[:-1], 0.0)
        mixture /= mixture.sum()
        return float(mixture @ constants - (mixture @ slopes).max())

    def _next(self) -> Floats:
        """Return the weights nearest to the best ones where all planes are below the level."""
        level = self.lower + _LEVEL * (self.upper - self.lower)
        n = len(self.grams)
        slopes = np.array([plane.slopes for plane in self.planes])
        constants = np.array([plane.constant for plane in self.planes])
        size = max(self.upper, 1e-300)
        found = quadratic_program(
            np.eye(n),
            -self.best,
            (np.ones((1, n)), np.ones(1)),
            (
                np.vstack([-slopes / size, -np.eye(n)]),
                np.concatenate([(level - constants) / size, np.zeros(n)]),
            ),
        )
        weights = np.where(found.x > _NEGLIGIBLE, found.x, 0.0)
        return np.asarray(weights / weights.sum())


def _signs(y: Any) -> Floats:
    """Return the labels as signs: one row for two classes, one per class for more."""
    labels = np.asarray(y)
    classes = np.unique(labels)
    if labels.ndim != 1 or len(classes) < 2:
        raise InvalidInputError("y must hold labels of at least two classes, one per point.")
    positives = classes[1:] if len(classes) == 2 else classes
    return np.where(labels[None, :] == positives[:, None], 1.0, -1.0)


def _scaled(grams: list[Floats]) -> tuple[Floats, Floats]:
    """Return the matrices divided by the spread of the points in their feature spaces."""
    together = np.array(grams, dtype=np.float64)
    spreads = np.array([np.diag(gram).mean() - gram.mean() for gram in together])
    if not (spreads > 0).all():
        which = int(np.argmin(spreads))
        raise InvalidInputError(
            f"Kernel {which} tells none of the points apart: leave it out of the kernels."
        )
    return together / spreads[:, None, None], spreads
