"""The nodes of an ONNX graph that computes what an estimator predicts.

Labels and scores are those of `predict` and `decision_function`; scores have one column a machine
or class, and one where those are a vector.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import ModelFileError
from maxmargin.estimators.decision import pair_coefficients, pairs_of
from maxmargin.kernels import (
    RBF,
    Chi2,
    Kernel,
    Laplacian,
    Linear,
    Polynomial,
    Product,
    Scaled,
    Sigmoid,
    Sum,
)
from maxmargin.typing import Floats

__all__ = [
    "Graph",
    "add_kernel_classifier",
    "add_kernel_value",
    "add_linear_classifier",
    "add_linear_value",
    "add_outlier_label",
    "has_text_labels",
]

# Of ONNX's TensorProto.DataType.
_ELEMENTS = {"float32": 1, "int64": 7, "str": 8, "float64": 11}

_KERNELS = (Linear, Polynomial, RBF, Sigmoid, Laplacian, Chi2, Sum, Product, Scaled)

#: Where a value of two classes must be for the second one: zero included, or not.
Side = Literal["GreaterOrEqual", "Greater"]


@dataclass(frozen=True)
class Graph:
    """Nodes and constants that go into skl2onnx's container."""

    scope: Any
    container: Any
    dtype: Any

    def constant(self, values: Any, dtype: Any = None) -> str:
        """Add an array; floats take the type of the data."""
        array = np.asarray(values, self.dtype if dtype is None else dtype)
        name: str = self.scope.get_unique_variable_name("constant")
        kind = _ELEMENTS[array.dtype.name]
        self.container.add_initializer(name, kind, array.shape, array.ravel().tolist())
        return name

    def texts(self, values: Any) -> str:
        """Add an array of strings."""
        name: str = self.scope.get_unique_variable_name("labels")
        encoded = [str(value).encode("utf-8") for value in values]
        self.container.add_initializer(name, _ELEMENTS["str"], [len(encoded)], encoded)
        return name

    def node(self, kind: str, *inputs: str, to: str | None = None, **attributes: Any) -> str:
        """Add an operation; return the name of its result."""
        name: str = self.scope.get_unique_variable_name(kind.lower()) if to is None else to
        own = self.scope.get_unique_operator_name(kind)
        self.container.add_node(kind, list(inputs), [name], name=own, **attributes)
        return name

    def sum_over(self, values: str, axis: int, *, keep: bool) -> str:
        """Add a sum along an axis."""
        axes = self.constant([axis], np.int64)
        return self.node("ReduceSum", values, axes, keepdims=int(keep))

    def cast(self, values: str, dtype: Any) -> str:
        """Add a change of type."""
        name: str = self.scope.get_unique_variable_name("cast")
        own = self.scope.get_unique_operator_name("Cast")
        kind = _ELEMENTS[np.dtype(dtype).name]
        self.container.add_node("Cast", [values], [name], name=own, to=kind)
        return name


# Kernels ----------------------------------------------------------------------------------------


def _block(graph: Graph, kernel: Kernel, X: str, vectors: Floats) -> str:
    """Add the matrix of k(x, v)."""
    # A subclass may compute something else.
    if type(kernel) not in _KERNELS:
        raise ModelFileError(
            f"The kernel {kernel!r} cannot be exported to ONNX, for its formula is not known here."
        )
    if isinstance(kernel, Sum | Product):
        parts = [_block(graph, part, X, vectors) for part in kernel.parts]
        operation = "Add" if isinstance(kernel, Sum) else "Mul"
        return reduce(lambda left, right: graph.node(operation, left, right), parts)
    if isinstance(kernel, Scaled):
        inner = _block(graph, kernel.kernel, X, vectors)
        return graph.node("Mul", inner, graph.constant(kernel.factor))
    if isinstance(kernel, Laplacian | Chi2):
        return _exponential(graph, kernel.gamma, _distances(graph, kernel, X, vectors))
    products = graph.node("MatMul", X, graph.constant(vectors.T))
    if isinstance(kernel, Linear):
        return products
    if isinstance(kernel, RBF):
        return _exponential(graph, kernel.gamma, _squared_distances(graph, X, vectors, products))
    assert isinstance(kernel, Polynomial | Sigmoid)
    scaled = graph.node("Mul", products, graph.constant(kernel.gamma))
    shifted = graph.node("Add", scaled, graph.constant(kernel.coef0))
    if isinstance(kernel, Sigmoid):
        return graph.node("Tanh", shifted)
    return graph.node("Pow", shifted, graph.constant(kernel.degree))


