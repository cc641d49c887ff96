"""Fitted models of every kind that a file can hold, and points to predict."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    RobustScaler,
    StandardScaler,
)

from maxmargin import (
    SVC,
    SVR,
    LinearSVC,
    LinearSVR,
    NuSVC,
    NuSVR,
    OneClassSVM,
    OnlineOneClassSVM,
    OnlineSVC,
)
from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.problems import Free, Regularised

X, LABELS = load_iris(return_X_y=True)
RNG = np.random.default_rng(0)
NEW = X[::3] + RNG.normal(scale=0.2, size=X[::3].shape)
TARGETS = X @ [0.3, -0.2, 0.5, 0.1] + RNG.normal(scale=0.1, size=len(X))
NAMES = np.array(["setosa", "versicolor", "virginica"])[LABELS]
TWO = LABELS < 2
CSR = sparse.csr_matrix
ALGEBRA = Linear() + 0.5 * RBF(1.0) * Polynomial(1.0, 1.0, 2)
HALF = StandardScaler(with_mean=False)


def _fit(model: Any, rows: Any, y: Any = None, weight: Any = None) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", FutureWarning)
        return model.fit(rows, y) if weight is None else model.fit(rows, y, sample_weight=weight)


MAKERS: dict[str, Any] = {
    "two classes": lambda: _fit(SVC(kernel="linear", C=np.inf), X[TWO], LABELS[TWO]),
    "three classes": lambda: _fit(SVC(), X, LABELS),
    "strings": lambda: _fit(SVC(class_weight={"setosa": 2.0}), X, NAMES),
    "strings as objects": lambda: _fit(SVC(), X, NAMES.astype(object)),
    "booleans": lambda: _fit(SVC(), X, LABELS == 1),
    "small integers": lambda: _fit(SVC(), X, LABELS.astype(np.int8)),
    "float labels": lambda: _fit(SVC(), X, LABELS + 0.0),
    "against the rest": lambda: _fit(SVC(multi_class="ovr"), X, LABELS),
    "by pairs": lambda: _fit(SVC(decision_function_shape="ovo"), X, LABELS),
    "balanced": lambda: _fit(SVC(class_weight="balanced", bias="regularised"), X, LABELS),
    "float32": lambda: _fit(SVC(), X.astype(np.float32), LABELS),
    "sparse": lambda: _fit(SVC(), CSR(X), LABELS),
    "probabilities": lambda: _fit(SVC(probability=True, random_state=0), X, LABELS),
    "polynomial": lambda: _fit(SVC(kernel="poly", degree=2, coef0=1.0), X, LABELS),
    "a bias of its own": lambda: _fit(SVC(bias=Regularised(eps=0.3)), X, LABELS),
    "a free bias": lambda: _fit(SVR(bias=Free()), X, TARGETS),
    "points without weight": lambda: _fit(SVC(), X, LABELS == 1, np.arange(len(X)) % 3),
    "classes without weight": lambda: _fit(SVC(), X, LABELS, LABELS > 0),
    "tanh": lambda: _fit(SVC(kernel="sigmoid", gamma=0.01), X, LABELS),
    "laplacian": lambda: _fit(SVC(kernel="laplacian"), X, LABELS),
    "chi2": lambda: _fit(SVC(kernel="chi2"), X, LABELS),
    "algebra": lambda: _fit(
        SVC(kernel=Linear() + 0.5 * RBF(1.0) * Polynomial(1.0, 1.0, 2)), X, LABELS
    ),
    "precomputed": lambda: _fit(SVC(kernel="precomputed"), X @ X.T, LABELS),
    "NuSVC": lambda: _fit(NuSVC(nu=0.3), X, LABELS),
    "SVR": lambda: _fit(SVR(), X, TARGETS),
    "NuSVR": lambda: _fit(NuSVR(), X, TARGETS),
    "OneClassSVM": lambda: _fit(OneClassSVM(nu=0.2), X),
    "LinearSVC": lambda: _fit(LinearSVC(), X, LABELS),
    "LinearSVC, two classes": lambda: _fit(LinearSVC(loss="hinge", bias="free"), X, LABELS == 2),
    "LinearSVC, l1": lambda: _fit(LinearSVC(penalty="l1"), X, LABELS),
    "LinearSVC, sparse weights": lambda: _fit(LinearSVC(penalty="l1"), X, LABELS).sparsify(),
    "LinearSVC, no intercept": lambda: _fit(LinearSVC(fit_intercept=False), X, NAMES),
    "Crammer and Singer": lambda: _fit(LinearSVC(multi_class="crammer_singer"), X, LABELS),
    "LinearSVC, points without weight": lambda: _fit(
        LinearSVC(bias=Regularised(3.0)), X, LABELS, np.arange(len(X)) % 3
    ),
    "LinearSVR": lambda: _fit(LinearSVR(epsilon=0.1), X, TARGETS),
    "LinearSVR, sparse weights": lambda: _fit(LinearSVR(), X, TARGETS).sparsify(),
    "OnlineSVC": lambda: _fit(OnlineSVC(random_state=0, max_iter=5), X, LABELS),
    "OnlineSVC, two classes": lambda: _fit(OnlineSVC(C=1.0, random_state=0), X, LABELS == 0),
    "OnlineOneClassSVM": lambda: _fit(OnlineOneClassSVM(nu=0.2, random_state=0), X),
    "scaled": lambda: _fit(make_pipeline(StandardScaler(), SVC()), X, LABELS),
    "PCA": lambda: _fit(make_pipeline(StandardScaler(), PCA(2), NuSVC(nu=0.3)), X, LABELS),
    "other scalers": lambda: _fit(
        Pipeline(
            [
                ("range", MinMaxScaler(feature_range=(-1, 1))),
                ("largest", MaxAbsScaler()),
                ("nothing", "passthrough"),
                ("median", RobustScaler(with_centering=False)),
                ("unit", Normalizer()),
                ("machine", LinearSVR()),
            ]
        ),
        X,
        TARGETS,
    ),
    "half scaled": lambda: _fit(make_pipeline(HALF, SVC()), CSR(X), NAMES),
}


def proved(fitted: Any) -> list[tuple[Any, ...]]:
    """Return all that is proved about a fit, machine by machine."""
    return [
        (proof.classes, proof.measures, proof.convexity, proof.n_free, proof.n_bounded)
        for proof in fitted.certificate_.machines
    ]


@cache
def model(name: str) -> Any:
    """Return one of the models, which nobody may change."""
    return MAKERS[name]()


def points(name: str) -> Any:
    """Return points that the model of this name has not seen."""
    if name == "precomputed":
        return NEW @ X.T
    if name in ("sparse", "half scaled"):
        return CSR(NEW)
    if name == "chi2":
        return np.abs(NEW)
    return NEW.astype(np.float32) if name == "float32" else NEW
