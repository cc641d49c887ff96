"""Labels, scores and probabilities of the estimators as nodes of a graph.

They are those of `predict`, `decision_function` and `predict_proba`. Scores have one column per
machine or class, and one column if `decision_function` returns a vector.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import estimators, kernels
from maxmargin.calibration import CalibratedSVC
from maxmargin.errors import ModelFileError
from maxmargin.machines.classes import pairs_of
from maxmargin.machines.decision import pair_coefficients
from maxmargin.persist.onnx.graph import Graph
from maxmargin.persist.onnx.probabilities import (
    against_rest,
    coupled,
    likelihood_ratios,
    of_two,
    sigmoid,
)
from maxmargin.typing import Floats

__all__ = ["MACHINES", "has_probabilities", "labels_of"]


def labels_of(classes: NDArray[Any]) -> NDArray[Any]:
    """Return the labels as strings or as whole numbers, which ONNX has."""
    if classes.dtype.kind in "UO":
        return classes
    if not (classes == np.floor(classes)).all():
        raise ModelFileError(
            "ONNX labels are whole numbers or strings: encode the classes before fit, for example "
            "with LabelEncoder."
        )
    return classes.astype(np.int64)


# Kernels ----------------------------------------------------------------------------------------


def _add_block(graph: Graph, kernel: Any, X: str, vectors: Floats) -> str:
    """Add the matrix of k(x, v) for new points x and support vectors v."""
    # The type itself, because a subclass may compute something else.
    kind = type(kernel)
    if kind in (kernels.Sum, kernels.Product):
        parts = [_add_block(graph, part, X, vectors) for part in kernel.parts]
        operation = "Add" if kind is kernels.Sum else "Mul"
        return reduce(lambda left, right: graph.node(operation, left, right), parts)
    if kind is kernels.Scaled:
        return graph.node("Mul", _add_block(graph, kernel.kernel, X, vectors), kernel.factor)
    if kind in (kernels.RBF, kernels.Laplacian, kernels.Chi2):
        distances = _add_distances(graph, kernel, X, vectors)
        return graph.node("Exp", graph.node("Mul", distances, -float(kernel.gamma)))
    if kind not in (kernels.Linear, kernels.Polynomial, kernels.Sigmoid):
        raise ModelFileError(
            f"The kernel {kernel!r} cannot be exported to ONNX, because its formula is not known "
            "here."
        )
    products = graph.node("MatMul", X, vectors.T)
    if kind is kernels.Linear:
        return products
    scaled = graph.node("Mul", products, float(kernel.gamma))
    shifted = graph.node("Add", scaled, float(kernel.coef0))
    if kind is kernels.Sigmoid:
        return graph.node("Tanh", shifted)
    return graph.node("Pow", shifted, float(kernel.degree))


def _add_distances(graph: Graph, kernel: Any, X: str, vectors: Floats) -> str:
    """Add the sums over all features of (x - v)^2, |x - v|, or (x - v)^2 / (x + v)."""
    if isinstance(kernel, kernels.RBF):
        norms = graph.node("ReduceSum", graph.node("Mul", X, X), [1], keepdims=1)
        both = graph.node("Add", norms, np.square(vectors).sum(axis=1)[None, :])
        squares = graph.node("Add", both, graph.node("MatMul", X, -2.0 * vectors.T))
        # Rounding may make a distance slightly negative.
        return graph.node("Max", squares, 0.0)
    points, others = graph.node("Unsqueeze", X, [1]), vectors[None, :, :]
    difference = graph.node("Sub", points, others)
    if isinstance(kernel, kernels.Laplacian):
        parts = graph.node("Abs", difference)
    else:
        # If both are zero, so is the difference: divide by anything but zero.
        divisor = graph.node("Max", graph.node("Add", points, others), np.finfo(graph.dtype).tiny)
        parts = graph.node("Div", graph.node("Mul", difference, difference), divisor)
    return graph.node("ReduceSum", parts, [2], keepdims=0)


# Values -----------------------------------------------------------------------------------------


def _dense(matrix: Any) -> Floats:
    rows: Floats = matrix.toarray() if sparse.issparse(matrix) else np.atleast_2d(matrix)
    return rows.astype(np.float64, copy=False)


def _kernel_values(graph: Graph, model: Any, X: str, coefficients: Floats) -> str:
    """Add the value of each machine: similarities times coefficients, and the intercepts."""
    if model.kernel_.compares_similarities:
        block = graph.node("Gather", X, model.support_, axis=1)
    else:
        block = _add_block(graph, model.kernel_, X, _dense(model.support_vectors_))
    return graph.node("Add", graph.node("MatMul", block, coefficients.T), model._intercept_[None])


def _add_kernel_value(graph: Graph, model: Any, X: str, out: str) -> None:
    graph.node("Identity", _kernel_values(graph, model, X, model._dual_coef_), out=out)


def _weighted(graph: Graph, weights: Any, intercept: Any, X: str, out: str | None = None) -> str:
    products = graph.node("MatMul", X, _dense(weights).T)
    return graph.node("Add", products, np.atleast_1d(intercept)[None, :], out=out)


def _add_linear_value(graph: Graph, model: Any, X: str, out: str) -> None:
    _weighted(graph, model.coef_, model.intercept_, X, out)


# Classifiers ------------------------------------------------------------------------------------


def has_probabilities(model: Any) -> bool:
    """Return whether a fitted model has probabilities of classes."""
    return isinstance(model, CalibratedSVC) or vars(model).get("_sigmoids") is not None


def _class_values(graph: Graph, model: Any, X: str) -> str:
    """Add the value of each machine; the first class of a pair is positive."""
    if len(model.classes_) == 2 or not model._pairwise:
        return _kernel_values(graph, model, X, model._dual_coef_)
    coefficients = pair_coefficients(model._dual_coef_, model._n_support).toarray()
    return _kernel_values(graph, model, X, coefficients)


def _class_scores(graph: Graph, model: Any, values: str) -> str:
    """Add the decision values, from the value of each machine."""
    k = len(model.classes_)
    if k == 2:
        return graph.node("Neg", values)
    by_class = model._pairwise and model.decision_function_shape == "ovr"
    return _votes_and_confidence(graph, values, k) if by_class else values


def _add_kernel_classifier(
    graph: Graph, model: Any, X: str, label: str, scores: str, probabilities: str = ""
) -> None:
    k, classes = len(model.classes_), labels_of(model.classes_)
    values = _class_values(graph, model, X)
    graph.node("Identity", _class_scores(graph, model, values), out=scores)
    if k == 2:
        _add_by_sign(graph, classes, graph.node("GreaterOrEqual", scores, 0.0), label)
    elif not model._pairwise:
        _add_largest(graph, classes, scores, label)
    elif model.break_ties:
        _add_largest(graph, classes, _votes_and_confidence(graph, values, k), label)
    else:
        order = np.arange(k) if model._preference is None else model._preference
        votes = _votes(graph, graph.node("Greater", values, 0.0), k)
        _add_largest(graph, classes[order], graph.node("Gather", votes, order, axis=1), label)
    if probabilities:
        slopes, shifts = model._sigmoids[:, None, :]
        chances = sigmoid(graph, graph.node("Sub", graph.node("Mul", values, -slopes), shifts))
        found = coupled(graph, chances, k) if model._pairwise else against_rest(graph, chances)
        graph.node("Identity", found, out=probabilities)


def _add_linear_classifier(graph: Graph, model: Any, X: str, label: str, scores: str) -> None:
    classes = labels_of(model.classes_)
    _add_linear_value(graph, model, X, scores)
    if len(classes) > 2:
        _add_largest(graph, classes, scores, label)
    else:
        is_batch = isinstance(model, estimators.LinearSVC)
        second = graph.node("Greater" if is_batch else "GreaterOrEqual", scores, 0.0)
        _add_by_sign(graph, classes, second, label)


def _add_calibrated(
    graph: Graph, model: Any, X: str, label: str, scores: str, probabilities: str
) -> None:
    classes, columns = labels_of(model.classes_), model._columns
    ratios = likelihood_ratios(graph, model.calibrators_, _calibrated_scores(graph, model, X))
    log_odds = graph.node("Add", ratios, columns.log_odds(model.priors_)[None, :])
    if len(classes) == 2:
        graph.node("Identity", of_two(graph, log_odds), out=probabilities)
        graph.node("Identity", ratios if model.method == "logistic" else log_odds, out=scores)
        _add_by_sign(graph, classes, graph.node("Greater", scores, model.threshold()), label)
        return
    chances = sigmoid(graph, log_odds)
    found = (
        coupled(graph, chances, len(classes)) if columns.are_pairs else against_rest(graph, chances)
    )
    graph.node("Identity", found, out=probabilities)
    graph.node("Log", probabilities, out=scores)
    _add_largest(graph, classes, probabilities, label)


def _calibrated_scores(graph: Graph, model: Any, X: str) -> str:
    """Add the scores that are calibrated, one column per decision between two sides."""
    machine = model.estimator_
    adder = MACHINES.get(type(machine))
    if adder is _add_linear_classifier:
        return _weighted(graph, machine.coef_, machine.intercept_, X)
    if adder is not _add_kernel_classifier:
        raise ModelFileError(
            f"A CalibratedSVC of a {type(machine).__name__} cannot be exported to ONNX: calibrate "
            "SVC, NuSVC, LinearSVC or OnlineSVC, alone or in a pipeline or search."
        )
    values = _class_values(graph, machine, X)
    many_pairs = len(model.classes_) > 2 and model._columns.are_pairs
    return values if many_pairs else _class_scores(graph, machine, values)


def _sides(n_classes: int) -> tuple[Floats, Floats]:
    """Return matrices that mark the first and the second class of each pair."""
    first, second = np.array(pairs_of(n_classes)).T
    return np.eye(n_classes)[first], np.eye(n_classes)[second]


def _votes(graph: Graph, for_first: str, n_classes: int) -> str:
    """Add the votes for each class, from whether each pair prefers its first class."""
    first, second = _sides(n_classes)
    gained = graph.node("MatMul", graph.cast(for_first), first - second)
    return graph.node("Add", gained, second.sum(axis=0)[None, :])


def _votes_and_confidence(graph: Graph, values: str, n_classes: int) -> str:
    """Add scikit-learn's values by class: votes, and a fraction that breaks ties."""
    first, second = _sides(n_classes)
    votes = _votes(graph, graph.node("GreaterOrEqual", values, 0.0), n_classes)
    sums = graph.node("MatMul", values, first - second)
    size = graph.node("Add", graph.node("Abs", sums), 1.0)
    return graph.node("Add", votes, graph.node("Div", sums, graph.node("Mul", size, 3.0)))


