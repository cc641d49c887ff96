"""The problems: data, loss and C. All have a bias that is penalised like the weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from benchmarks.engine.problems import Arrays, as_they_are, covtype, subset

PREDICTED_ROWS = 50000
LOSSES = {"hinge": "hinge", "squared": "squared_hinge"}


@dataclass(frozen=True)
class Problem:
    """One row of the tables.

    `targets` are relative gaps that maxmargin is asked for besides those of the peers; `epochs`
    is the limit for scikit-learn's iterations.
    """

    data: str
    title: str
    kind: str
    C: float
    load: Callable[[], Arrays]
    targets: tuple[float, ...] = ()
    epochs: int = 1000

    @property
    def name(self) -> str:
        return f"{self.data}-{self.kind}-{self.C:g}"

    @property
    def loss(self) -> str:
        return LOSSES[self.kind]


def each_loss_and_cost(data: str, title: str, load: Callable[[], Arrays]) -> Iterator[Problem]:
    for kind, C in product(LOSSES, (0.1, 1.0, 100.0)):
        yield Problem(data, title, kind, C, load)


PROBLEMS = (
    *each_loss_and_cost("news20", "news20", as_they_are("sparse/news20_bydate_tfidf")),
    *each_loss_and_cost("sector", "sector", as_they_are("sparse/sector.scale")),
    *each_loss_and_cost("a9a", "a9a", as_they_are("classification/a9a")),
    *each_loss_and_cost("w8a", "w8a", as_they_are("classification/w8a")),
    *(
        Problem(
            "covtype",
            "covtype, class 2 against rest, standardised",
            "hinge",
            C,
            lambda: covtype(581012),
            targets=(1e-3, 1e-6),
            epochs=100,
        )
        for C in (1.0, 100.0)
    ),
)

BY_NAME = {problem.name: problem for problem in PROBLEMS}


def prepared(problem: Problem, rows: int | None = None) -> Arrays:
    """The arrays that a child process needs: float64 inputs, labels 0, 1, ..., loss, C, epochs."""
    data = problem.load()
    if rows is not None:
        data = subset(data, rows)
    classes, y = np.unique(data["y"], return_inverse=True)
    arrays = {
        "X": data["X"],
        "y": y,
        "loss": problem.loss,
        "C": problem.C,
        "epochs": problem.epochs,
    }
    if "X_test" in data:
        # A class without training rows counts as an error.
        places = np.searchsorted(classes, data["y_test"]).clip(max=len(classes) - 1)
        y_test = np.where(classes[places] == data["y_test"], places, -1)
        return {**arrays, "X_test": data["X_test"], "y_test": y_test}
    n = len(y)
    predicted = np.linspace(0, n - 1, min(n, PREDICTED_ROWS)).astype(np.int64)
    return {**arrays, "X_test": data["X"][predicted]}
