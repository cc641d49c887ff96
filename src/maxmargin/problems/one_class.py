"""Describing one class: the one-class machine and the smallest sphere.

With sample weights s_i that sum to S and slack_i >= 0:

    OneClass  min 1/2 |w|^2 + sum s_i slack_i - nu S rho    w'phi(x_i) >= rho - slack_i
    Sphere    min R^2 + C sum s_i slack_i                   |phi(x_i) - c|^2 <= R^2 + slack_i

The duals have one multiplier per point, and w or c = sum a_i phi(x_i):

    OneClass  max -1/2 |w|^2                                0 <= a_i <= s_i,    sum a_i = nu S
    Sphere    max sum a_i k(x_i, x_i) - |c|^2               0 <= a_i <= C s_i,  sum a_i = 1

Schölkopf, Platt, Shawe-Taylor, Smola, Williamson 2001; Tax, Duin 2004 (sphere, "SVDD").
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from maxmargin.errors import InfeasibleProblemError, InvalidInputError
from maxmargin.kernels import Kernel
from maxmargin.kernels.base import positive
from maxmargin.kernels.data import as_float64
from maxmargin.problems import checks
from maxmargin.problems.base import KernelProblem, NuForm
from maxmargin.problems.quadratic import BoxQP
from maxmargin.typing import Floats

__all__ = ["OneClass", "Sphere"]


class OneClass(NuForm):
    """min 1/2 |w|^2 + sum_i s_i slack_i - nu S rho, w'phi(x_i) >= rho - slack_i.

    S is the sum of the weights s_i; the decision is w'phi(x) - rho. nu is an upper bound on the
    fraction of outliers and a lower bound on the fraction of support vectors. The scale is that of
    LIBSVM and scikit-learn (Schölkopf et al. divide w and rho by nu S).

    Parameters
    ----------
    X : array-like of shape (n, d), CSR matrix, whatever the kernel takes, or Points
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

    nu: float

    def __init__(
        self,
        X: Any,
        *,
        nu: float = 0.5,
        kernel: Kernel | None = None,
        sample_weight: Any = None,
    ) -> None:
        self._take_points(X, kernel, sample_weight)
        self._set_parameters(nu=nu)

    def _check_parameters(self) -> None:
        self._set(nu=checks.fraction(self.nu))

    def _dual_qp(self) -> BoxQP:
        weight, zeros = self.sample_weight, np.zeros(self.n_points)
        total = np.array([self.nu * float(weight.sum())])
        return BoxQP(self.points, 0.0, np.ones(self.n_points), zeros, weight, zeros, total)

    @property
    def margin_scale(self) -> float:
        """The mean of k(x, x) times the largest possible multiplier; the origin matters here."""
        return float(self.points.diagonal.mean()) * self.largest_multiplier

    def level(self, norm_squared: float, offsets: Floats) -> float:
        """Return rho."""
        del norm_squared
        return float(offsets[0])


class Sphere(KernelProblem):
    """min R^2 + C sum_i s_i slack_i, |phi(x_i) - c|^2 <= R^2 + slack_i.

    The decision is R^2 - |phi(x) - c|^2, positive inside; ``solution.level`` is R^2 and, with a
    linear kernel, ``solution.w`` is the centre c. C times the sum of the weights s_i must be at
    least 1.

    Parameters
    ----------
    X : array-like of shape (n, d), CSR matrix, whatever the kernel takes, or Points
        The points.
    C : float
        Penalty of points outside; if it is 1 or more, no point of weight one is outside.
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

    C: float

    def __init__(
        self,
        X: Any,
        *,
        C: float = 1.0,
        kernel: Kernel | None = None,
        sample_weight: Any = None,
    ) -> None:
        self._take_points(X, kernel, sample_weight)
        self._set_parameters(C=C)

    def _check_parameters(self) -> None:
        self._set(C=positive(self.C, "C"))
        total = self.C * float(self.sample_weight.sum())
        if total < 1 - 1e-12:
            raise InfeasibleProblemError(
                f"C = {self.C:g} is too small for a sphere: C times the sum of the weights is "
                f"{total:.6g} and must be at least 1, because otherwise it would cost less to "
                "leave every point outside than to have any radius."
            )

    @classmethod
    def from_nu(cls, X: Any, nu: float, **others: Any) -> Self:
        """Make the sphere with at most a fraction nu of the weight outside.

        Examples
        --------
        >>> from maxmargin.problems import Sphere
        >>> Sphere.from_nu([[0.0], [1.0], [2.0], [9.0]], nu=0.5).C
        0.5
        """
        everything = cls(X, C=np.finfo(np.float64).max, **others)
        total = float(everything.sample_weight.sum())
        return everything.replace(C=1.0 / (checks.fraction(nu) * total))

    @property
    def dual_kernel(self) -> Kernel:
        """Twice the kernel, because the dual has |c|^2 where `BoxQP` has 1/2 |w|^2."""
        return 2 * self.kernel

    def _dual_qp(self) -> BoxQP:
        points, n = self.points.with_kernel(self.dual_kernel), self.n_points
        linear, cost = -0.5 * points.diagonal, self.C * self.sample_weight
        return BoxQP(points, 0.0, np.ones(n), linear, cost, np.zeros(n), np.ones(1))

    @property
    def margin_scale(self) -> float:
        """The squared spread of the points."""
        return self.dual().points.spread

    def level(self, norm_squared: float, offsets: Floats) -> float:
        """Return R^2."""
        return float(0.5 * norm_squared - offsets[0])

    def baseline(self, X: Any) -> Floats:
        """Return -k(x, x)."""
        if self.kernel.compares_similarities and X is not self.X:
            raise InvalidInputError(
                "A sphere needs k(x, x) of new points, which a precomputed kernel does not have: "
                "use kernels.Function, or solution.training_decision for the training points."
            )
        return -self.kernel.diag(as_float64(X))
