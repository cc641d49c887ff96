"""A model as the Python lines that make it again."""

from __future__ import annotations

import importlib
import inspect
import re
from collections import defaultdict
from collections.abc import Sequence
from textwrap import fill
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.metrics._scorer import _BaseScorer

from maxmargin import kernels
from maxmargin.kernels import Kernel
from maxmargin.metrics import make_dcf_scorer
from maxmargin.metrics.scorers import settings_of
from maxmargin.pages.subject import SolvedModel

__all__ = ["Source", "changed"]

# Characters of a line, and entries of an array that is written out.
_WIDTH = 88
_LONGEST_ARRAY = 60


class Source:
    """Expressions, and the imports that they need.

    `has_omissions` says whether something was left out because it has no short expression.
    """

    def __init__(self) -> None:
        self._names: dict[str, set[str]] = defaultdict(set)
        self.has_omissions = False

    def imports(self) -> list[str]:
        """Return the lines that come first."""
        return [
            f"from {module} import {', '.join(sorted(names))}"
            for module, names in sorted(self._names.items())
        ]

    def use(self, module: str, name: str) -> str:
        """Ask for an import, and return the name."""
        self._names[module].add(name)
        return name

    def expression(self, value: Any, indent: int = 0) -> str:
        """Return an expression of a value, over several lines if it is long."""
        if isinstance(value, BaseEstimator):
            head = f"{self.use(_home(type(value)), type(value).__name__)}("
            return _laid_out(head, self._arguments(value, indent), ")", indent)
        if isinstance(value, dict):
            items = [f"{k!r}: {self.expression(v, indent + 4)}" for k, v in value.items()]
            return _laid_out("{", items, "}", indent)
        if isinstance(value, np.ndarray) and value.size <= _LONGEST_ARRAY:
            value = value.tolist()
        if isinstance(value, list | tuple):
            items = [self.expression(v, indent + 4) for v in value]
            head, tail = "[]" if isinstance(value, list) else "()"
            tail = ",)" if isinstance(value, tuple) and len(items) == 1 else tail
            return _laid_out(head, items, tail, indent, filled=True)
        return self._atom(value)

    def problem(self, model: SolvedModel, X: str, y: str) -> str:
        """Return an expression of a solved problem over data of these names."""
        items = [X] if model.targets is None else [X, y]
        items += self._arguments(model, 0)
        if np.any(model.problem.sample_weight != 1.0):
            items.append("sample_weight=sample_weight")
        kind = type(model.problem)
        return _laid_out(f"{self.use(_home(kind), kind.__name__)}(", items, ")", 0)

    def _arguments(self, thing: Any, indent: int) -> list[str]:
        given = changed(thing).items()
        return [f"{name}={self.expression(value, indent + 4)}" for name, value in given]

    def _atom(self, value: Any) -> str:
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, float) and not np.isfinite(value):
            return f"float({str(value)!r})"
        if value is None or isinstance(value, bool | int | float | str):
            return repr(value)
        scorer = settings_of(value)
        if scorer is not None:
            return self._scorer(*scorer)
        if isinstance(value, _BaseScorer):
            return self._scorer_of_scikit_learn(value)
        if inspect.isfunction(value) and value.__qualname__.isidentifier():
            return self.use(_home(value), value.__qualname__)
        text, kind = re.sub(r"\s+", " ", repr(value)), type(value)
        if isinstance(value, Kernel) and "<" not in text:
            for name in set(re.findall(r"\b[A-Z]\w*(?=\()", text)) & set(kernels.__all__):
                self.use("maxmargin.kernels", name)
            return text
        if text.startswith(f"{kind.__name__}(") and len(text) <= 10 * _WIDTH:
            self.use(_home(kind), kind.__name__)
            return text
        self.has_omissions = True
        return "..."

    def _scorer(self, kind: str, settings: dict[str, Any]) -> str:
        """Return a scorer of decision costs; the others are known by their names."""
        if not settings:
            return f"{self.use('maxmargin.metrics', 'get_scorer')}('neg_{kind}')"
        defaults = inspect.signature(make_dcf_scorer).parameters
        others = [
            f"{name}={self.expression(given)}"
            for name, given in settings.items()
            if not _same(given, defaults[name].default)
        ]
        maker = self.use("maxmargin.metrics", "make_dcf_scorer")
        return f"{maker}({', '.join([repr(kind), *others])})"

    def _scorer_of_scikit_learn(self, scorer: Any) -> str:
        """Return the name of a scorer, if it has one, and otherwise a call that makes it."""
        for name in get_scorer_names():
            if _settings_of_scorer(get_scorer(name)) == _settings_of_scorer(scorer):
                return repr(name)
        metric = self.expression(scorer._score_func)
        settings = dict(scorer._kwargs)
        if scorer._response_method != "predict":
            settings["response_method"] = scorer._response_method
        if scorer._sign < 0:
            settings["greater_is_better"] = False
        others = [f"{name}={self.expression(given)}" for name, given in settings.items()]
        maker = self.use("sklearn.metrics", "make_scorer")
        return f"{maker}({', '.join([metric, *others])})"


def _settings_of_scorer(scorer: Any) -> tuple[Any, ...]:
    return scorer._score_func, scorer._sign, scorer._kwargs, scorer._response_method


def changed(thing: Any) -> dict[str, Any]:
    """Return the parameters of an estimator or a problem that differ from their defaults."""
    maker = type(thing.problem if isinstance(thing, SolvedModel) else thing).__init__
    signature = inspect.signature(maker).parameters
    return {
        name: value
        for name, value in thing.get_params(deep=False).items()
        if name not in signature or not _same(value, signature[name].default)
    }


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(np.all(value == default)))


def _home(kind: Any) -> str:
    """Return the outermost module that exports a class or a function."""
    parts = kind.__module__.split(".")
    for depth in range(1, len(parts)):
        module = ".".join(parts[:depth])
        if getattr(importlib.import_module(module), kind.__name__, None) is kind:
            return module
    return str(kind.__module__)


def _laid_out(
    head: str, items: Sequence[str], tail: str, indent: int, *, filled: bool = False
) -> str:
    """Return items in brackets, one per line if they do not fit in one; filled, many per line."""
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