def _exponential(graph: Graph, gamma: Any, distances: str) -> str:
    return graph.node("Exp", graph.node("Mul", distances, graph.constant(-float(gamma))))


def _squared_distances(graph: Graph, X: str, vectors: Floats, products: str) -> str:
    norms = graph.sum_over(graph.node("Mul", X, X), 1, keep=True)
    both = graph.node("Add", norms, graph.constant(np.square(vectors).sum(axis=1)[None, :]))
    twice = graph.node("Mul", products, graph.constant(-2.0))
    # Rounding may leave less than nothing.
    return graph.node("Max", graph.node("Add", both, twice), graph.constant(0.0))


def _distances(graph: Graph, kernel: Kernel, X: str, vectors: Floats) -> str:
    """Add the sums over all features of |x - v|, or of (x - v)^2 / (x + v)."""
    points = graph.node("Unsqueeze", X, graph.constant([1], np.int64))
    others = graph.constant(vectors[None, :, :])
    difference = graph.node("Sub", points, others)
    if isinstance(kernel, Laplacian):
        parts = graph.node("Abs", difference)
    else:
        total = graph.node("Add", points, others)
        # Where both are zero so is the difference.
        divisor = graph.node("Max", total, graph.constant(np.finfo(graph.dtype).tiny))
        parts = graph.node("Div", graph.node("Mul", difference, difference), divisor)
    return graph.sum_over(parts, 2, keep=False)


def _kernel_values(graph: Graph, model: Any, X: str, coefficients: Floats) -> str:
    """Add the value of each machine: similarities times coefficients, and the intercepts."""
    if model.kernel_.compares_similarities:
        columns = graph.constant(model.support_, np.int64)
        block = graph.node("Gather", X, columns, axis=1)
    else:
        block = _block(graph, model.kernel_, X, _dense(model.support_vectors_))
    sums = graph.node("MatMul", block, graph.constant(coefficients.T))
    return graph.node("Add", sums, graph.constant(model._intercept_[None, :]))


def _dense(matrix: Any) -> Floats:
    rows: Floats = matrix.toarray() if sparse.issparse(matrix) else np.atleast_2d(matrix)
    return rows.astype(np.float64, copy=False)


# Estimators -------------------------------------------------------------------------------------


def add_kernel_value(graph: Graph, model: Any, X: str, out: str) -> None:
    """Add the value of a machine without classes."""
    graph.node("Identity", _kernel_values(graph, model, X, model._dual_coef_), to=out)


def add_kernel_classifier(graph: Graph, model: Any, X: str, label: str, scores: str) -> None:
    """Add the label and the decision values of machines by class."""
    k = len(model.classes_)
    if k == 2:
        values = _kernel_values(graph, model, X, model._dual_coef_)
        graph.node("Neg", values, to=scores)
        _add_binary_label(graph, model.classes_, scores, "GreaterOrEqual", label)
        return
    if not model._pairwise:
        values = _kernel_values(graph, model, X, model._dual_coef_)
        graph.node("Identity", values, to=scores)
        _add_largest(graph, model.classes_, scores, label)
        return
    coefficients = pair_coefficients(model._dual_coef_, model._n_support).toarray()
    values = _kernel_values(graph, model, X, coefficients)
    by_class = _votes_and_confidence(graph, values, k)
    graph.node(
        "Identity", values if model.decision_function_shape == "ovo" else by_class, to=scores
    )
    if model.break_ties:
        _add_largest(graph, model.classes_, by_class, label)
        return
    order = np.arange(k) if model._preference is None else model._preference
    votes = _votes(graph, graph.node("Greater", values, graph.constant(0.0)), k)
    ordered = graph.node("Gather", votes, graph.constant(order, np.int64), axis=1)
    _add_largest(graph, model.classes_[order], ordered, label)


