"""The libraries: how each takes the data, fits, predicts, and where it keeps its machines.

`prepare` is not timed: every library gets its best format (see `takes_sparse`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks import library
from benchmarks.engine.machines import Machines

TOLERANCE = 1e-3
CACHE_MEGABYTES = 4000


@dataclass(frozen=True)
class Library(library.Library, ABC):
    """A library, with the type of array that it gets."""

    dtype: type = np.float64
    takes_sparse: bool = True

    def prepare(self, X: Any) -> Any:
        if sparse.issparse(X) and not self.takes_sparse:
            X = X.toarray()
        return X.astype(self.dtype, copy=False)

    def prepare_labels(self, y: Any) -> Any:
        return y

    @abstractmethod
    def fit(self, X: Any, y: Any, C: float, gamma: float) -> Any: ...

    @abstractmethod
    def predict(self, model: Any, X: Any) -> Any: ...

    @abstractmethod
    def machines(self, model: Any) -> Machines: ...


@dataclass(frozen=True)
class ScikitLearnLike(Library):
    """A class SVC with scikit-learn's interface, in the given module."""

    module: str = "sklearn.svm"
    cache_size: float | None = CACHE_MEGABYTES

    def fit(self, X: Any, y: Any, C: float, gamma: float) -> Any:
        options = {} if self.cache_size is None else {"cache_size": self.cache_size}
        model = import_module(self.module).SVC(C=C, gamma=gamma, tol=TOLERANCE, **options)
        return model.fit(X, y)

    def predict(self, model: Any, X: Any) -> Any:
        return model.predict(X)

    def machines(self, model: Any) -> Machines:
        coefficients = model.dual_coef_
        if sparse.issparse(coefficients):
            coefficients = coefficients.toarray()
        return Machines.with_second_class_positive(model.support_, coefficients, model.intercept_)


@dataclass(frozen=True)
class AOCL(Library):
    """AMD's library: dense arrays only, labels as floats 0, 1, ..., k - 1."""

    def prepare_labels(self, y: Any) -> Any:
        return y.astype(self.dtype)

    def fit(self, X: Any, y: Any, C: float, gamma: float) -> Any:
        from aoclda.svm import SVC

        model = SVC(C=C, gamma=gamma, tol=TOLERANCE, cache_size=float(CACHE_MEGABYTES))
        return model.fit(X, y)

    def predict(self, model: Any, X: Any) -> Any:
        return model.predict(X)

    def machines(self, model: Any) -> Machines:
        return Machines.with_second_class_positive(
            model.support_vectors_idx, model.dual_coef, model.bias
        )


@dataclass(frozen=True)
class LIBSVM(Library):
    """The original, through its C functions, so that its Python loops over rows are not timed.

    Data are lists of (index, value) nodes. Classes are numbered in the order of their appearance,
    and the offset is minus rho.
    """

    def prepare(self, X: Any) -> Any:
        from libsvm.svm import svm_problem

        X = sparse.csr_matrix(X, dtype=np.float64)
        return svm_problem(np.zeros(X.shape[0]), X)

    def fit(self, X: Any, y: Any, C: float, gamma: float) -> Any:
        from libsvm.svmutil import svm_train

        np.ctypeslib.as_array(X.y, (X.l,))[:] = y
        return svm_train(X, f"-q -t 2 -c {C} -g {gamma!r} -e {TOLERANCE} -m {CACHE_MEGABYTES}")

    def predict(self, model: Any, X: Any) -> Any:
        from libsvm.svm import libsvm

        return np.array([libsvm.svm_predict(model, X.x[i]) for i in range(X.l)])

    def machines(self, model: Any) -> Machines:
        n_classes, n_support = model.get_nr_class(), model.get_nr_sv()
        labels = np.array(model.get_labels())
        shown = np.array([model.sv_coef[row][:n_support] for row in range(n_classes - 1)])
        support = np.array(model.get_sv_indices()) - 1
        rho = np.array(model.rho[: len(labels) * (len(labels) - 1) // 2])
        own = np.repeat(np.arange(n_classes), model.nSV[:n_classes])
        coefficients, offsets = np.zeros_like(shown), np.zeros_like(rho)
        places = {
            pair: k for k, pair in enumerate(zip(*np.triu_indices(n_classes, 1), strict=True))
        }
        for (p, q), k in places.items():
            i, j = labels[p], labels[q]
            sign = 1.0 if i < j else -1.0
            offsets[places[min(i, j), max(i, j)]] = -sign * rho[k]
            for mine, other in ((p, q), (q, p)):
                members = own == mine
                row_shown = other - 1 if other > mine else other
                a, b = labels[mine], labels[other]
                coefficients[b - 1 if b > a else b, members] = sign * shown[row_shown, members]
        return Machines(support, coefficients, offsets)


LIBRARIES: tuple[Library, ...] = (
    ScikitLearnLike("maxmargin", "maxmargin", "maxmargin", module="maxmargin", cache_size=None),
    ScikitLearnLike(
        "maxmargin32",
        "maxmargin float32",
        "maxmargin",
        dtype=np.float32,
        module="maxmargin",
        cache_size=None,
    ),
    ScikitLearnLike("sklearn", "scikit-learn", "scikit-learn"),
    ScikitLearnLike(
        "intelex32",
        "intelex float32",
        "scikit-learn-intelex",
        dtype=np.float32,
        module="sklearnex.svm",
    ),
    ScikitLearnLike("intelex64", "intelex float64", "scikit-learn-intelex", module="sklearnex.svm"),
    AOCL("aocl32", "AOCL float32", "aoclda", dtype=np.float32, takes_sparse=False),
    AOCL("aocl64", "AOCL float64", "aoclda", takes_sparse=False),
    LIBSVM("libsvm", "LIBSVM", "libsvm-official"),
)

BY_NAME = {library.name: library for library in LIBRARIES}
