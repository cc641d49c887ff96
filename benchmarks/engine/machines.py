"""The machines of a fitted classifier, one per pair of classes, in LIBSVM's layout.

Classes are 0, ..., k - 1. In the machine of the pair (i, j), i < j, class i is the positive one.
A support vector of class c has its signed coefficient against class o in row o - 1 if o > c and
in row o otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Machines:
    """support: (s,) training rows; coefficients: (k - 1, s); offsets: (k (k - 1) / 2,)."""

    support: Any
    coefficients: Any
    offsets: Any

    @classmethod
    def with_second_class_positive(cls, support: Any, coefficients: Any, offsets: Any) -> Machines:
        """Take the arrays of libraries in which class 1 of two classes is the positive one."""
        sign = -1.0 if len(offsets) == 1 else 1.0
        return cls(
            np.asarray(support, dtype=np.int64),
            sign * np.asarray(coefficients, dtype=np.float64),
            sign * np.asarray(offsets, dtype=np.float64),
        )

    def save(self, path: Path) -> None:
        np.savez(path, **vars(self))

    @classmethod
    def load(cls, path: Path) -> Machines:
        return cls(**np.load(path))

    def pairs(self, y: Any) -> Iterator[tuple[Any, Any, Any, float]]:
        """Yield for each pair its training rows, their labels +1 and -1, multipliers, and b."""
        n_classes = len(self.coefficients) + 1
        for (i, j), b in zip(combinations(range(n_classes), 2), self.offsets, strict=True):
            signed = np.zeros(len(y))
            for own, row in ((i, j - 1), (j, i)):
                members = y[self.support] == own
                signed[self.support[members]] = self.coefficients[row, members]
            rows = np.flatnonzero((y == i) | (y == j))
            labels = np.where(y[rows] == i, 1.0, -1.0)
            yield rows, labels, labels * signed[rows], float(b)
