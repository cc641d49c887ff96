"""Splice junctions: whether and how a gene is spliced, from the 60 letters around the site.

Run `python -m benchmarks.sequences.splice`: one search over kernels and C, ten folds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, cross_val_score

from benchmarks import datasets
from benchmarks.sequences.report import Clock, kernel_table, record
from maxmargin import SVC, SVMSearchCV
from maxmargin.kernels import CommonSubstrings, Mismatch, Spectrum, WeightedDegree

KERNELS = [
    CommonSubstrings(min_length=2, normalize=True),
    Spectrum(4, normalize=True),
    Spectrum(6, normalize=True),
    Mismatch(5, 1, alphabet=8, normalize=True),
    *(WeightedDegree(degree, normalize=True) for degree in (1, 3, 5, 8, 12)),
    *(WeightedDegree(8, shift=shift, normalize=True) for shift in (1, 2)),
]
PENALTIES = [0.3, 1.0, 3.0, 10.0]
GRID = {"kernel": KERNELS, "C": PENALTIES}
FOLDS = StratifiedKFold(10, shuffle=True, random_state=0)


def search(X: Any, y: Any, grid: dict[str, Any] = GRID) -> SVMSearchCV:
    """Search over kernels and C."""
    return SVMSearchCV(SVC(), grid, cv=FOLDS, verbose=1).fit(X, y)


def without_repeats(machine: SVC, X: Any, y: Any) -> float:
    """Return the accuracy in folds that keep equal strings together."""
    groups = np.unique(X, return_inverse=True)[1]
    folds = StratifiedGroupKFold(10, shuffle=True, random_state=0)
    K = machine.kernel.block(X, X)
    by_matrix = SVC(kernel="precomputed", C=machine.C)
    return float(cross_val_score(by_matrix, K, y, cv=folds, groups=groups).mean())


def main() -> None:
    clock = Clock()
    data = datasets.load("strings/splice_junction")
    X, y = data["X"], data["y"]
    found = search(X, y)
    n_repeats = len(X) - len(np.unique(X))
    strict = without_repeats(found.best_estimator_, X, y)
    record(
        "Splice junctions",
        [
            f"`python -m benchmarks.sequences.splice`: {len(X)} strings of 60 letters, three",
            "classes;",
            f"one search over {len(KERNELS)} kernels and {len(PENALTIES)} values of C, ten folds;",
            f"{clock}. {n_repeats} of the strings are repeats of others; with all copies of a",
            "string",
            f"in one fold the accuracy of the best machine is {strict:.4f}.",
        ],
        kernel_table(found, "accuracy"),
    )


if __name__ == "__main__":
    main()
