"""The median heuristic: the median distance between two different training points.

Of many rows a sample is compared, chosen by a hash of their values, so that neither the order of
the rows nor their repetition matters. A pair counts by the product of its weights, as repeated rows
would.

Garreau, Jitkrittum, Kanagawa 2017.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.typing import Floats

__all__ = ["median_distance"]

# Distinct rows that are compared: half a million pairs.
_SAMPLE = 1000

_BLOCK_ENTRIES = 1 << 20

# Entries of a sample of sparse rows in memory: 128 MB.
_MOST_DENSE = 1 << 24


def median_distance(
    X: Any, metric: Literal["sqeuclidean", "cityblock"], sample_weight: Floats | None = None
) -> float:
    """Return the weighted median of the distances between rows that differ; zero without any.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels.median import median_distance
    >>> median_distance(np.array([[0.0], [1.0], [1.0], [4.0]]), "cityblock")
    3.0
    """
    n = X.shape[0]
    weight = np.ones(n) if sample_weight is None else np.maximum(sample_weight, 0.0)
    used = np.flatnonzero(weight > 0)
    _, first, owner = np.unique(_hashes(X)[used], return_index=True, return_inverse=True)
    held = np.bincount(owner, weight[used], len(first))[:_SAMPLE]
    rows = X[used[first[:_SAMPLE]]]
    if sparse.issparse(rows):
        # Columns without entries do not matter; of very many others, fewer rows are compared.
        columns = np.unique(rows.indices)
        most = max(2, _MOST_DENSE // max(len(columns), 1))
        rows, held = rows[:most][:, columns].toarray(), held[:most]
    # Not at the top: few use it, and it takes long to import.
    from scipy.spatial.distance import pdist

    i, j = np.triu_indices(len(held), 1)
    # Weights as shares of the largest: their products must not overflow.
    share = held / held.max(initial=np.finfo(np.float64).tiny)
    return _weighted_median(pdist(np.asarray(rows, dtype=np.float64), metric), share[i] * share[j])


def _weighted_median(values: Floats, weight: Floats) -> float:
    """Return the smallest value that at least half of the weight does not exceed."""
    if len(values) == 0:
        return 0.0
    order = np.argsort(values)
    heavier = np.cumsum(weight[order])
    return float(values[order][np.searchsorted(heavier, 0.5 * heavier[-1])])


def _hashes(X: Any) -> NDArray[np.uint64]:
    """Return a number for each row, equal for equal rows: a sum over its entries that are not 0."""
    factor = np.random.default_rng(0).integers(1 << 63, size=X.shape[1], dtype=np.uint64) | 1
    if sparse.issparse(X):
        mixed = np.append(_mixed(X.data) * factor[X.indices], np.uint64(0))
        total = np.concatenate([[np.uint64(0)], np.cumsum(mixed, dtype=np.uint64)])
        return np.asarray(total[X.indptr[1:]] - total[X.indptr[:-1]])
    step = max(1, _BLOCK_ENTRIES // max(int(X.shape[1]), 1))
    parts = [
        (_mixed(X[start : start + step]) * factor).sum(axis=1, dtype=np.uint64)
        for start in range(0, len(X), step)
    ]
    return np.concatenate(parts)


def _mixed(values: Any) -> NDArray[np.uint64]:
    """Return the bits of numbers, well mixed (the finaliser of MurmurHash3); zero of zero."""
    bits = (np.ascontiguousarray(values, dtype=np.float64) + 0.0).view(np.uint64)
    for multiplier in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        bits = (bits ^ (bits >> np.uint64(33))) * np.uint64(multiplier)
    return np.asarray(bits ^ (bits >> np.uint64(33)))
