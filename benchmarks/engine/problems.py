"""The problems: a function that loads the data, C and gamma.

Standardised features have mean 0 and standard deviation 1 over the chosen training rows. Subsets
are the first rows of one fixed random permutation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import datasets

Arrays = dict[str, Any]

PREDICTED_ROWS = 5000


@dataclass(frozen=True)
class Problem:
    """One row of the table."""

    name: str
    title: str
    scaling: str
    C: float
    gamma: float
    load: Callable[[], Arrays]
    is_large: bool = False
    too_slow: tuple[str, ...] = ()


def as_they_are(name: str, scale: float = 1.0) -> Callable[[], Arrays]:
    def load() -> Arrays:
        data = datasets.load(name)
        inputs = {key: data[key].astype(np.float64) / scale for key in data if key[0] == "X"}
        return {**data, **inputs}

    return load


def subset(data: Arrays, n: int) -> Arrays:
    """Choose random training rows; the test rows stay the same."""
    chosen = np.random.default_rng(0).permutation(data["X"].shape[0])[:n]
    return {**data, "X": data["X"][chosen], "y": data["y"][chosen]}


def standardised(data: Arrays) -> Arrays:
    X = data["X"].astype(np.float64)
    deviation = X.std(axis=0)
    return {**data, "X": (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)}


def covtype(n: int) -> Arrays:
    data = subset(datasets.load("classification/covtype"), n)
    return standardised({**data, "y": np.where(data["y"] == 2, 1, -1)})


def susy(n: int) -> Arrays:
    return standardised(subset(datasets.load("classification/susy_30k"), n))


def mnist(n: int) -> Arrays:
    data = datasets.load("images/mnist")
    return {
        "X": data["X"][:n] / 255,
        "y": data["y"][:n],
        "X_test": data["X_test"] / 255,
        "y_test": data["y_test"],
    }


def parity(data: Arrays) -> Arrays:
    return {**data, "y": data["y"] % 2, "y_test": data["y_test"] % 2}


PROBLEMS = (
    Problem(
        "fingerprint",
        "fingerprint spoofing",
        "as it is",
        32,
        float(np.exp(-2)),
        as_they_are("mlpr/mlpr_fingerprint_spoofing"),
    ),
    Problem("a9a-1", "a9a", "as it is", 1, 0.05, as_they_are("classification/a9a")),
    Problem("a9a-100", "a9a", "as it is", 100, 0.05, as_they_are("classification/a9a")),
    Problem("w8a", "w8a", "as it is", 10, 0.05, as_they_are("classification/w8a")),
    Problem("ijcnn1", "ijcnn1", "as it is", 32, 2, as_they_are("classification/ijcnn1")),
    Problem(
        "covtype",
        "covtype, class 2 against rest",
        "30,000 random rows, standardised",
        10,
        0.1,
        lambda: covtype(30000),
    ),
    Problem("susy", "SUSY", "30,000 rows, standardised", 1, 0.05, lambda: susy(30000)),
    Problem(
        "mnist-parity",
        "MNIST, even against odd",
        "first 20,000 rows, pixels / 255",
        10,
        0.02,
        lambda: parity(mnist(20000)),
    ),
    Problem(
        "mnist-digits",
        "MNIST, 10 classes",
        "first 20,000 rows, pixels / 255",
        10,
        0.02,
        lambda: mnist(20000),
    ),
    Problem(
        "letter",
        "letter, 26 classes",
        "as it is: features in [-1, 1]",
        16,
        2,
        as_they_are("classification/letter_scale"),
    ),
    Problem(
        "skin", "skin", "colours / 255", 1, 10, as_they_are("classification/skin_nonskin", 255)
    ),
    Problem(
        "mnist-60k",
        "MNIST, 10 classes, all rows",
        "pixels / 255",
        10,
        0.02,
        lambda: mnist(60000),
        is_large=True,
        too_slow=("sklearn", "libsvm", "intelex64", "aocl64"),
    ),
)

BY_NAME = {problem.name: problem for problem in PROBLEMS}


def prepared(problem: Problem, rows: int | None = None) -> Arrays:
    """Return the arrays that a child process needs: those of `encoded`, C and gamma."""
    arrays = encoded(problem.load(), rows, PREDICTED_ROWS)
    return {**arrays, "C": problem.C, "gamma": problem.gamma}


def encoded(data: Arrays, rows: int | None, most_predicted: int) -> Arrays:
    """Return X, labels 0, 1, ... and the rows to predict: test rows, or else training rows."""
    if rows is not None:
        data = subset(data, rows)
    classes, y = np.unique(data["y"], return_inverse=True)
    if "X_test" not in data:
        predicted = np.linspace(0, len(y) - 1, min(len(y), most_predicted)).astype(np.int64)
        return {"X": data["X"], "y": y, "X_test": data["X"][predicted]}
    # A class without training rows counts as an error.
    places = np.searchsorted(classes, data["y_test"]).clip(max=len(classes) - 1)
    y_test = np.where(classes[places] == data["y_test"], places, -1)
    return {"X": data["X"], "y": y, "X_test": data["X_test"], "y_test": y_test}
