"""The problems: data, loss and C. The bias is penalised like the weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from benchmarks.engine.problems import Arrays, as_they_are, covtype, encoded

PREDICTED_ROWS = 50000
LOSSES = {"hinge": "hinge", "squared": "squared_hinge"}


@dataclass(frozen=True)
class Problem:
    """One row of the tables.

    maxmargin is asked for the relative gaps of the peers and for `targets`; `epochs` limits
    scikit-learn's iterations.
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


def each_loss_and_penalty(data: str, title: str, load: Callable[[], Arrays]) -> Iterator[Problem]:
    for kind, C in product(LOSSES, (0.1, 1.0, 100.0)):
        yield Problem(data, title, kind, C, load)


PROBLEMS = (
    *each_loss_and_penalty("news20", "news20", as_they_are("sparse/news20_bydate_tfidf")),
    *each_loss_and_penalty("sector", "sector", as_they_are("sparse/sector.scale")),
    *each_loss_and_penalty("a9a", "a9a", as_they_are("classification/a9a")),
    *each_loss_and_penalty("w8a", "w8a", as_they_are("classification/w8a")),
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
    """Return the arrays that a child process needs: those of `encoded`, loss, C and epochs."""
    arrays = encoded(problem.load(), rows, PREDICTED_ROWS)
    return {**arrays, "loss": problem.loss, "C": problem.C, "epochs": problem.epochs}
