"""A model as the Python lines that make it again."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from textwrap import fill
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics._scorer import _BaseScorer

import maxmargin
from maxmargin import kernels
from maxmargin.kernels import Kernel
from maxmargin.metrics import make_dcf_scorer

__all__ = ["Source", "changed"]

_WIDTH = 88
_LONGEST_ARRAY = 60
_OMITTED = "..."


class Source:
    """Expressions, and the imports that they need.

    Examples
    --------
    >>> from maxmargin import SVC, SVMSearchCV
    >>> from maxmargin.report.source import Source
    >>> source = Source()
    >>> source.expression(SVMSearchCV(SVC(kernel="linear"), {"C": [1.0, 10.0]}))
    "SVMSearchCV(estimator=SVC(kernel='linear'), param_grid={'C': [1.0, 10.0]})"
    >>> source.imports()
    ['from maxmargin import SVC, SVMSearchCV']
    """

    def __init__(self) -> None:
        self._names: dict[str, set[str]] = {}
        #: Whether something was left out for want of a short expression.
        self.has_omissions = False

    def imports(self) -> list[str]:
        """Return the lines that come first."""
        return [
            f"from {module} import {', '.join(sorted(names))}"
            for module, names in sorted(self._names.items())
        ]

    def use(self, module: str, name: str) -> None:
        """Ask for an import."""
        self._names.setdefault(module, set()).add(name)

    def expression(self, value: Any, indent: int = 0) -> str:
        """Return an expression of a value, over several lines if it is long."""
        if isinstance(value, BaseEstimator):
            given = changed(value).items()
            items = [f"{name}={self.expression(v, indent + 4)}" for name, v in given]
            return _laid_out(f"{self._class(type(value))}(", items, ")", indent)
        if isinstance(value, dict):
            pairs = value.items()
            items = [f"{k!r}: {self.expression(v, indent + 4)}" for k, v in pairs]
            return _laid_out("{", items, "}", indent)
        if isinstance(value, np.ndarray):
            return self._array(value, indent)
        if isinstance(value, list | tuple):
            items = [self.expression(v, indent + 4) for v in value]
            if isinstance(value, list):
                return _laid_out("[", items, "]", indent, filled=True)
            return _laid_out("(", items, ",)" if len(items) == 1 else ")", indent, filled=True)
        return self._atom(value)

    def _array(self, value: np.ndarray[Any, Any], indent: int) -> str:
        if value.size > _LONGEST_ARRAY:
            return self._omission()
        return self.expression(value.tolist(), indent)

    def _atom(self, value: Any) -> str:
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, float) and not np.isfinite(value):
            return f"float({str(value)!r})"
        if value is None or isinstance(value, bool | int | float | str):
            return repr(value)
        if isinstance(value, Kernel):
            return self._kernel(value)
        if isinstance(value, _BaseScorer):
            return self._scorer(value)
        if inspect.isfunction(value):
            if not value.__qualname__.isidentifier():
                return self._omission()
            self.use(value.__module__, value.__qualname__)
            return value.__qualname__
        text = repr(value)
        if re.match(rf"{type(value).__name__}\(", text) and len(text) <= 10 * _WIDTH:
            self._class(type(value))
            return re.sub(r"\s+", " ", text)
        return self._omission()

    def _kernel(self, value: Kernel) -> str:
        text = repr(value)
        if "<" in text:
            return self._omission()
        for name in set(re.findall(r"\b[A-Z]\w*(?=\()", text)) & set(kernels.__all__):
            self.use("maxmargin.kernels", name)
        return text

    def _scorer(self, value: Any) -> str:
        """Return a scorer of decision costs; others are known by their names."""
        kind, settings = value._score_func.__name__, value._kwargs
        defaults = inspect.signature(make_dcf_scorer).parameters
        if kind not in ("min_dcf", "act_dcf", "dcf") or not settings.keys() <= defaults.keys():
            return self._omission()
        self.use("maxmargin.metrics", "make_dcf_scorer")
        changed_ones = [
            f"{name}={self.expression(given)}"
            for name, given in settings.items()
            if not _same(given, defaults[name].default)
        ]
        return f"make_dcf_scorer({', '.join([repr(kind), *changed_ones])})"

    def _class(self, kind: type) -> str:
        name = kind.__name__
        module = "maxmargin" if name in maxmargin.__all__ else _public(kind.__module__)
        self.use(module, name)
        return name

    def _omission(self) -> str:
        self.has_omissions = True
        return _OMITTED


def changed(estimator: BaseEstimator) -> dict[str, Any]:
    """Return the parameters that differ from their defaults."""
    signature = inspect.signature(type(estimator).__init__).parameters
    return {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if name not in signature or not _same(value, signature[name].default)
    }


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(np.all(value == default)))


def _public(module: str) -> str:
    """Return a module's path up to its first private part.

    Its classes are exported there, as in scikit-learn.
    """
    parts = module.split(".")
    private = [k for k, part in enumerate(parts) if part.startswith("_") and part != "__main__"]
    return ".".join(parts[: private[0]] if private and private[0] else parts)


def _laid_out(
    head: str, items: Sequence[str], tail: str, indent: int, *, filled: bool = False
) -> str:
    """Return items in brackets, one a line if they do not fit in one; filled, many a line."""
    line = f"{head}{', '.join(items)}{tail}"
    if indent + len(line) <= _WIDTH and "\n" not in line:
        return line
    inner = " " * (indent + 4)
    if filled and not any(" " in item for item in items):
        text = ", ".join(items) + ","
        body = fill(text, _WIDTH, initial_indent=inner, subsequent_indent=inner) + "\n"
    else:
        body = "".join(f"{inner}{item},\n" for item in items)
    return f"{head}\n{body}{' ' * indent}{tail.lstrip(',')}"
