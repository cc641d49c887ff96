"""Models as ONNX graphs, by skl2onnx (extra "onnx"): `to_onnx`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from maxmargin.errors import InvalidInputError, MissingDependencyError, ModelFileError
from maxmargin.estimators import (
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
from maxmargin.persist.onnx_graph import (
    Graph,
    add_kernel_classifier,
    add_kernel_value,
    add_linear_classifier,
    add_linear_value,
    add_outlier_label,
    has_text_labels,
)
from maxmargin.persist.parameters import require_fitted

__all__ = ["register_converters", "to_onnx"]


def to_onnx(model: Any, *, dtype: Any = np.float64) -> Any:
    """Return a fitted model as an ONNX graph.

    The input is ``X``. Classifiers have the outputs ``label`` and ``scores``, the values of
    `decision_function`; outlier detectors ``label`` (+1 or -1) and ``scores``; regressors
    ``variable``. Scores and predictions of one column have the shape (n, 1).

    Parameters
    ----------
    model : estimator
        One of the library, or a `Pipeline` that ends with one and whose other steps skl2onnx knows.
        Kernels that are functions cannot be exported.
    dtype : float64 or float32
        Of the input and of all computations.

    Returns
    -------
    onnx.ModelProto
        Save it with ``Path("model.onnx").write_bytes(graph.SerializeToString())``.

    Examples
    --------
    >>> from maxmargin import LinearSVC
    >>> from maxmargin.persist import to_onnx
    >>> machine = LinearSVC().fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> graph = to_onnx(machine)  # doctest: +SKIP
    >>> [output.name for output in graph.graph.output]  # doctest: +SKIP
    ['label', 'scores']
    """
    if np.dtype(dtype) not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise InvalidInputError(f"dtype must be float64 or float32; got {dtype!r}.")
    require_fitted(model)
    n_features = getattr(model, "n_features_in_", None)
    if n_features is None:
        raise ModelFileError(
            f"This {type(model).__name__} cannot be exported to ONNX: its kernel is code."
        )
    register_converters()
    types = _module("skl2onnx.common.data_types")
    kind = types.DoubleTensorType if np.dtype(dtype) == np.float64 else types.FloatTensorType
    try:
        return _module("skl2onnx").convert_sklearn(
            model, initial_types=[("X", kind([None, int(n_features)]))]
        )
    except ModelFileError:
        raise
    except Exception as error:
        # skl2onnx has many errors, of no common kind.
        raise ModelFileError(
            f"skl2onnx cannot convert this {type(model).__name__}: {error}"
        ) from error


@cache
def register_converters() -> None:
    """Make the library's estimators known to skl2onnx, alone and inside its other models.

    `to_onnx` does so by itself; ``skl2onnx.to_onnx`` converts them afterwards too.
    """
    register = _module("skl2onnx").update_registered_converter
    for kinds, names, shape, convert in _CONVERTERS:
        for kind in kinds:
            alias = f"MaxMargin{kind.__name__}"
            register(kind, alias, shape, convert, parser=_parser(names))


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingDependencyError(
            "ONNX graphs need skl2onnx: install it with pip install 'maxmargin[onnx]'."
        ) from None


def _parser(names: tuple[str, ...]) -> Callable[..., Any]:
    def parse(scope: Any, model: Any, inputs: Any, custom_parsers: Any = None) -> Any:
        del custom_parsers
        types = _module("skl2onnx.common.data_types")
        operator = scope.declare_local_operator(f"MaxMargin{type(model).__name__}", model)
        operator.inputs.append(inputs[0])
        for name in names:
            kind = types.Int64TensorType if name == "label" else type(inputs[0].type)
            operator.outputs.append(scope.declare_local_variable(name, kind()))
        return operator.outputs

    return parse


def _shape_of_value(operator: Any) -> None:
    source = operator.inputs[0]
    operator.outputs[-1].type = type(source.type)([source.get_first_dimension(), 1])


def _shape_of_outlier(operator: Any) -> None:
    types = _module("skl2onnx.common.data_types")
    _shape_of_value(operator)
    operator.outputs[0].type = types.Int64TensorType([operator.inputs[0].get_first_dimension()])


def _shape_of_classes(operator: Any) -> None:
    types = _module("skl2onnx.common.data_types")
    model, source = operator.raw_operator, operator.inputs[0]
    n_points = source.get_first_dimension()
    kind = types.StringTensorType if has_text_labels(model.classes_) else types.Int64TensorType
    operator.outputs[0].type = kind([n_points])
    operator.outputs[1].type = type(source.type)([n_points, _n_scores(model)])


def _n_scores(model: Any) -> int:
    k = len(model.classes_)
    if k == 2:
        return 1
    by_pair = isinstance(model, SVC | NuSVC) and model._pairwise
    return k * (k - 1) // 2 if by_pair and model.decision_function_shape == "ovo" else k


def _graph(scope: Any, operator: Any, container: Any) -> tuple[Graph, Any, str, list[str]]:
    types = _module("skl2onnx.common.data_types")
    source = operator.inputs[0]
    dtype = np.float64 if isinstance(source.type, types.DoubleTensorType) else np.float32
    graph = Graph(scope, container, dtype)
    X = source.full_name
    if not isinstance(source.type, types.DoubleTensorType | types.FloatTensorType):
        X = graph.cast(X, dtype)
    return graph, operator.raw_operator, X, [output.full_name for output in operator.outputs]


def _convert_kernel_classifier(scope: Any, operator: Any, container: Any) -> None:
    graph, model, X, (label, scores) = _graph(scope, operator, container)
    add_kernel_classifier(graph, model, X, label, scores)


def _convert_kernel_regressor(scope: Any, operator: Any, container: Any) -> None:
    graph, model, X, (out,) = _graph(scope, operator, container)
    add_kernel_value(graph, model, X, out)


def _convert_kernel_outlier(scope: Any, operator: Any, container: Any) -> None:
    graph, model, X, (label, scores) = _graph(scope, operator, container)
    add_kernel_value(graph, model, X, scores)
    add_outlier_label(graph, scores, label, model._rounding)


def _convert_linear_classifier(scope: Any, operator: Any, container: Any) -> None:
    graph, model, X, (label, scores) = _graph(scope, operator, container)
    add_linear_classifier(graph, model, X, label, scores, "Greater")


def _convert_online_classifier(scope: Any, operator: Any, container: Any) -> None:
    graph, model, X, (label, scores) = _graph(scope, operator, container)
    add_linear_classifier(graph, model, X, label, scores, "GreaterOrEqual")


def _convert_linear_regressor(scope: Any, operator: Any, container: Any) -> None:
    graph, model, X, (out,) = _graph(scope, operator, container)
    add_linear_value(graph, model.coef_, model.intercept_, X, out)


def _convert_online_outlier(scope: Any, operator: Any, container: Any) -> None:
    graph, model, X, (label, scores) = _graph(scope, operator, container)
    add_linear_value(graph, model.coef_, -model.offset_, X, scores)
    add_outlier_label(graph, scores, label)


_BOTH = ("label", "scores")
_CONVERTERS: tuple[tuple[tuple[type, ...], tuple[str, ...], Any, Any], ...] = (
    ((SVC, NuSVC), _BOTH, _shape_of_classes, _convert_kernel_classifier),
    ((SVR, NuSVR), ("variable",), _shape_of_value, _convert_kernel_regressor),
    ((OneClassSVM,), _BOTH, _shape_of_outlier, _convert_kernel_outlier),
    ((LinearSVC,), _BOTH, _shape_of_classes, _convert_linear_classifier),
    ((LinearSVR,), ("variable",), _shape_of_value, _convert_linear_regressor),
    ((OnlineSVC,), _BOTH, _shape_of_classes, _convert_online_classifier),
    ((OnlineOneClassSVM,), _BOTH, _shape_of_outlier, _convert_online_outlier),
)
