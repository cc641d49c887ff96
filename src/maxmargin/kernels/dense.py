"""Kernels on rows of numbers, dense or sparse, computed by the native core."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError
from maxmargin.kernels.base import Kernel, positive, real, whole
from maxmargin.kernels.blocks import Form, Formula
from maxmargin.kernels.data import as_vectors
from maxmargin.kernels.median import median_distance
from maxmargin.kernels.rounding import FUNCTION_ERROR, PER_TERM, UNIT_ROUNDOFF, Bounds
from maxmargin.typing import Floats

__all__ = ["RBF", "Chi2", "Gamma", "Laplacian", "Linear", "Polynomial", "Sigmoid"]

# Where terms of distances would cancel from this size on, the compiled core sums differences.
_LARGEST_CANCELLED = 2e5

# Entries of the data that are squared at one time.
_BLOCK_ENTRIES = 1 << 20

#: A positive number, or a rule that computes it from the data: two as in scikit-learn, and the
#: median heuristic.
Gamma = float | Literal["scale", "auto", "median"]


class _Compiled(Kernel):
    """A kernel that the native core computes from its formula."""

    compares_vectors = True
    compares_similarities = False
    compares_sequences = False
    compares_columns = False

    @property
    @abstractmethod
    def _own_formula(self) -> Formula: ...

    @property
    def formula(self) -> Formula | None:
        """What the native core evaluates for this kernel."""
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

    positive_semidefinite = True

    @property
    def _own_formula(self) -> Formula:
        return Formula("linear")

    def diag(self, A: Any) -> Floats:
        """Return the squared norms of the rows."""
        return _squared_norms(A)

    def bounds(self, A: Any) -> Bounds:
        """Return the norms of the rows, and the rounding errors of their inner products."""
        norms = np.sqrt(_squared_norms(A))
        return Bounds(norms, np.sqrt(PER_TERM * (A.shape[1] + 2)) * norms)


@dataclass(frozen=True)
class _WithGamma(_Compiled):
    gamma: Gamma

    #: The distance of the median heuristic, and its factor in 1 / gamma; None without one.
    _median: ClassVar[tuple[Literal["sqeuclidean", "cityblock"], float] | None] = None

    def __post_init__(self) -> None:
        if type(self.gamma) is float and 0.0 < self.gamma < np.inf:
            return
        if isinstance(self.gamma, str):
            if self.gamma not in ("scale", "auto", "median"):
                raise InvalidInputError(
                    "gamma must be a positive number, 'scale', 'auto' or 'median'; "
                    f"got {self.gamma!r}."
                )
            if self.gamma == "median" and self._median is None:
                raise InvalidInputError(
                    "gamma='median' is about a distance, which only RBF and Laplacian have; "
                    f"{type(self).__name__} takes a positive number, 'scale' or 'auto'."
                )
        else:
            object.__setattr__(self, "gamma", positive(self.gamma, "gamma"))

    @property
    def has_rules(self) -> bool:
        """Whether gamma is "scale", "auto" or "median"."""
        return isinstance(self.gamma, str)

    def resolve(self, X: Any, sample_weight: Floats | None = None) -> Self:
        """Replace ``"scale"`` by 1 / (d var(X)), ``"auto"`` by 1 / d, ``"median"`` by its number.

        The median heuristic is 1 / (2 m^2) for `RBF`, with m the median distance between points
        that differ, and 1 / m for `Laplacian`, with the distance sum_j |x_j - z_j|. Of many rows
        it compares a sample that depends on their values only.
        """
        if not isinstance(self.gamma, str):
            return self
        # Training data has been checked before; if it has not, its variance is not finite.
        is_array = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind == "f"
        rows = X if is_array else as_vectors(X)
        if self.gamma == "median" and self._median is not None:
            metric, factor = self._median
            middle = factor * median_distance(rows, metric, sample_weight)
            return replace(self, gamma=1.0 / middle if middle > 0 else 1.0)
        variance = 1.0
        if self.gamma == "scale":
            unweighted = sample_weight is None or np.ptp(sample_weight) == 0
            variance = _variance(rows) if unweighted else _weighted_variance(rows, sample_weight)
            if not np.isfinite(variance):
                as_vectors(X)
        return replace(self, gamma=1.0 / (rows.shape[1] * variance) if variance > 0 else 1.0)

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
        Constant; if it is positive the feature space includes the terms of lower degree.
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
        object.__setattr__(self, "degree", whole(self.degree, "degree"))

    @property
    def _own_formula(self) -> Formula:
        return Formula("polynomial", self._number(), self.coef0, self.degree)

    def diag(self, A: Any) -> Floats:
        """Return (gamma |a|^2 + coef0)^degree for each row."""
        base: Floats = self._number() * _squared_norms(A) + self.coef0
        return base**self.degree

    def bounds(self, A: Any) -> Bounds:
        """Return the sizes of the powers, and the rounding errors of inner products and powers."""
        square = (self._number() * _squared_norms(A) + abs(self.coef0)) ** self.degree
        relative = PER_TERM * (self.degree * (A.shape[1] + FUNCTION_ERROR))
        return Bounds(np.sqrt(square), np.sqrt(relative * square))

    @property
    def positive_semidefinite(self) -> bool | None:
        """True for coef0 >= 0: an explicit feature map exists."""
        return True if self.coef0 >= 0 else None


@dataclass(frozen=True)
class _ExponentialOfDistance(_WithGamma):
    """exp(-gamma distance) with a distance for which it is positive semidefinite (Schoenberg)."""

    positive_semidefinite = True
    _form: ClassVar[Form]

    @property
    def _own_formula(self) -> Formula:
        return Formula(self._form, self._number())

    def diag(self, A: Any) -> Floats:
        """Return ones."""
        return np.ones(A.shape[0] if sparse.issparse(A) else len(A))

    def bounds(self, A: Any) -> Bounds:
        """Return ones, and the rounding errors of distances and exponentials."""
        # A relative error e of t changes exp(-t) by at most t exp(-t) e <= e / 2.
        exponent = max(0.5, self._cancelled(A))
        relative = UNIT_ROUNDOFF * (exponent * (A.shape[1] + 8) + FUNCTION_ERROR)
        ones = self.diag(A)
        return Bounds(ones, np.sqrt(relative) * ones)

    def _cancelled(self, A: Any) -> float:
        """Return the size of the terms whose difference is gamma times the distance."""
        del A
        return 0.0


@dataclass(frozen=True)
class RBF(_ExponentialOfDistance):
    """The Gaussian kernel k(x, z) = exp(-gamma |x - z|^2).

    Parameters
    ----------
    gamma : float, "scale", "auto" or "median"
        Inverse squared width; "scale" is 1 / (d var(X)), "auto" is 1 / d, and "median" is
        1 / (2 m^2) for the median m of the distances between points that differ.

    Examples
    --------
    >>> from maxmargin.kernels import RBF
    >>> RBF(0.5).block([[0.0], [1.0]], [[0.0]]).round(4)
    array([[1.    ],
           [0.6065]])
    """

    _form = "gaussian"
    _median = ("sqeuclidean", 2.0)

    gamma: Gamma = "scale"

    def _cancelled(self, A: Any) -> float:
        # |a - b|^2 = |a|^2 + |b|^2 - 2 a'b, where the rows are moved by a mean of some of them: no
        # row is farther from that than twice the largest distance from the mean of all.
        return min(16 * self._number() * _largest_squared_norm(A), _LARGEST_CANCELLED)


@dataclass(frozen=True)
class Sigmoid(_WithGamma):
    """The tanh kernel k(x, z) = tanh(gamma x'z + coef0).

    It is not positive semidefinite in general. A problem with it may not be convex; its
    certificate says what can still be claimed.

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

    def bounds(self, A: Any) -> Bounds:
        """Return ones, and the rounding errors of inner products and tanh, whose slope is one."""
        argument = self._number() * _squared_norms(A) + abs(self.coef0)
        error = PER_TERM * (A.shape[1] + 4) * argument + FUNCTION_ERROR * UNIT_ROUNDOFF
        return Bounds(np.ones(len(argument)), np.sqrt(error))


@dataclass(frozen=True)
class Laplacian(_ExponentialOfDistance):
    """The Laplacian kernel k(x, z) = exp(-gamma sum_j |x_j - z_j|).

    Parameters
    ----------
    gamma : float, "scale", "auto" or "median"
        Inverse width; "median" is 1 / m for the median m of sum_j |x_j - z_j| over pairs of points
        that differ.

    Examples
    --------
    >>> from maxmargin.kernels import Laplacian
    >>> Laplacian(0.5).block([[0.0, 1.0]], [[1.0, 0.0]]).round(4)
    array([[0.3679]])
    """

    _form = "laplacian"
    _median = ("cityblock", 1.0)

    gamma: Gamma = "auto"


@dataclass(frozen=True)
class Chi2(_ExponentialOfDistance):
    """The chi-squared kernel k(x, z) = exp(-gamma sum_j (x_j - z_j)^2 / (x_j + z_j)).

    It compares histograms: no entry may be negative.

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

    _form = "chi2"

    gamma: Gamma = 1.0

    def validate(self, X: Any, name: str = "X") -> Any:
        """Check that X holds numbers, none of them negative."""
        rows = as_vectors(X, name)
        values = np.asarray(rows.data if sparse.issparse(rows) else rows)
        if values.size and values.min() < 0:
            raise InvalidInputError(
                f"{name} has negative entries, which the chi-squared kernel does not allow: "
                "shift the features above zero, or use RBF or Laplacian."
            )
        return rows

    # `block` below computes the same; it only checks the data first.
    formula = _Compiled.formula

    def block(self, A: Any, B: Any) -> Floats:
        """Return the matrix of kernel values; no entry may be negative."""
        rows = self.validate(A, "A")
        return super().block(rows, rows if B is A else self.validate(B, "B"))


def _squared_norms(A: Any) -> Floats:
    if sparse.issparse(A):
        rows = A.astype(np.float64, copy=False)
        return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()
    norms: Floats = np.einsum("ij,ij->i", A, A, dtype=np.float64)
    return norms


def _largest_squared_norm(A: Any) -> float:
    """Return the largest squared distance of a row from the mean, or from zero if A is sparse."""
    if sparse.issparse(A):
        return float(_squared_norms(A).max(initial=0.0))
    rows = np.asarray(A)
    mean = rows.mean(axis=0, dtype=np.float64)
    step, largest = max(1, _BLOCK_ENTRIES // max(rows.shape[1], 1)), 0.0
    for start in range(0, len(rows), step):
        centred = rows[start : start + step] - mean
        largest = max(largest, float(np.einsum("ij,ij->i", centred, centred).max(initial=0.0)))
    return largest


def _variance(rows: Any) -> float:
    if sparse.issparse(rows):
        values = rows.data.astype(np.float64)
        size = rows.shape[0] * rows.shape[1]
        return float((values @ values) / size - (values.sum() / size) ** 2)
    return float(rows.var(dtype=np.float64))


def _weighted_variance(X: Any, sample_weight: Any) -> float:
    weight = np.maximum(sample_weight, 0.0)
    total = float(weight.sum()) * int(X.shape[1])
    if total <= 0:
        return 0.0
    mean = float((weight @ X).sum()) / total
    if sparse.issparse(X):
        entry_weight = np.repeat(weight, np.diff(X.indptr))
        return float(entry_weight @ np.square(X.data, dtype=np.float64)) / total - mean**2
    step = max(1, _BLOCK_ENTRIES // X.shape[1])
    squares = 0.0
    for start in range(0, len(X), step):
        part = slice(start, start + step)
        squares += float(weight[part] @ np.square(X[part] - mean, dtype=np.float64).sum(axis=1))
    return squares / total
