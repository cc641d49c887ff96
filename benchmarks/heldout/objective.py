"""The primal value of a fitted SVC or SVR, in float64, from its published attributes alone.

The same code reads both libraries: `support_`, `dual_coef_` and `intercept_` have scikit-learn's
layout. With several classes the values of all pairs are added.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels

from benchmarks.heldout.data import Data
from benchmarks.heldout.settings import COEF0, EPSILON, Setting

#: Entries of a block of kernel values: 64 MiB.
_BLOCK = 1 << 23


def _dense(values: Any) -> Any:
    return values.toarray() if sparse.issparse(values) else np.asarray(values, dtype=np.float64)


def _expansions(dual_coef: Any, labels: Any, n_classes: int) -> Any:
    """Return the coefficients of each pair's machine, one column per pair.

    A support vector of class i has its coefficient against class j > i in row j - 1, against
    class j < i in row j.
    """
    if n_classes == 2:
        return dual_coef.T
    pairs = list(combinations(range(n_classes), 2))
    columns = np.zeros((dual_coef.shape[1], len(pairs)))
    for k, (i, j) in enumerate(pairs):
        for own, row in ((i, j - 1), (j, i)):
            members = labels == own
            columns[members, k] = dual_coef[row, members]
    return columns


def _values(X: Any, vectors: Any, coefficients: Any, setting: Setting, gamma: float) -> Any:
    """Return the decision values without the intercept, in blocks of rows."""
    options = {
        "linear": {},
        "rbf": {"gamma": gamma},
        "poly": {"gamma": gamma, "coef0": COEF0, "degree": 3},
    }[setting.kernel]
    step = max(1, _BLOCK // max(1, vectors.shape[0]))
    blocks = [
        _dense(pairwise_kernels(X[k : k + step], vectors, metric=setting.kernel, **options))
        @ coefficients
        for k in range(0, X.shape[0], step)
    ]
    return np.concatenate(blocks)


def primal(fitted: Any, data: Data, setting: Setting, gamma: float) -> float:
    """Return 1/2 ||w||^2 + C times the losses, added over the machines."""
    X, y = data.X, data.y
    support = np.asarray(fitted.support_)
    n_classes = 0 if data.is_regression else len(fitted.classes_)
    dual_coef = _dense(fitted.dual_coef_)
    if data.is_regression:
        coefficients = dual_coef.T
    else:
        coefficients = _expansions(dual_coef, y[support], n_classes)
    intercepts = np.asarray(fitted.intercept_, dtype=np.float64)
    if len(support):
        values = _values(X, X[support], coefficients, setting, gamma)
    else:
        values = np.zeros((X.shape[0], len(intercepts)))
    total = 0.5 * float(np.sum(coefficients * values[support]))
    values = values + intercepts
    if data.is_regression:
        losses = np.maximum(0.0, np.abs(y - values[:, 0]) - EPSILON).sum()
        return total + setting.C * float(losses)
    if n_classes == 2:
        # Of two classes the second is the positive one; of several, the first of each pair.
        return total + setting.C * float(np.maximum(0.0, 1 - (2 * y - 1) * values[:, 0]).sum())
    for k, (i, j) in enumerate(combinations(range(n_classes), 2)):
        losses = np.maximum(0.0, 1 - values[y == i, k]).sum()
        losses += np.maximum(0.0, 1 + values[y == j, k]).sum()
        total += setting.C * float(losses)
    return total
