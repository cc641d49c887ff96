"""Describing one class: the one-class machine and the smallest sphere.

Schölkopf, Platt, Shawe-Taylor, Smola, Williamson 2001; Tax, Duin 2004 (sphere, "SVDD").
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from maxmargin.errors import InfeasibleProblemError, InvalidInputError
from maxmargin.kernels import Kernel, Linear
from maxmargin.kernels.base import positive
from maxmargin.kernels.data import count
from maxmargin.problems import checks
from maxmargin.problems.base import Problem
from maxmargin.problems.gram import as_float64
from maxmargin.problems.quadratic import BoxQP
from maxmargin.typing import Floats

__all__ = ["OneClass", "Sphere"]


class _OneGroup(Problem):
    """Points of one kind, with the single constraint that the multipliers have a given sum."""

    sample_weight: Any

    def _check_points(self) -> None:
        self._check_data()
        self._set(sample_weight=checks.weights(self.sample_weight, self.n_points))

    def _program_with(self, linear: Floats, cost: Floats, total: float) -> BoxQP:
        n = self.n_points
        ones = np.ones(n)
        return BoxQP(
            self._gram(),
            np.arange(n),
            ones,
            linear,
            cost,
            np.zeros(n),
            ones[None, :],
            np.array([total]),
        )


@dataclass(frozen=True, eq=False, repr=False)
class OneClass(_OneGroup):
    """min 1/2 |w|^2 + sum_i s_i slack_i - nu S rho, w'phi(x_i) >= rho - slack_i.

    S is the sum of the weights s_i; the decision is w'phi(x) - rho. nu bounds the fraction of
    outliers from above and that of support vectors from below. The scale is that of LIBSVM and
    scikit-learn (Schölkopf et al. divide w and rho by nu S).

    Parameters
    ----------
    X : array-like of shape (n, d), CSR matrix, or whatever the kernel takes
        The points.
    nu : float
        In (0, 1].
    kernel : Kernel
        Linear by default; RBF is the usual choice.
    sample_weight : array-like of shape (n,), optional
        s_i.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.problems import OneClass
    >>> solution = solve(OneClass([[0.0], [0.1], [0.2], [5.0]], nu=0.5, kernel=RBF(1.0)))
    >>> bool(solution.decision([[0.1]]) > solution.decision([[3.0]]))
    True
    """

    parameters = ("nu", "kernel")

    X: Any
    _: KW_ONLY
    nu: float = 0.5
    kernel: Kernel = Linear()
    sample_weight: Any = None

    def __post_init__(self) -> None:
        self._set(nu=checks.fraction(self.nu))
        self._check_points()

    def _dual_program(self) -> BoxQP:
        weight = self.sample_weight
        return self._program_with(np.zeros(self.n_points), weight, self.nu * weight.sum())

    @property
    def margin_scale(self) -> float:
        """The mean of k(x, x) times the largest weight: here the origin matters."""
        return float(self.dual().gram.diagonal.mean() * self.sample_weight.max())

    def level(self, norm_squared: float, offsets: Floats) -> float:
        """Return rho."""
        del norm_squared
        return float(offsets[0])


@dataclass(frozen=True, eq=False, repr=False)
class Sphere(_OneGroup):
    """min R^2 + C sum_i s_i slack_i, |phi(x_i) - c|^2 <= R^2 + slack_i.

    The decision is R^2 - |phi(x) - c|^2: positive inside; ``solution.level`` is R^2 and, with a
    linear kernel, ``solution.w`` the centre. With weights that sum to S, C S must be
    at least 1.

    Parameters
    ----------
    X : array-like of shape (n, d), CSR matrix, or whatever the kernel takes
        The points.
    C : float
        Price of leaving a point outside; from 1 on, none is left outside.
    kernel : Kernel
        Linear by default.
    sample_weight : array-like of shape (n,), optional
        s_i.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import Sphere
    >>> solution = solve(Sphere([[0.0], [1.0], [4.0]]))
    >>> solution.w.round(6), round(solution.level, 6)
    (array([2.]), 4.0)
    """

    parameters = ("C", "kernel")

    X: Any
    _: KW_ONLY
    C: float = 1.0
    kernel: Kernel = Linear()
    sample_weight: Any = None

    def __post_init__(self) -> None:
        self._set(C=positive(self.C, "C"))
        self._check_points()
        total = self.C * float(self.sample_weight.sum())
        if total < 1 - 1e-12:
            raise InfeasibleProblemError(
                f"C = {self.C:g} is too small for a sphere: C times the sum of the weights is "
                f"{total:.6g} and must be at least 1, or leaving every point outside would cost "
                "less than any radius."
            )

    @classmethod
    def from_nu(cls, X: Any, nu: float, **others: Any) -> Self:
        """Make the sphere that leaves at most a fraction nu of the weight outside.

        Examples
        --------
        >>> from maxmargin.problems import Sphere
        >>> Sphere.from_nu([[0.0], [1.0], [2.0], [9.0]], nu=0.5).C
        0.5
        """
        weight = checks.weights(others.get("sample_weight"), count(X))
        return cls(X, C=1.0 / (checks.fraction(nu) * float(weight.sum())), **others)

    @property
    def dual_kernel(self) -> Kernel:
        """Twice the kernel: the dual is max sum a_i k_ii - a'Ka."""
        return 2 * self.kernel

    def _dual_program(self) -> BoxQP:
        gram = self._gram()
        return self._program_with(-0.5 * gram.diagonal, self.C * self.sample_weight, 1.0)

    @property
    def margin_scale(self) -> float:
        """The squared spread of the points."""
        return self.dual().gram.spread

    def level(self, norm_squared: float, offsets: Floats) -> float:
        """Return R^2."""
        return float(0.5 * norm_squared - offsets[0])

    def baseline(self, X: Any) -> Floats:
        """Return -k(x, x)."""
        if self.kernel.compares_similarities and X is not self.X:
            raise InvalidInputError(
                "A sphere needs k(x, x) of new points, which a precomputed kernel does not know: "
                "use kernels.Function, or solution.problem.training_decision for the old points."
            )
        return -self.kernel.diag(as_float64(X))
