"""Which solver suits a linear machine: from the shape of the data, its sparsity and the loss."""

from __future__ import annotations

from typing import Any, Literal

from scipy import sparse

from maxmargin.solvers.linear_engine import Method

__all__ = ["fitting_class_method", "fitting_method"]

# A system of more features takes too long to factorise, and too much memory.
_MOST_FEATURES = 3000

# What one system may cost, in passes over the data, before coordinate descent is the better bet. A
# squared loss needs fewer systems. An entry of a sparse row costs several times one of a dense row.
_MOST_PASSES = 400.0
_MOST_PASSES_SQUARED = 800.0
_SPARSE_ENTRY = 4.0

# Unknowns up to which a system costs next to nothing, however few the entries of the data.
_FEW = 200


def fitting_method(X: Any, *, squared: bool) -> Method:
    """Return the solver that "auto" stands for.

    Methods that factorise one matrix of the size of the features an iteration end after a few
    dozen, whatever C is; their price, (n z^2 + d^3 / 3) for z entries a row, must not be too many
    passes over the data. Coordinate descent takes over for wide data.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.solvers.linear_choice import fitting_method
    >>> fitting_method(np.zeros((1000, 10)), squared=False)
    'interior-point'
    >>> fitting_method(np.zeros((10, 5000)), squared=True)
    'coordinate-descent'
    """
    n, d = X.shape
    entries = max(X.nnz if sparse.issparse(X) else X.size, 1)
    a_row = entries / max(n, 1) * (_SPARSE_ENTRY if sparse.issparse(X) else 1.0)
    passes = a_row + d**3 / (3 * entries)
    if d > _MOST_FEATURES or passes > (_MOST_PASSES_SQUARED if squared else _MOST_PASSES):
        return "coordinate-descent"
    return "newton" if squared else "interior-point"


def fitting_class_method(X: Any, n_classes: int) -> Literal["interior-point", "coordinate-descent"]:
    """Return the solver that "auto" stands for in the machine of all classes at once.

    Its system has as many unknowns as features times classes.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.solvers.linear_choice import fitting_class_method
    >>> fitting_class_method(np.zeros((1000, 10)), 4)
    'interior-point'
    >>> fitting_class_method(np.zeros((1000, 100)), 20)
    'coordinate-descent'
    """
    n, d = X.shape
    entries = max(X.nnz if sparse.issparse(X) else X.size, 1)
    a_row = entries / max(n, 1) * (_SPARSE_ENTRY if sparse.issparse(X) else 1.0)
    unknowns = d * n_classes
    passes = a_row * n_classes + unknowns**3 / (3 * entries * n_classes)
    fits = unknowns <= _FEW or (unknowns <= _MOST_FEATURES and passes <= _MOST_PASSES)
    return "interior-point" if fits else "coordinate-descent"
