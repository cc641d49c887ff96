"""Linear machines along C, each started where the one before ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.base import clone

from maxmargin.errors import InvalidInputError
from maxmargin.estimators import FitCertificate, LinearSVC
from maxmargin.typing import Floats, Integers

__all__ = ["LinearPath", "linear_path"]


@dataclass(frozen=True, eq=False)
class LinearPath:
    """Machines along C.

    Attributes
    ----------
    Cs : ndarray of shape (n,)
        Ascending.
    coef : ndarray of shape (n, n_machines, d)
        Weights.
    intercept : ndarray of shape (n, n_machines)
        Biases.
    certificates : list of FitCertificate
        What is proved about each.
    times : ndarray of shape (n,)
        Seconds of each fit.
    n_iter : ndarray of shape (n,)
        Iterations of each fit.
    classes : ndarray
        The labels; of two, the second one is positive.

    Examples
    --------
    >>> from maxmargin import linear_path
    >>> path = linear_path([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], [0.01, 0.1, 1.0])
    >>> path.coef.shape
    (3, 1, 1)
    """

    Cs: Floats
    coef: Floats
    intercept: Floats
    certificates: list[FitCertificate]
    times: Floats
    n_iter: Integers
    classes: Any

    def at(self, C: float) -> tuple[Floats, Floats]:
        """Return weights and biases at one of the path's C."""
        found = np.flatnonzero(np.isclose(self.Cs, C, rtol=1e-12, atol=0.0))
        if len(found) == 0:
            raise InvalidInputError(
                f"C = {C:g} is not on this path: it has {', '.join(f'{c:g}' for c in self.Cs)}."
            )
        return self.coef[found[0]], self.intercept[found[0]]


def linear_path(
    X: Any,
    y: Any,
    Cs: Any,
    *,
    loss: Literal["hinge", "squared_hinge"] = "squared_hinge",
    tol: float = 1e-4,
    sample_weight: Any = None,
    **options: Any,
) -> LinearPath:
    """Fit `LinearSVC` for each C, ascending, starting from the one before.

    Multipliers are scaled with C (DeCoste, Wagstaff 2000). Coordinate descent leaves out
    multipliers that the duality gap proves to be at a bound. Interior points are found anew at
    every C: they take a few iterations anyway.

    Parameters
    ----------
    X, y : data
        As for `LinearSVC`.
    Cs : array-like of shape (n,)
        Prices of slack, all positive.
    loss, tol : see `LinearSVC`
        For every machine.
    sample_weight : array-like, optional
        Multiplies C point by point.
    **options
        Other parameters of `LinearSVC`.

    Returns
    -------
    LinearPath

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import linear_path
    >>> path = linear_path([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], np.logspace(-3, 3, 7))
    >>> all(certificate.relative_gap <= 1e-4 for certificate in path.certificates)
    True
    """
    prices = np.unique(np.asarray(Cs, dtype=np.float64))
    if prices.ndim != 1 or len(prices) == 0 or not (np.isfinite(prices) & (prices > 0)).all():
        raise InvalidInputError(f"Cs must hold positive, finite numbers; got {Cs!r}.")
    machine = clone(LinearSVC(loss=loss, tol=tol, warm_start=True, **options))
    coef, intercept, certificates, times, n_iter = [], [], [], [], []
    for C in prices:
        machine.set_params(C=float(C)).fit(X, y, sample_weight)
        coef.append(machine.coef_)
        intercept.append(np.broadcast_to(machine.intercept_, len(machine.coef_)).copy())
        certificates.append(machine.certificate_)
        times.append(machine.fit_time_)
        n_iter.append(machine.n_iter_)
    return LinearPath(
        prices,
        np.array(coef),
        np.array(intercept),
        certificates,
        np.array(times),
        np.array(n_iter),
        machine.classes_,
    )
