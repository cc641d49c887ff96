"""The grid of settings, and the two estimators that a setting stands for."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

from scipy import sparse

from benchmarks.heldout.data import Data

LIBRARIES = ("maxmargin", "scikit-learn")
KERNELS = ("linear", "poly", "rbf")
PENALTIES = (0.1, 1.0, 100.0)
SCALINGS = ("raw", "standardised")

#: The tube of regressions, scikit-learn's default.
EPSILON = 0.1
#: Added to the scalar product in the polynomial kernel, so that it has terms of all degrees.
COEF0 = 1.0


@dataclass(frozen=True, order=True)
class Setting:
    """One point of the grid."""

    scaling: str
    kernel: str
    C: float

    def __str__(self) -> str:
        return f"{self.scaling}, {self.kernel}, C = {self.C:g}"

    as_dict = asdict


def grid(
    kernels: tuple[str, ...] = KERNELS,
    penalties: tuple[float, ...] = PENALTIES,
    scalings: tuple[str, ...] = SCALINGS,
) -> list[Setting]:
    return [Setting(*values) for values in product(scalings, kernels, penalties)]


def gamma_of(X: Any) -> float:
    """Return 1 / (features x variance): "scale", as a number that both libraries are given."""
    variance = X.multiply(X).mean() - X.mean() ** 2 if sparse.issparse(X) else X.var()
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0


def estimator(library: str, setting: Setting, data: Data, gamma: float) -> Any:
    """Return an estimator of the library, not fitted, with its default tolerance."""
    if library == "maxmargin":
        import maxmargin as source
    else:
        from sklearn import svm as source
    shared = {"C": setting.C, "kernel": setting.kernel, "gamma": gamma, "coef0": COEF0}
    if data.is_regression:
        return source.SVR(epsilon=EPSILON, **shared)
    return source.SVC(**shared)
