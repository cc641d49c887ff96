"""The libraries: how each takes the data, fits, predicts, and where it keeps its machines.

`prepare` is timed separately from `fit`. Every library solves the same problem, in which the bias
is the weight of a constant feature with the value 1.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks import library
from benchmarks.engine.problems import Arrays
from benchmarks.linear.machines import Machines
from benchmarks.linear.values import SCALE

# So many that maxmargin ends at the gap that it was asked for.
MANY_ITERATIONS = 100_000


@dataclass(frozen=True)
class Task:
    """What to fit; peers use their default tolerance, and `epochs` is for scikit-learn only."""

    loss: str
    C: float
    epochs: int
    tolerance: float | None = None

    @classmethod
    def of(cls, data: Arrays, tolerance: float | None) -> Task:
        return cls(str(data["loss"]), float(data["C"]), int(data["epochs"]), tolerance)


@dataclass(frozen=True)
class Fitted:
    """A model, and whether the library warned that it had not converged."""

    model: Any
    has_warned: bool


@dataclass(frozen=True)
class Library(library.Library, ABC):
    """A library, with the losses that it has."""

    losses: tuple[str, ...] = ("hinge", "squared_hinge")

    @property
    def converts(self) -> bool:
        """Whether it needs the data in its own format."""
        return type(self).prepare is not Library.prepare

    def prepare(self, X: Any) -> Any:
        return X

    @abstractmethod
    def fit(self, X: Any, y: Any, task: Task) -> Fitted: ...

    @abstractmethod
    def predict(self, model: Any, X: Any) -> Any: ...

    @abstractmethod
    def machines(self, model: Any) -> Machines: ...

    def remarks(self, model: Any) -> dict[str, Any]:
        """Return what else the record keeps; this is not timed."""
        del model
        return {}


@dataclass(frozen=True)
class ScikitLearnLike(Library):
    """A class LinearSVC with scikit-learn's interface, in the given module."""

    module: str = "sklearn.svm"

    def options(self, task: Task) -> dict[str, Any]:
        return {"max_iter": task.epochs, "dual": "auto"}

    def fit(self, X: Any, y: Any, task: Task) -> Fitted:
        from sklearn.exceptions import ConvergenceWarning

        kind = import_module(self.module).LinearSVC
        model = kind(C=task.C, loss=task.loss, random_state=0, **self.options(task))
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            model.fit(X, y)
        return Fitted(model, any(issubclass(w.category, ConvergenceWarning) for w in seen))

    def predict(self, model: Any, X: Any) -> Any:
        return model.predict(X)

    def machines(self, model: Any) -> Machines:
        return Machines.of(model)

    def remarks(self, model: Any) -> dict[str, Any]:
        return {"iterations": int(np.max(model.n_iter_))}


@dataclass(frozen=True)
class Ours(ScikitLearnLike):
    """maxmargin, asked for a relative gap."""

    module: str = "maxmargin"

    def options(self, task: Task) -> dict[str, Any]:
        return {"tol": task.tolerance or 1e-4, "max_iter": MANY_ITERATIONS}

    def remarks(self, model: Any) -> dict[str, Any]:
        shown = {"solver": model.solver_, "certified_gap": model.certificate_.relative_gap}
        return {**super().remarks(model), **shown}


@dataclass(frozen=True)
class LIBLINEAR(Library):
    """The original, through its C functions, so that its Python loops over rows are not timed.

    Data are lists of (index, value) nodes, including one for the bias. With two classes there is
    one machine, in which the first label is positive; otherwise one per label, in their order.
    """

    squared_hinge_solver: int = 1

    def prepare(self, X: Any) -> Any:
        from liblinear.liblinear import problem

        X = sparse.csr_matrix(X, dtype=np.float64)
        return problem(np.zeros(X.shape[0]), X, bias=SCALE)

    def fit(self, X: Any, y: Any, task: Task) -> Fitted:
        from liblinear.liblinear import PRINT_STRING_FUN, liblinear, parameter, toPyModel

        np.ctypeslib.as_array(X.y, (X.l,))[:] = y
        solver = 3 if task.loss == "hinge" else self.squared_hinge_solver
        settings = parameter(f"-s {solver} -c {task.C!r} -B {SCALE!r}")
        output: list[bytes] = []
        listener = PRINT_STRING_FUN(output.append)
        liblinear.set_print_string_function(listener)
        refusal = liblinear.check_parameter(X, settings)
        if refusal:
            raise ValueError(refusal.decode())
        model = toPyModel(liblinear.train(X, settings))
        return Fitted(model, b"reaching max" in b"".join(output))

    def predict(self, model: Any, X: Any) -> Any:
        from liblinear.liblinear import liblinear

        return np.array([liblinear.predict(model, X.x[i]) for i in range(X.l)])

    def machines(self, model: Any) -> Machines:
        labels = np.array(model.get_labels())
        n, k = model.get_nr_feature() + 1, 1 if len(labels) == 2 else len(labels)
        shown = np.ctypeslib.as_array(model.w, (n * k,)).reshape(n, k).T.copy()
        shown = shown * (1.0 if labels[0] == 1 else -1.0) if k == 1 else shown[np.argsort(labels)]
        return Machines(shown[:, :-1], SCALE * shown[:, -1])


LIBRARIES: tuple[Library, ...] = (
    Ours("maxmargin", "maxmargin", "maxmargin"),
    ScikitLearnLike("sklearn", "scikit-learn", "scikit-learn"),
    LIBLINEAR("liblinear", "LIBLINEAR, dual", "liblinear-official"),
    LIBLINEAR(
        "liblinear-primal",
        "LIBLINEAR, primal",
        "liblinear-official",
        losses=("squared_hinge",),
        squared_hinge_solver=2,
    ),
)

BY_NAME = {library.name: library for library in LIBRARIES}
OURS = BY_NAME["maxmargin"]
PEERS = tuple(library for library in LIBRARIES if not library.is_ours)
