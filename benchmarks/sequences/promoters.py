"""Promoters of E. coli: 106 strings of 57 letters, leave-one-out.

Run `python -m benchmarks.sequences.promoters`: one leave-one-out search, and a nested one in which
kernel and C are chosen without the held-out string.
"""

from __future__ import annotations

from typing import Any

from sklearn.model_selection import LeaveOneOut, StratifiedKFold

from benchmarks import datasets
from benchmarks.page import markdown_table
from benchmarks.sequences.report import Clock, best_of_each, record, shown
from maxmargin import SVC, SVMSearchCV
from maxmargin.kernels import Mismatch, Spectrum, Subsequence, WeightedDegree

KERNELS = [
    Spectrum(3, normalize=True),
    Mismatch(4, 1, alphabet=4, normalize=True),
    Subsequence(3, decay=0.5, normalize=True),
    *(
        WeightedDegree(degree, shift=shift, normalize=True)
        for degree in (2, 4, 6)
        for shift in (0, 2, 4)
    ),
]
GRID = {"kernel": KERNELS, "C": [1.0, 10.0]}


def search(X: Any, y: Any, cv: Any = None, verbose: int = 0) -> SVMSearchCV:
    """Search over kernels and C."""
    cv = LeaveOneOut() if cv is None else cv
    return SVMSearchCV(SVC(), GRID, cv=cv, verbose=verbose).fit(X, y)


def strict_errors(X: Any, y: Any) -> int:
    """Return the errors if kernel and C are chosen without the held-out string."""
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    errors = 0
    for train, test in LeaveOneOut().split(X):
        errors += int((search(X[train], y[train], folds).predict(X[test]) != y[test]).sum())
    return errors


def main() -> None:
    clock = Clock()
    data = datasets.load("strings/promoters")
    X, y = data["X"], data["y"]
    found = search(X, y, verbose=1)
    strict = strict_errors(X, y)
    rows = [
        [f"`{shown(kernel)}`", f"{params['C']:g}", str(round(len(X) * (1 - mean)))]
        for kernel, params, mean, _ in best_of_each(found, "kernel")
    ]
    record(
        "Promoters",
        [
            f"`python -m benchmarks.sequences.promoters`: {len(X)} strings of 57 letters, half",
            "of them",
            f"promoters, leave-one-out; {clock}. If kernel and C are chosen by ten folds of the",
            f"other strings, {strict} of {len(X)} are wrong.",
        ],
        markdown_table(["kernel", "C", "errors"], rows),
    )


if __name__ == "__main__":
    main()
