"""`to_onnx`, and the library's estimators as converters of skl2onnx."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor

from maxmargin.errors import InvalidInputError, MissingDependencyError, ModelFileError
from maxmargin.persist.format.parameters import require_fitted
from maxmargin.persist.onnx.graph import Graph
from maxmargin.persist.onnx.machines import MACHINES, labels_of

__all__ = ["register_converters", "to_onnx"]


def to_onnx(model: Any, *, dtype: Any = np.float64) -> Any:
    """Return a fitted model as an ONNX graph.

    The input is ``X``. Classifiers have the outputs ``label`` and ``scores``, the values of
    `decision_function`; outlier detectors ``label`` (+1 or -1) and ``scores``; regressors
    ``variable``. Scores and predictions of one column have the shape (n, 1).

    Parameters
    ----------
    model : estimator
        An estimator of the library, or a `Pipeline` that ends in one after steps that skl2onnx
        can convert. Kernels that are functions cannot be exported.
    dtype : float64 or float32
        The type of the input and of all computations.

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
            f"This {type(model).__name__} cannot be exported to ONNX: its kernel compares what is "
            "not rows of numbers, or is code."
        )
    register_converters()
    types = _types()
    kind = types.DoubleTensorType if np.dtype(dtype) == np.float64 else types.FloatTensorType
    try:
        return _module("skl2onnx").convert_sklearn(
            model, initial_types=[("X", kind([None, int(n_features)]))]
        )
    except ModelFileError:
        raise
    except Exception as error:
        # The errors of skl2onnx have no common base.
        raise ModelFileError(
            f"skl2onnx cannot convert this {type(model).__name__}: {error}"
        ) from error


@cache
def register_converters() -> None:
    """Make the library's estimators known to skl2onnx, alone and inside its other models.

    `to_onnx` calls this itself. Afterwards ``skl2onnx.to_onnx`` converts them too.
    """
    register = _module("skl2onnx").update_registered_converter
    for kind in MACHINES:
        register(kind, f"MaxMargin{kind.__name__}", _set_shapes, _convert, parser=_parse)


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingDependencyError(
            "ONNX graphs need skl2onnx: install it with pip install 'maxmargin[onnx]'."
        ) from None


def _types() -> Any:
    return _module("skl2onnx.common.data_types")


def _float_type(source: Any) -> Any:
    """Return the type of all computations: the input's, or float32 if that is whole numbers."""
    double = _types().DoubleTensorType
    return double if isinstance(source.type, double) else _types().FloatTensorType


def _parse(scope: Any, model: Any, inputs: Any, custom_parsers: Any = None) -> Any:
    """Declare the outputs."""
    del custom_parsers  # skl2onnx gives it to every parser
    operator = scope.declare_local_operator(f"MaxMargin{type(model).__name__}", model)
    operator.inputs.append(inputs[0])
    for name in ("variable",) if is_regressor(model) else ("label", "scores"):
        kind = _types().Int64TensorType if name == "label" else _float_type(inputs[0])
        operator.outputs.append(scope.declare_local_variable(name, kind()))
    return operator.outputs


def _set_shapes(operator: Any) -> None:
    """Set the types and shapes of the outputs."""
    types, model, source = _types(), operator.raw_operator, operator.inputs[0]
    n_points, width = source.get_first_dimension(), 1
    label_type = types.Int64TensorType
    if is_classifier(model):
        k = len(model.classes_)
        by_pair = vars(model).get("_pairwise") and model.decision_function_shape == "ovo"
        width = 1 if k == 2 else k * (k - 1) // 2 if by_pair else k
        is_text = labels_of(model.classes_).dtype.kind in "UO"
        label_type = types.StringTensorType if is_text else label_type
    operator.outputs[-1].type = _float_type(source)([n_points, width])
    if len(operator.outputs) == 2:
        operator.outputs[0].type = label_type([n_points])


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the nodes of a model."""
    source, model, kind = operator.inputs[0], operator.raw_operator, _float_type(operator.inputs[0])
    graph = Graph(scope, container, np.float64 if kind is _types().DoubleTensorType else np.float32)
    X = source.full_name if isinstance(source.type, kind) else graph.cast(source.full_name)
    MACHINES[type(model)](graph, model, X, *(output.full_name for output in operator.outputs))