def add_linear_value(graph: Graph, weights: Any, intercept: Any, X: str, out: str) -> None:
    """Add w'x + b of each machine."""
    products = graph.node("MatMul", X, graph.constant(_dense(weights).T))
    graph.node("Add", products, graph.constant(np.atleast_1d(intercept)[None, :]), to=out)


def add_linear_classifier(
    graph: Graph, model: Any, X: str, label: str, scores: str, side: Side
) -> None:
    """Add the label and the decision values of weights by class."""
    add_linear_value(graph, model.coef_, model.intercept_, X, scores)
    if len(model.classes_) == 2:
        _add_binary_label(graph, model.classes_, scores, side, label)
    else:
        _add_largest(graph, model.classes_, scores, label)


def add_outlier_label(graph: Graph, scores: str, label: str, rounding: float = 0.0) -> None:
    """Add +1 inside and -1 outside; what is as small as the rounding is inside."""
    inside = graph.node("GreaterOrEqual", scores, graph.constant(-rounding))
    labels = graph.constant([-1, 1], np.int64)
    _add_chosen(graph, labels, graph.cast(inside, np.int64), label)


def _votes(graph: Graph, first: str, n_classes: int) -> str:
    """Add the votes for each class of pairs that prefer their first, or else their second class."""
    pairs = np.array(pairs_of(n_classes))
    one, other = np.eye(n_classes)[pairs[:, 0]], np.eye(n_classes)[pairs[:, 1]]
    gained = graph.node("MatMul", graph.cast(first, graph.dtype), graph.constant(one - other))
    return graph.node("Add", gained, graph.constant(other.sum(axis=0)[None, :]))


def _votes_and_confidence(graph: Graph, values: str, n_classes: int) -> str:
    """Add scikit-learn's values by class: votes, and a fraction that breaks ties."""
    pairs = np.array(pairs_of(n_classes))
    signs = np.eye(n_classes)[pairs[:, 0]] - np.eye(n_classes)[pairs[:, 1]]
    votes = _votes(graph, graph.node("GreaterOrEqual", values, graph.constant(0.0)), n_classes)
    sums = graph.node("MatMul", values, graph.constant(signs))
    size = graph.node("Add", graph.node("Abs", sums), graph.constant(1.0))
    fraction = graph.node("Div", sums, graph.node("Mul", size, graph.constant(3.0)))
    return graph.node("Add", votes, fraction)


def _add_binary_label(graph: Graph, classes: Any, scores: str, side: Side, label: str) -> None:
    second = graph.node(side, scores, graph.constant(0.0))
    _add_chosen(graph, _labels(graph, classes), graph.cast(second, np.int64), label)


def _add_largest(graph: Graph, classes: Any, scores: str, label: str) -> None:
    largest = graph.node("ArgMax", scores, axis=1, keepdims=1)
    _add_chosen(graph, _labels(graph, classes), largest, label)


def _add_chosen(graph: Graph, labels: str, which: str, label: str) -> None:
    column = graph.node("Gather", labels, which, axis=0)
    graph.node("Squeeze", column, graph.constant([1], np.int64), to=label)


def _labels(graph: Graph, classes: NDArray[Any]) -> str:
    return graph.texts(classes) if has_text_labels(classes) else graph.constant(classes, np.int64)


def has_text_labels(classes: NDArray[Any]) -> bool:
    """Say whether the labels are strings; if not, they are whole numbers."""
    if classes.dtype.kind in "UO":
        return True
    if not (classes == np.floor(classes)).all():
        raise ModelFileError(
            "ONNX labels are whole numbers or strings: encode the classes before fit, for example "
            "with LabelEncoder."
        )
    return False
