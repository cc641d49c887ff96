"""Surnames of 18 nations: kernels on strings against tf-idf of n-grams in a linear machine.

Run `python -m benchmarks.sequences.surnames`. Both see the same names, tuned by the same folds for
balanced accuracy with balanced class weights, and are then judged by names held out from both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC

from benchmarks import datasets
from benchmarks.page import markdown_table
from benchmarks.sequences.report import Clock, best_of_each, record, shown
from maxmargin import SVC, SVMSearchCV
from maxmargin.kernels import CommonSubstrings, Kernel, Spectrum, Subsequence

#: Names a nation at most: 9340 of the 18012 different ones are Russian.
MOST = 300

FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)


def each_length(longest: int) -> Kernel:
    """Substrings of the lengths 1 to longest, each length normalised by itself."""
    kernel: Kernel = Spectrum(1, normalize=True)
    for k in range(2, longest + 1):
        kernel = kernel + Spectrum(k, normalize=True)
    return kernel


def squared(kernel: Kernel) -> Kernel:
    """(k + 1)^2 without its constant: pairs of substrings count, too."""
    return 2 * kernel + kernel * kernel


KERNELS = [
    CommonSubstrings(normalize=True),
    Subsequence(3, decay=0.5, normalize=True),
    Spectrum(3, up_to=True, normalize=True),
    Spectrum(4, up_to=True, normalize=True),
    each_length(4),
    squared(Spectrum(3, up_to=True, normalize=True)),
]
RANGES = [(1, 2), (1, 3), (1, 4), (1, 5), (2, 3), (2, 4)]

# Loss and scale of the two machines differ, and so do the prices around their best.
PRICES = [0.1, 0.3, 1.0, 3.0, 10.0]
LINEAR_PRICES = [0.03, 0.1, 0.3, 1.0, 3.0]
KERNEL_GRID = {"kernel": KERNELS, "C": PRICES}
LINEAR_GRID = {"ngrams__ngram_range": RANGES, "machine__C": LINEAR_PRICES}


def names(data: dict[str, Any], most: int = MOST) -> tuple[Any, Any]:
    """Different names in lower case between marks of their ends, at most so many a nation."""
    pairs = np.array(sorted(set(zip(data["X"].tolist(), data["y"].tolist(), strict=True))))
    pairs = pairs[np.random.default_rng(0).permutation(len(pairs))]
    kept = np.concatenate(
        [np.flatnonzero(pairs[:, 1] == nation)[:most] for nation in np.unique(pairs[:, 1])]
    )
    return np.array([f"^{name.lower()}$" for name in pairs[kept, 0]]), pairs[kept, 1]


def tune_kernels(X: Any, y: Any) -> SVMSearchCV:
    # Each class against the rest, as in the linear machine.
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


class Judged:
    """A search, and what its best machine makes of names that it has not seen."""

    def __init__(self, search: Any, X: Any, y: Any) -> None:
        self.search = search
        found = search.predict(X)
        self.right = found == y
        self.score = balanced_accuracy_score(y, found)


def main() -> None:
    clock = Clock()
    X, y = names(datasets.load("strings/surnames_by_nationality"))
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.25, stratify=y, random_state=0)
    strings = Judged(tune_kernels(X, y), X_test, y_test)
    ngrams = Judged(tune_linear(X, y), X_test, y_test)
    ahead = strings.score - ngrams.score
    rows = [
        [f"`{shown(kernel)}`", f"{params['C']:g}", f"{mean:.4f}", f"{error:.4f}"]
        for kernel, params, mean, error in best_of_each(strings.search, "kernel")
    ]
    rows += [
        [f"n-grams of {low} to {high}", f"{params['machine__C']:g}", f"{mean:.4f}", f"{error:.4f}"]
        for (low, high), params, mean, error in best_of_each(ngrams.search, "ngrams__ngram_range")
    ]
    record(
        "Surnames",
        [
            f"`python -m benchmarks.sequences.surnames`: {len(y) + len(y_test)} different names of",
            f"{len(np.unique(y))} nations, at most {MOST} of each. {len(KERNELS)} kernels in `SVC`",
            f"and {len(RANGES)} ranges of n-grams in scikit-learn's `LinearSVC`, {len(PRICES)}",
            "values of C each, balanced weights, tuned by the same five folds of three quarters of",
            f"the names; {clock}. On the quarter that neither has seen the best kernel reaches a",
            f"balanced accuracy of {strings.score:.4f}, {abs(ahead):.4f}",
            f"{'ahead of' if ahead > 0 else 'behind'} the best n-grams ({ngrams.score:.4f}): of",
            f"{len(y_test)} names {int((strings.right & ~ngrams.right).sum())} are right by",
            f"strings alone, {int((ngrams.right & ~strings.right).sum())} by n-grams alone.",
        ],
        markdown_table(["compared", "C", "balanced accuracy in the folds", "standard error"], rows),
    )


if __name__ == "__main__":
    main()
