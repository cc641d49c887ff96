"""The machines of a fitted classifier: one per class, or one for two classes (class 1 positive)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Machines:
    """weights: (k, d); biases: (k,)."""

    weights: Any
    biases: Any

    @classmethod
    def of(cls, model: Any) -> Machines:
        """Take the arrays of scikit-learn's interface."""
        weights = np.asarray(model.coef_, dtype=np.float64)
        biases = np.asarray(model.intercept_, dtype=np.float64)
        return cls(weights, np.broadcast_to(biases, len(weights)))

    def save(self, path: Path) -> None:
        np.savez(path, **vars(self))

    @classmethod
    def load(cls, path: Path) -> Machines:
        return cls(**np.load(path))