def _add_by_sign(graph: Graph, labels: Any, second: str, label: str) -> None:
    """Add the second of two labels if a condition holds, or else the first."""
    _add_chosen(graph, labels, graph.cast(second, np.int64), label)


def _add_largest(graph: Graph, labels: Any, scores: str, label: str) -> None:
    _add_chosen(graph, labels, graph.node("ArgMax", scores, axis=1, keepdims=1), label)


def _add_chosen(graph: Graph, labels: Any, which: str, label: str) -> None:
    graph.node("Squeeze", graph.node("Gather", labels, which, axis=0), [1], out=label)


# Outlier detectors ------------------------------------------------------------------------------


def _add_kernel_outlier(graph: Graph, model: Any, X: str, label: str, scores: str) -> None:
    _add_kernel_value(graph, model, X, scores)
    _add_inside(graph, scores, label, model._rounding)


def _add_online_outlier(graph: Graph, model: Any, X: str, label: str, scores: str) -> None:
    _weighted(graph, model.coef_, -model.offset_, X, scores)
    _add_inside(graph, scores, label, 0.0)


def _add_inside(graph: Graph, scores: str, label: str, rounding: float) -> None:
    """Add +1 inside and -1 outside; a score as small as the rounding is inside."""
    _add_by_sign(graph, [-1, 1], graph.node("GreaterOrEqual", scores, -rounding), label)


#: The function that adds the nodes of each class; it is given the names of the outputs.
MACHINES: dict[type, Callable[..., None]] = {
    estimators.SVC: _add_kernel_classifier,
    estimators.NuSVC: _add_kernel_classifier,
    estimators.SVR: _add_kernel_value,
    estimators.NuSVR: _add_kernel_value,
    estimators.OneClassSVM: _add_kernel_outlier,
    estimators.LinearSVC: _add_linear_classifier,
    estimators.LinearSVR: _add_linear_value,
    estimators.OnlineSVC: _add_linear_classifier,
    estimators.OnlineOneClassSVM: _add_online_outlier,
    CalibratedSVC: _add_calibrated,
}
