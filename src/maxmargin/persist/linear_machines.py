"""`LinearSVC` and `LinearSVR`: weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.estimators import LinearSVC, LinearSVR
from maxmargin.persist.labels import (
    describe_features,
    describe_labels,
    restore_features,
    restore_labels,
)
from maxmargin.persist.parameters import (
    describe_parameters,
    require_fitted,
    restore_parameters,
)
from maxmargin.persist.proofs import describe_proof, restore_proof
from maxmargin.persist.reading import Reader
from maxmargin.persist.registry import Kind
from maxmargin.persist.writing import Writer

__all__ = ["KINDS"]

_SOLVERS = ("coordinate-descent", "interior-point", "newton")


def _describe(model: Any, out: Writer) -> None:
    require_fitted(model)
    describe_parameters(model, out)
    describe_features(model, out)
    # A regressor has its weights in a vector until they are made sparse.
    out.value("is_vector", model.coef_.ndim == 1)
    out.matrix("weights", model.coef_ if model.coef_.ndim == 2 else model.coef_[None, :])
    if np.ndim(model.intercept_):
        out.array("intercepts", model.intercept_, np.float64)
    out.value("n_iterations", int(model.n_iter_))
    out.value("solver", model.solver_)
    out.value("fit_time", float(model.fit_time_))
    describe_proof(model, out)


def _describe_classifier(model: Any, out: Writer) -> None:
    _describe(model, out)
    describe_labels(model.classes_, out)


def _restore(model: Any, held: Reader, n_machines: int) -> Any:
    n_features = restore_features(model, held)
    weights = held.matrix("weights", (n_machines, n_features))
    is_dense = isinstance(weights, np.ndarray)
    is_vector = held.flag("is_vector")
    held.require(not is_vector or (is_dense and n_machines == 1), "is_vector", "is impossible")
    model.coef_ = weights[0] if is_vector else weights
    there = held.holds("intercepts")
    model.intercept_ = held.array("intercepts", "float64", (n_machines,)) if there else 0.0
    held.require(there or not model.fit_intercept, "intercepts", "are missing")
    model.n_iter_ = held.whole("n_iterations")
    model.solver_ = held.text("solver", _SOLVERS)
    model.fit_time_ = held.real("fit_time", least=0.0)
    model._proof = restore_proof(held)
    return model


def _restore_classifier(held: Reader) -> Any:
    model = restore_parameters(LinearSVC, held)
    model.classes_ = restore_labels(held)
    k = len(model.classes_)
    return _restore(model, held, 1 if k == 2 else k)


def _restore_regressor(held: Reader) -> Any:
    return _restore(restore_parameters(LinearSVR, held), held, 1)


KINDS = (
    Kind(LinearSVC, _describe_classifier, _restore_classifier),
    Kind(LinearSVR, _describe, _restore_regressor),
)
