"""Kernels on rows of numbers, dense or sparse, computed by the native core."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError
from maxmargin.kernels.base import Kernel, positive, real
from maxmargin.kernels.blocks import Formula
from maxmargin.kernels.data import as_vectors
from maxmargin.typing import Floats

__all__ = ["RBF", "Chi2", "Gamma", "Laplacian", "Linear", "Polynomial", "Sigmoid"]

#: A positive number, or a rule that makes one from the data as in scikit-learn.
Gamma = float | Literal["scale", "auto"]


class _Compiled(Kernel):
    """A kernel that the native core computes from its formula."""

    @property
    @abstractmethod
    def _own_formula(self) -> Formula: ...

    @property
    def compares_vectors(self) -> bool:
        """True: X holds rows of numbers."""
        return True

    @property
    def formula(self) -> Formula | None:
        """How the native core computes this kernel by itself."""
        return self._own_formula

    def block(self, A: Any, B: Any) -> Floats:
        """Return the matrix of kernel values."""
        return self._own_formula.block(A, B)


@dataclass(frozen=True)
class Linear(_Compiled):
    """The inner product k(x, z) = x'z.

    Examples
    --------
    >>> from maxmargin.kernels import Linear
    >>> Linear().block([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """

    @property
    def _own_formula(self) -> Formula:
        return Formula("linear")

    def diag(self, A: Any) -> Floats:
        """Return the squared norms of the rows."""
        return _squared_norms(A)

    @property
    def positive_semidefinite(self) -> bool:
        """True: a Gram matrix of inner products."""
        return True


@dataclass(frozen=True)
class _WithGamma(_Compiled):
    gamma: Gamma

    def __post_init__(self) -> None:
        if isinstance(self.gamma, str):
            if self.gamma not in ("scale", "auto"):
                raise InvalidInputError(
                    f"gamma must be a positive number, 'scale' or 'auto'; got {self.gamma!r}."
                )
        else:
            object.__setattr__(self, "gamma", positive(self.gamma, "gamma"))

    @property
    def has_rules(self) -> bool:
        """Whether gamma is "scale" or "auto"."""
        return isinstance(self.gamma, str)

    def resolve(self, X: Any) -> Self:
        """Replace ``"scale"`` by 1 / (d var(X)) and ``"auto"`` by 1 / d."""
        if not isinstance(self.gamma, str):
            return self
        rows = as_vectors(X)
        features = rows.shape[1]
        variance = _variance(rows) if self.gamma == "scale" else 1.0
        return replace(self, gamma=1.0 / (features * variance) if variance > 0 else 1.0)

    def _number(self) -> float:
        if isinstance(self.gamma, str):
            raise InvalidInputError(
                f"{self!r} has no value of gamma yet: call kernel.resolve(X) with the training "
                "data, or give gamma as a number."
            )
        return self.gamma


@dataclass(frozen=True)
class Polynomial(_WithGamma):
    """The polynomial kernel k(x, z) = (gamma x'z + coef0)^degree.

    Parameters
    ----------
    gamma : float, "scale" or "auto"
        Factor of the inner product; "scale" is 1 / (d var(X)), "auto" is 1 / d.
    coef0 : float
        Constant; above zero it brings the lower-degree terms in.
    degree : int
        At least 1.

    Examples
    --------
    >>> from maxmargin.kernels import Polynomial
    >>> Polynomial(gamma=1, coef0=1, degree=2).block([[1.0, 2.0]], [[3.0, 4.0]])
    array([[144.]])
    """

    gamma: Gamma = "scale"
    coef0: float = 0.0
    degree: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "coef0", real(self.coef0, "coef0"))
        if not isinstance(self.degree, Integral) or isinstance(self.degree, bool):
            raise InvalidInputError(f"degree must be a whole number; got {self.degree!r}.")
        if self.degree < 1:
            raise InvalidInputError(f"degree must be at least 1; got {self.degree!r}.")
        object.__setattr__(self, "degree", int(self.degree))

    @property
    def _own_formula(self) -> Formula:
        return Formula("polynomial", self._number(), self.coef0, self.degree)

    def diag(self, A: Any) -> Floats:
        """Return (gamma |a|^2 + coef0)^degree for each row."""
        base: Floats = self._number() * _squared_norms(A) + self.coef0
        return base**self.degree

    @property
    def positive_semidefinite(self) -> bool | None:
        """True for coef0 >= 0, where an explicit feature map exists."""
        return True if self.coef0 >= 0 else None


@dataclass(frozen=True)
class _ExponentialOfDistance(_WithGamma):
    """exp(-gamma distance), for distances that make it positive semidefinite (Schoenberg)."""

    def diag(self, A: Any) -> Floats:
        """Return ones."""
        return _ones(A)

    @property
    def positive_semidefinite(self) -> bool:
        """True for every gamma > 0."""
        return True


@dataclass(frozen=True)
class RBF(_ExponentialOfDistance):
    """The Gaussian kernel k(x, z) = exp(-gamma |x - z|^2).

    Parameters
    ----------
    gamma : float, "scale" or "auto"
        Inverse squared width; "scale" is 1 / (d var(X)), "auto" is 1 / d.

    Examples
    --------
    >>> from maxmargin.kernels import RBF
    >>> RBF(0.5).block([[0.0], [1.0]], [[0.0]]).round(4)
    array([[1.    ],
           [0.6065]])
    """

    gamma: Gamma = "scale"

    @property
    def _own_formula(self) -> Formula:
        return Formula("gaussian", self._number())


@dataclass(frozen=True)
class Sigmoid(_WithGamma):
    """The tanh kernel k(x, z) = tanh(gamma x'z + coef0).

    It is not positive semidefinite in general: problems with it are not convex, and a certificate
    says what can still be claimed.

    Parameters
    ----------
    gamma : float, "scale" or "auto"
        Factor of the inner product.
    coef0 : float
        Constant.

    Examples
    --------
    >>> from maxmargin.kernels import Sigmoid
    >>> Sigmoid(gamma=0.1, coef0=-1).block([[1.0, 2.0]], [[3.0, 4.0]]).round(4)
    array([[0.0997]])
    """

    gamma: Gamma = "scale"
    coef0: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "coef0", real(self.coef0, "coef0"))

    @property
    def _own_formula(self) -> Formula:
        return Formula("tanh", self._number(), self.coef0)

    def diag(self, A: Any) -> Floats:
        """Return tanh(gamma |a|^2 + coef0) for each row."""
        return np.tanh(self._number() * _squared_norms(A) + self.coef0)


@dataclass(frozen=True)
class Laplacian(_ExponentialOfDistance):
    """The Laplacian kernel k(x, z) = exp(-gamma sum_j |x_j - z_j|).

    Parameters
    ----------
    gamma : float, "scale" or "auto"
        Inverse width.

    Examples
    --------
    >>> from maxmargin.kernels import Laplacian
    >>> Laplacian(0.5).block([[0.0, 1.0]], [[1.0, 0.0]]).round(4)
    array([[0.3679]])
    """

    gamma: Gamma = "auto"

    @property
    def _own_formula(self) -> Formula:
        return Formula("laplacian", self._number())


@dataclass(frozen=True)
class Chi2(_ExponentialOfDistance):
    """The chi-squared kernel k(x, z) = exp(-gamma sum_j (x_j - z_j)^2 / (x_j + z_j)).

    Meant for histograms: no entry may be negative.

    Parameters
    ----------
    gamma : float, "scale" or "auto"
        Inverse width.

    Examples
    --------
    >>> from maxmargin.kernels import Chi2
    >>> Chi2(1.0).block([[1.0, 0.0]], [[0.5, 0.5]]).round(4)
    array([[0.5134]])
    """

    gamma: Gamma = 1.0

    def validate(self, X: Any, name: str = "X") -> Any:
        """Check that X is numeric and nowhere negative."""
        rows = as_vectors(X, name)
        values = np.asarray(rows.data if sparse.issparse(rows) else rows)
        if values.size and values.min() < 0:
            raise InvalidInputError(
                f"{name} has negative entries, which the chi-squared kernel does not allow: "
                "shift the features above zero, or use RBF or Laplacian."
            )
        return rows

    @property
    def _own_formula(self) -> Formula:
        return Formula("chi2", self._number())

    @property
    def formula(self) -> Formula:
        """The exponential of the chi-squared distance."""
        return self._own_formula

    def block(self, A: Any, B: Any) -> Floats:
        """Return the matrix of kernel values of rows that are nowhere negative."""
        rows = self.validate(A, "A")
        return super().block(rows, rows if B is A else self.validate(B, "B"))


def _squared_norms(A: Any) -> Floats:
    if sparse.issparse(A):
        return np.asarray(A.multiply(A).sum(axis=1), dtype=np.float64).ravel()
    rows = np.asarray(A, dtype=np.float64)
    norms: Floats = np.einsum("ij,ij->i", rows, rows)
    return norms


def _ones(A: Any) -> Floats:
    return np.ones(A.shape[0] if sparse.issparse(A) else len(A))


def _variance(rows: Any) -> float:
    if sparse.issparse(rows):
        values = rows.data.astype(np.float64)
        size = rows.shape[0] * rows.shape[1]
        return float((values @ values) / size - (values.sum() / size) ** 2)
    return float(rows.var(dtype=np.float64))
