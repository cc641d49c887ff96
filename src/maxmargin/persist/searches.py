"""`SVMSearchCV`: the table of the search, and the machine that it found."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics._scorer import _MultimetricScorer
from sklearn.model_selection import ParameterGrid

from maxmargin.model_selection import SVMSearchCV
from maxmargin.persist.parameters import (
    describe_parameters,
    require_fitted,
    restore_parameters,
)
from maxmargin.persist.reading import Reader
from maxmargin.persist.registry import Kind, describe_model, restore_model
from maxmargin.persist.settings import restored_setting, setting
from maxmargin.persist.writing import Writer

__all__ = ["KINDS"]

_MOST_SPLITS = 2**31 - 1
_TYPES = {
    *("object", "bool", "float16", "float32", "float64"),
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
}


def _describe(model: Any, out: Writer) -> None:
    require_fitted(model)
    describe_parameters(model, out)
    out.value("n_splits", int(model.n_splits_))
    out.value("multimetric", bool(model.multimetric_))
    _describe_results(model.cv_results_, out.child("results"))
    found = vars(model)
    if "best_index_" in found:
        out.value("best_index", int(model.best_index_))
    if "best_score_" in found:
        out.value("best_score", float(model.best_score_))
    if "best_estimator_" in found:
        out.value("refit_time", float(model.refit_time_))
        describe_model(model.best_estimator_, out.child("best_estimator"))


def _restore(held: Reader) -> Any:
    model = restore_parameters(SVMSearchCV, held)
    model.n_splits_ = held.whole("n_splits", least=1, most=_MOST_SPLITS)
    model.multimetric_ = held.flag("multimetric")
    model.scorer_ = _scorers(model, held.child("parameters"))
    model.cv_results_ = _restore_results(held.child("results"))
    candidates = model.cv_results_["params"]
    if held.has("best_index"):
        model.best_index_ = held.whole("best_index", most=len(candidates) - 1)
        model.best_params_ = candidates[model.best_index_]
    if held.has("best_score"):
        score = held.value("best_score")
        held.require(type(score) is float, "best_score", "is not a number")
        model.best_score_ = np.float64(score)
    if held.has("best_estimator"):
        model.best_estimator_ = restore_model(held.child("best_estimator"))
        model.refit_time_ = held.real("refit_time", least=0.0)
        names = getattr(model.best_estimator_, "feature_names_in_", None)
        if names is not None:
            model.feature_names_in_ = names
    return model


def _scorers(model: Any, held: Reader) -> Any:
    """Return the scorers that the parameters name, which are the grid's if that can be one."""
    try:
        ParameterGrid(model.param_grid)
        scorers, _ = model._get_scorers()
    except (TypeError, ValueError, AttributeError) as error:
        held.refuse("", f"are impossible: {str(error).rstrip('.')}")
    return scorers._scorers if isinstance(scorers, _MultimetricScorer) else scorers


# The table: a column a name, and the candidates' parameters -------------------------------------


def _describe_results(results: dict[str, Any], out: Writer) -> None:
    """Write the columns in their order; those of parameters follow from the candidates."""
    out.json("columns", list(results))
    out.json("candidates", [setting(candidate, "param_grid") for candidate in results["params"]])
    for k, (name, column) in enumerate(results.items()):
        if isinstance(column, np.ma.MaskedArray):
            out.json(f"type{k}", column.dtype.name)
        elif name != "params":
            whole = column.dtype == np.int32
            out.array(f"column{k}", column, None if whole else np.float64, finite=False)


def _restore_results(held: Reader) -> dict[str, Any]:
    raw = held.json("candidates")
    held.require(isinstance(raw, list) and raw, "candidates", "are none")
    candidates = [_candidate(item, held) for item in raw]
    names = held.strings("columns")
    held.require(len(set(names)) == len(names), "columns", "have a name twice")
    held.require("params" in names, "columns", "lack params")
    return {name: _column(name, k, candidates, held) for k, name in enumerate(names)}


def _candidate(raw: Any, held: Reader) -> dict[str, Any]:
    found = restored_setting(raw, held, "candidates")
    fits = isinstance(found, dict) and all(isinstance(name, str) for name in found)
    held.require(fits, "candidates", "are not parameters by name")
    return dict(found)


def _column(name: str, k: int, candidates: list[dict[str, Any]], held: Reader) -> Any:
    if name == "params":
        return candidates
    if held.has(f"type{k}"):
        return _parameter_column(name.removeprefix("param_"), k, candidates, held)
    if held.type_of(f"column{k}") == np.int32:
        return held.wholes(f"column{k}", "int32", len(candidates), least=1)
    return held.array(f"column{k}", "float64", (len(candidates),), finite=False)


def _parameter_column(
    name: str, k: int, candidates: list[dict[str, Any]], held: Reader
) -> NDArray[Any]:
    """Return the values of a parameter, masked where a candidate does not have it."""
    kind = held.text(f"type{k}", _TYPES)
    column = np.ma.MaskedArray(np.empty(len(candidates), dtype=kind), mask=True)
    try:
        for place, candidate in enumerate(candidates):
            if name in candidate:
                column[place] = candidate[name]
    except (TypeError, ValueError, OverflowError) as error:
        held.refuse(f"type{k}", f"does not fit the parameter ({error})")
    return column


KINDS = (Kind(SVMSearchCV, _describe, _restore),)
