"""`SVC`, `NuSVC`, `SVR`, `NuSVR` and `OneClassSVM`: support vectors and their coefficients."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.estimators import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from maxmargin.estimators.kernel_choice import compares_vectors
from maxmargin.estimators.training import aligned
from maxmargin.persist.kernels import describe_kernel, restore_kernel
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
from maxmargin.persist.points import describe_points, restore_columns, restore_sequences
from maxmargin.persist.proofs import describe_proof, restore_proof
from maxmargin.persist.reading import Reader
from maxmargin.persist.registry import Kind
from maxmargin.persist.writing import Writer

__all__ = ["KINDS"]

_MOST_STEPS = 2**31 - 1


def _describe(model: Any, out: Writer) -> None:
    require_fitted(model)
    describe_parameters(model, out)
    kernel = model.kernel_
    describe_kernel(kernel, out.child("kernel"))
    describe_features(model, out)
    out.value("n_points", int(model.shape_fit_[0]))
    out.value("sparse", bool(model._sparse))
    out.array("support", model.support_, np.int32)
    out.array("coefficients", model._dual_coef_)
    out.array("n_support", model._n_support, np.int32)
    out.array("intercepts", model._intercept_)
    out.array("n_iterations", np.minimum(model.n_iter_, _MOST_STEPS, dtype=np.int64).reshape(-1))
    if not kernel.compares_similarities:
        describe_points(model.support_vectors_, "support_vectors", out)
    out.value("fit_status", int(model.fit_status_))
    out.value("fit_time", float(model.fit_time_))
    describe_proof(model, out)


def _describe_classifier(model: Any, out: Writer) -> None:
    _describe(model, out)
    describe_labels(model.classes_, out)
    out.value("pairwise", bool(model._pairwise))
    out.array("class_weights", model.class_weight_, np.float64)
    if model._sigmoids is not None:
        out.array("sigmoids", model._sigmoids)
    if model._preference is not None:
        out.array("preference", model._preference, np.int64)


def _describe_outlier(model: Any, out: Writer) -> None:
    _describe(model, out)
    out.value("scale", float(model._scale))


def _restore(model: Any, held: Reader, n_rows: int, n_machines: int, n_classes: int) -> None:
    """Set what all machines have; `n_rows` are those of the coefficients."""
    model.kernel_ = restore_kernel(held.child("kernel"), rules=())
    n_points = held.whole("n_points", least=1)
    of_vectors = compares_vectors(model.kernel_)
    n_features = restore_features(model, held) if of_vectors else None
    model.support_ = held.wholes("support", "int32", None, most=n_points - 1)
    n_vectors = len(model.support_)
    model._dual_coef_ = held.array("coefficients", "float64", (n_rows, n_vectors))
    model._n_support = held.wholes("n_support", "int32", n_classes)
    counted = int(model._n_support.sum(dtype=np.int64))
    held.require(counted == n_vectors, "n_support", "does not add up to the support vectors")
    model._intercept_ = held.array("intercepts", "float64", (n_machines,))
    model._sparse = held.flag("sparse")
    if model.kernel_.compares_similarities:
        held.require(n_points == n_features, "n_features", "is not the number of points")
        held.require(not model._sparse, "sparse", "is true for a precomputed kernel")
        model.support_vectors_ = np.empty((0, 0))
    else:
        model.support_vectors_ = _vectors(model, held, n_vectors, n_features)
    model.fit_status_ = held.whole("fit_status", most=1)
    model.fit_time_ = held.real("fit_time", least=0.0)
    model.shape_fit_ = (n_points,) if n_features is None else (n_points, n_features)
    model._proof = restore_proof(held)
    model._publish()


def _vectors(model: Any, held: Reader, n_vectors: int, n_features: int | None) -> Any:
    place = held.child("support_vectors")
    vectors: Any
    if n_features is not None:
        vectors = held.matrix("support_vectors", (n_vectors, n_features))
        is_sparse = place.flag("sparse")
    elif model.kernel_.compares_columns:
        vectors, is_sparse = restore_columns(place, n_vectors), False
    else:
        vectors, is_sparse = restore_sequences(place, n_vectors), False
    held.require(is_sparse == model._sparse, "sparse", "does not agree with the support vectors")
    try:
        if n_vectors:
            model.kernel_.validate(vectors)
    except InvalidInputError as error:
        held.refuse("support_vectors", f"are impossible: {str(error).rstrip('.')}")
    return aligned(vectors) if model._sparse else vectors


def _iterations(held: Reader, count: int) -> Any:
    return held.wholes("n_iterations", "int64", count, most=_MOST_STEPS)


def _restore_classifier(kind: type[SVC] | type[NuSVC], held: Reader) -> Any:
    model = restore_parameters(kind, held)
    model.classes_ = restore_labels(held)
    k = len(model.classes_)
    model._pairwise = held.flag("pairwise")
    held.require(model._pairwise or k > 2, "pairwise", "is false for two classes")
    n_machines = k * (k - 1) // 2 if model._pairwise else k
    _restore(model, held, k - 1 if model._pairwise else k, n_machines, k)
    model.n_iter_ = _iterations(held, n_machines).astype(np.int32)
    model.class_weight_ = held.array("class_weights", "float64", (k,))
    has_sigmoids = held.holds("sigmoids")
    model._sigmoids = held.array("sigmoids", "float64", (2, n_machines)) if has_sigmoids else None
    if held.holds("preference"):
        model._preference = held.wholes("preference", "int64", k, most=k - 1)
        held.require(len(set(model._preference.tolist())) == k, "preference", "has a class twice")
    return model


def _restore_single(kind: type[SVR] | type[NuSVR] | type[OneClassSVM], held: Reader) -> Any:
    model = restore_parameters(kind, held)
    _restore(model, held, 1, 1, 1)
    model.n_iter_ = int(_iterations(held, 1)[0])
    return model


def _restore_outlier(held: Reader) -> Any:
    model = _restore_single(OneClassSVM, held)
    model._scale = held.real("scale", least=0.0)
    return model


KINDS = (
    *(
        Kind(kind, _describe_classifier, partial(_restore_classifier, kind))
        for kind in (SVC, NuSVC)
    ),
    *(Kind(kind, _describe, partial(_restore_single, kind)) for kind in (SVR, NuSVR)),
    Kind(OneClassSVM, _describe_outlier, _restore_outlier),
)
