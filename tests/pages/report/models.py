"""Small data of each kind, and fitted models of every kind that a report is about."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.datasets import make_classification, make_regression
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import (
    SVC,
    SVR,
    CalibratedSVC,
    LinearSVC,
    LinearSVR,
    NuSVC,
    NuSVR,
    OneClassSVM,
    OnlineOneClassSVM,
    OnlineSVC,
    SVMSearchCV,
)
from maxmargin.kernels import Linear, Spectrum
from maxmargin.metrics import make_dcf_scorer

N_TRAINING = 140


@dataclass(frozen=True, eq=False)
class Rows:
    X: Any
    y: Any

    @property
    def training(self):
        return self.X[:N_TRAINING], None if self.y is None else self.y[:N_TRAINING]

    @property
    def test(self):
        return self.X[N_TRAINING:], None if self.y is None else self.y[N_TRAINING:]


def two_classes():
    X, y = make_classification(240, 4, n_informative=3, n_redundant=1, flip_y=0.1, random_state=3)
    return Rows(X, np.array(["fake", "real"])[y])


def classes():
    X, y = make_classification(
        240, 5, n_informative=4, n_redundant=1, n_classes=4, n_clusters_per_class=1, random_state=1
    )
    return Rows(X, y)


def targets():
    X, y = make_regression(240, 3, noise=5.0, random_state=0)
    return Rows(X, y / y.std())


def usual():
    rng = np.random.default_rng(5)
    y = np.where(rng.random(240) < 0.9, 1, -1)
    return Rows(rng.normal(size=(240, 3)) * np.where(y == 1, 1.0, 4.0)[:, None] + 3.0, y)


def strings():
    rng = np.random.default_rng(2)
    words = ["".join(rng.choice(list("ab" if k % 2 else "bc"), 9)) for k in range(240)]
    return Rows(np.array(words, dtype=object), np.arange(240) % 2)


def similarities():
    rows = two_classes()
    K = rows.X @ rows.X[:N_TRAINING].T
    return Rows(K, rows.y)


def as_sparse(rows):
    return Rows(sparse.csr_array(rows.X * (np.abs(rows.X) > 0.5)), rows.y)


def as_frame(rows):
    names = ["width", "height", "depth", "weight"]
    return Rows(pd.DataFrame(rows.X, columns=names), rows.y)


def unlabelled(rows):
    return Rows(rows.X, None)


GRID = {"C": [0.1, 1.0, 10.0], "gamma": [0.05, 0.5]}
GRIDS = [
    {"svc__kernel": ["linear"], "svc__C": [0.1, 1.0]},
    {"svc__kernel": ["rbf"], "svc__C": [0.1, 1.0], "svc__gamma": [0.1, 1.0]},
]

MODELS = {
    "SVC": (two_classes, lambda: SVC(C=2.0)),
    "NuSVC": (two_classes, lambda: NuSVC(nu=0.4)),
    "kernel object": (two_classes, lambda: SVC(kernel=2 * Linear())),
    "LinearSVC": (two_classes, LinearSVC),
    "LinearSVC, hinge": (two_classes, lambda: LinearSVC(loss="hinge", bias="free")),
    "LinearSVC, l1": (two_classes, lambda: LinearSVC(penalty="l1")),
    "OnlineSVC": (two_classes, lambda: OnlineSVC(random_state=0)),
    "pipeline": (two_classes, lambda: make_pipeline(StandardScaler(), PCA(2), SVC())),
    "search": (two_classes, lambda: SVMSearchCV(SVC(), GRID, cv=3)),
    "search by cost": (
        two_classes,
        lambda: SVMSearchCV(SVC(), GRID, cv=3, scoring=make_dcf_scorer(prior=0.2)),
    ),
    "search by several": (
        two_classes,
        lambda: SVMSearchCV(SVC(), GRID, cv=3, scoring=["roc_auc", "accuracy"], refit="roc_auc"),
    ),
    "search of a pipeline": (
        two_classes,
        lambda: SVMSearchCV(make_pipeline(StandardScaler(), SVC()), GRIDS, cv=3),
    ),
    "CalibratedSVC": (two_classes, lambda: CalibratedSVC(SVC(), method="logistic", prior=0.2)),
    "CalibratedSVC, Platt": (two_classes, CalibratedSVC),
    "CalibratedSVC, isotonic": (two_classes, lambda: CalibratedSVC(method="isotonic")),
    "CalibratedSVC in a pipeline": (
        two_classes,
        lambda: make_pipeline(StandardScaler(), CalibratedSVC(LinearSVC())),
    ),
    "sparse": (lambda: as_sparse(two_classes()), SVC),
    "frame": (lambda: as_frame(two_classes()), SVC),
    "strings": (strings, lambda: SVC(kernel=Spectrum(2))),
    "precomputed": (similarities, lambda: SVC(kernel="precomputed")),
    "many classes": (classes, lambda: SVC(C=5.0)),
    "many classes, one against the rest": (classes, lambda: SVC(multi_class="ovr")),
    "many classes, linear": (classes, LinearSVC),
    "many classes at once": (classes, lambda: LinearSVC(multi_class="crammer_singer")),
    "many classes, calibrated": (classes, CalibratedSVC),
    "many classes, searched": (classes, lambda: SVMSearchCV(SVC(), {"C": [0.1, 1.0]}, cv=3)),
    "SVR": (targets, lambda: SVR(kernel="linear", C=10.0)),
    "NuSVR": (targets, lambda: NuSVR(C=10.0)),
    "LinearSVR": (targets, lambda: LinearSVR(epsilon=0.1)),
    "LinearSVR, squared": (targets, lambda: LinearSVR(loss="squared_epsilon_insensitive")),
    "SVR, searched": (
        targets,
        lambda: SVMSearchCV(
            SVR(),
            {"C": [1.0, 10.0], "epsilon": [0.05, 0.1]},
            cv=3,
            scoring="neg_mean_absolute_error",
        ),
    ),
    "OneClassSVM": (usual, lambda: OneClassSVM(nu=0.2)),
    "OneClassSVM, no labels": (lambda: unlabelled(usual()), lambda: OneClassSVM(nu=0.2)),
    "OnlineOneClassSVM": (usual, lambda: OnlineOneClassSVM(nu=0.2, random_state=0)),
}


@dataclass(frozen=True, eq=False)
class Fitted:
    name: str
    model: Any
    rows: Rows


_FITTED = {}


def fitted(name):
    """Return a fitted model and its rows, made once."""
    if name not in _FITTED:
        rows, model = (make() for make in MODELS[name])
        X, y = rows.training
        _FITTED[name] = Fitted(name, model.fit(X, y), rows)
    return _FITTED[name]
