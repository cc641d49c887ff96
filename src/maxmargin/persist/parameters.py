"""An estimator's parameters, checked by the estimator itself when they are read."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import ModelFileError
from maxmargin.kernels import Kernel
from maxmargin.persist.kernels import describe_kernel, restore_kernel
from maxmargin.persist.reading import Reader
from maxmargin.persist.values import decoded
from maxmargin.persist.writing import Writer

__all__ = ["describe_parameters", "require_fitted", "restore_parameters"]


def require_fitted(model: Any) -> None:
    """Refuse a model that was not fitted."""
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise ModelFileError(
            f"This {type(model).__name__} is not fitted: call fit before it is saved."
        ) from None


def describe_parameters(model: Any, out: Writer) -> None:
    """Write what the constructor was given."""
    held = out.child("parameters")
    for name, value in model.get_params(deep=False).items():
        if isinstance(value, Kernel):
            describe_kernel(value, held.child(name))
        elif callable(value):
            raise ModelFileError(
                f"The parameter {name} is code, which a model file cannot hold: fit with a kernel "
                "of maxmargin.kernels or with kernel='precomputed', or use joblib."
            )
        else:
            held.value(name, value)


def restore_parameters(kind: type[BaseEstimator], held: Reader) -> Any:
    """Return an estimator that is not fitted. Parameters that are not there have their default."""
    given = held.child("parameters")
    known = set(kind().get_params(deep=False))
    found: dict[str, Any] = {}
    for name in given.names():
        given.require(name in known, name, f"is no parameter of {kind.__name__}")
        raw = given.json(name)
        is_kernel = isinstance(raw, dict) and "kernel" in raw
        found[name] = (
            restore_kernel(given.child(name)) if is_kernel else decoded(raw, given.prefix + name)
        )
    model = kind(**found)
    try:
        model._validate_params()
    except (TypeError, ValueError) as error:
        given.refuse("", f"are impossible: {str(error).rstrip('.')}")
    return model
