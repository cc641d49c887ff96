"""`to_onnx`, and the library's estimators as converters of skl2onnx."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.pipeline import Pipeline

from maxmargin.errors import InvalidInputError, MissingDependencyError, ModelFileError
from maxmargin.model_selection import SVMSearchCV
from maxmargin.persist.chains import chain
from maxmargin.persist.format.parameters import require_fitted
from maxmargin.persist.onnx.graph import Graph
from maxmargin.persist.onnx.machines import MACHINES, has_probabilities, labels_of

__all__ = ["register_converters", "require_skl2onnx", "to_onnx"]


def to_onnx(model: Any, *, dtype: Any = np.float64) -> Any:
    """Return a fitted model as an ONNX graph.

    The input is ``X``. Classifiers have the outputs ``label`` and ``scores``, the values of
    `decision_function`, and ``probabilities`` if they have `predict_proba`; outlier detectors
    ``label`` (+1 or -1) and ``scores``; regressors ``variable``. Scores and predictions of one
    column have the shape (n, 1).

    Parameters
    ----------
    model : estimator
        An estimator of the library, `CalibratedSVC` and the best model of an `SVMSearchCV`
        included, or a `Pipeline` that ends in one after steps that skl2onnx can convert. Kernels
        on sequences or columns, and kernels that are functions, cannot be exported.
    dtype : float64 or float32
        The type of the input and of all computations.

    Returns
    -------
    onnx.ModelProto
        ``maxmargin.save(model, "model.onnx")`` writes it to a file.

    Raises
    ------
    ModelFileError
        If the model is not fitted, or cannot be exported.
    MissingDependencyError
        If skl2onnx is not installed.

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
    model = _chained(model)
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
        # With a name, because the default is random, and the same model has the same graph.
        return _module("skl2onnx").convert_sklearn(
            model, "maxmargin", initial_types=[("X", kind([None, int(n_features)]))]
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
    for kind in (*MACHINES, SVMSearchCV):
        register(kind, f"MaxMargin{kind.__name__}", _set_shapes, _convert, parser=_parse)


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingDependencyError(
            "ONNX graphs need skl2onnx: install it with pip install 'maxmargin[onnx]'."
        ) from None


def require_skl2onnx() -> None:
    """Raise an error if skl2onnx is not installed."""
    _module("skl2onnx")


def _chained(model: Any) -> Any:
    """Return the machine of a model, or a pipeline of all its steps that ends in the machine."""
    steps, last = chain(model)
    if not steps:
        return last
    # Steps of inner pipelines may have the same names.
    return Pipeline([(f"step{k}", step) for k, step in enumerate([*steps, last])])


def _types() -> Any:
    return _module("skl2onnx.common.data_types")


def _float_type(source: Any) -> Any:
    """Return the type of all computations: the input's, or float32 if that is whole numbers."""
    double = _types().DoubleTensorType
    return double if isinstance(source.type, double) else _types().FloatTensorType


def _parse(scope: Any, model: Any, inputs: Any, custom_parsers: Any = None) -> Any:
    """Declare the outputs."""
    model = _chained(model)
    if type(model) not in MACHINES:
        parse = _module("skl2onnx._parse")._parse_sklearn
        return parse(scope, model, inputs, custom_parsers=custom_parsers)
    operator = scope.declare_local_operator(f"MaxMargin{type(model).__name__}", model)
    operator.inputs.append(inputs[0])
    for name in _outputs(model):
        kind = _types().Int64TensorType if name == "label" else _float_type(inputs[0])
        operator.outputs.append(scope.declare_local_variable(name, kind()))
    return operator.outputs


def _outputs(model: Any) -> tuple[str, ...]:
    if is_regressor(model):
        return ("variable",)
    return ("label", "scores", "probabilities") if has_probabilities(model) else ("label", "scores")


def _set_shapes(operator: Any) -> None:
    """Set the types and shapes of the outputs."""
    model, source = operator.raw_operator, operator.inputs[0]
    n_points, number = source.get_first_dimension(), _float_type(source)
    for name, output in zip(_outputs(model), operator.outputs, strict=True):
        if name == "label":
            output.type = _label_type(model)([n_points])
        else:
            output.type = number([n_points, _width(model, name)])


def _label_type(model: Any) -> Any:
    is_text = is_classifier(model) and labels_of(model.classes_).dtype.kind in "UO"
    return _types().StringTensorType if is_text else _types().Int64TensorType


def _width(model: Any, output: str) -> int:
    """Return the number of columns of scores, probabilities or predictions."""
    if not is_classifier(model):
        return 1
    k = len(model.classes_)
    if output == "scores" and k == 2:
        return 1
    by_pair = vars(model).get("_pairwise") and model.decision_function_shape == "ovo"
    return k * (k - 1) // 2 if output == "scores" and by_pair else k


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the nodes of a model."""
    source, model, kind = operator.inputs[0], operator.raw_operator, _float_type(operator.inputs[0])
    graph = Graph(scope, container, np.float64 if kind is _types().DoubleTensorType else np.float32)
    X = source.full_name if isinstance(source.type, kind) else graph.cast(source.full_name)
    MACHINES[type(model)](graph, model, X, *(output.full_name for output in operator.outputs))
