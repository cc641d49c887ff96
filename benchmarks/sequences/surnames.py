"""Surnames of 18 nations: kernels on strings against tf-idf of n-grams in a linear machine.

Run `python -m benchmarks.sequences.surnames`. Each fifth of the names is classified by machines
that were tuned for balanced accuracy on the other four, with balanced class weights and on the same
folds. The optional argument is the largest number of names per nation.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC

from benchmarks import datasets
from benchmarks.page import markdown_table
from benchmarks.sequences.report import Clock, record, shown
from maxmargin import SVC, SVMSearchCV
from maxmargin.kernels import CommonSubstrings, Kernel, Spectrum

# Largest number of names per nation: 9340 of the 18012 different names are Russian.
MOST = 300

OUTER = StratifiedKFold(5, shuffle=True, random_state=1)
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)
RESAMPLES = 1000


def each_length(longest: int) -> Kernel:
    """Return the kernel of substrings of the lengths 1 to longest, each length normalised."""
    kernel: Kernel = Spectrum(1, normalize=True)
    for k in range(2, longest + 1):
        kernel = kernel + Spectrum(k, normalize=True)
    return kernel


def squared(kernel: Kernel) -> Kernel:
    """Return (k + 1)^2 without its constant, the kernel of substrings and pairs of them."""
    return 2 * kernel + kernel * kernel


KERNELS = [
    CommonSubstrings(normalize=True),
    Spectrum(3, up_to=True, normalize=True),
    Spectrum(4, up_to=True, normalize=True),
    each_length(4),
    squared(Spectrum(3, up_to=True, normalize=True)),
]
RANGES = [(1, 2), (1, 3), (1, 4), (1, 5), (2, 3)]

# Loss and scale of the two machines differ, and so do the grids of C around their best.
PENALTIES = [0.2, 0.5, 1.0, 2.0, 5.0]
LINEAR_PENALTIES = [0.1, 0.2, 0.4, 0.8, 1.6]
KERNEL_GRID = {"kernel": KERNELS, "C": PENALTIES}
LINEAR_GRID = {"ngrams__ngram_range": RANGES, "machine__C": LINEAR_PENALTIES}


def names(data: dict[str, Any], most: int = MOST) -> tuple[Any, Any]:
    """Return distinct names in lower case, with marked ends, at most this many per nation."""
    pairs = np.array(sorted(set(zip(data["X"].tolist(), data["y"].tolist(), strict=True))))
    pairs = pairs[np.random.default_rng(0).permutation(len(pairs))]
    kept = np.concatenate(
        [np.flatnonzero(pairs[:, 1] == nation)[:most] for nation in np.unique(pairs[:, 1])]
    )
    return np.array([f"^{name.lower()}$" for name in pairs[kept, 0]]), pairs[kept, 1]


def tune_kernels(X: Any, y: Any) -> SVMSearchCV:
    # One class against the rest, as in the linear machine.
    machine = SVC(class_weight="balanced", multi_class="ovr")
    return SVMSearchCV(machine, KERNEL_GRID, scoring="balanced_accuracy", cv=FOLDS, verbose=1).fit(
        X, y
    )


def tune_linear(X: Any, y: Any) -> GridSearchCV:
    ngrams = TfidfVectorizer(analyzer="char", sublinear_tf=True)
    machine = LinearSVC(class_weight="balanced", max_iter=10_000, random_state=0)
    pipeline = Pipeline([("ngrams", ngrams), ("machine", machine)])
    search = GridSearchCV(pipeline, LINEAR_GRID, scoring="balanced_accuracy", cv=FOLDS, n_jobs=-1)
    return search.fit(X, y)


def error_of_difference(right: Any, other: Any, y: Any) -> float:
    """Return the standard error of the difference of balanced accuracies, by the bootstrap."""
    random = np.random.default_rng(0)
    ahead = right.astype(float) - other
    means = [
        random.choice(ahead[y == nation], (RESAMPLES, (y == nation).sum())).mean(axis=1)
        for nation in np.unique(y)
    ]
    return float(np.mean(means, axis=0).std(ddof=1))


def main(most: int = MOST) -> None:
    clock = Clock()
    X, y = names(datasets.load("strings/surnames_by_nationality"), most)
    found = {"strings": np.empty_like(y), "n-grams": np.empty_like(y)}
    rows = []
    for k, (train, test) in enumerate(OUTER.split(X, y), 1):
        strings, ngrams = tune_kernels(X[train], y[train]), tune_linear(X[train], y[train])
        found["strings"][test] = strings.predict(X[test])
        found["n-grams"][test] = ngrams.predict(X[test])
        fold = [balanced_accuracy_score(y[test], side[test]) for side in found.values()]
        best, (low, high) = strings.best_params_, ngrams.best_params_["ngrams__ngram_range"]
        chosen = f"`{shown(best['kernel'])}`, C = {best['C']:g}"
        other = f"n-grams of {low} to {high}, C = {ngrams.best_params_['machine__C']:g}"
        rows.append([str(k), chosen, f"{fold[0]:.4f}", other, f"{fold[1]:.4f}"])
    scores = [balanced_accuracy_score(y, side) for side in found.values()]
    right = [side == y for side in found.values()]
    ahead, error = scores[0] - scores[1], error_of_difference(*right, y)
    rows.append(["all", "", f"{scores[0]:.4f}", "", f"{scores[1]:.4f}"])
    record(
        "Surnames",
        [
            f"`python -m benchmarks.sequences.surnames`: {len(y)} different names of",
            f"{len(np.unique(y))} nations, at most {most} of each. {len(KERNELS)} kernels in `SVC`",
            f"and {len(RANGES)} ranges of n-grams, as tf-idf in scikit-learn's `LinearSVC`,",
            f"{len(PENALTIES)} values of C each, both one class against the rest with balanced",
            "weights, are tuned on the same five folds of four fifths of the names and evaluated",
            f"on the last fifth; {clock}. In balanced accuracy string kernels are {abs(ahead):.4f}",
            f"{'better' if ahead > 0 else 'worse'} than n-grams (standard error {error:.4f}); the",
            f"accuracies are {right[0].mean():.4f} and {right[1].mean():.4f}.",
        ],
        markdown_table(["fold", "strings", "balanced", "n-grams", "balanced"], rows),
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
