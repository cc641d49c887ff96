"""The machines of a fitted classifier: one a class, or a single one that favours class 1 of two."""

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
        """Take what scikit-learn's interface shows."""
        weights = np.asarray(model.coef_, dtype=np.float64)
        biases = np.asarray(model.intercept_, dtype=np.float64)
        return cls(weights, np.broadcast_to(biases, len(weights)))

    def save(self, path: Path) -> None:
        np.savez(path, weights=self.weights, biases=self.biases)

    @classmethod
    def load(cls, path: Path) -> Machines:
        arrays = np.load(path)
        return cls(arrays["weights"], arrays["biases"])
