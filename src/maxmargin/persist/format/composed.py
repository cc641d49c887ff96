"""The schemas of models that hold another one: `CalibratedSVC` and `SVMSearchCV`.

A search is saved as its table of results and its best model, without its splitter. Values of the
grid that a file cannot hold stand in the table as text.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics._scorer import _MultimetricScorer
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline

from maxmargin.calibration import CalibratedSVC, IsotonicCalibrator, LogisticCalibrator
from maxmargin.calibration.columns import Columns
from maxmargin.model_selection import SVMSearchCV
from maxmargin.persist.format.data import CLASSES
from maxmargin.persist.format.parameters import estimator_schema, is_storable
from maxmargin.persist.format.schema import (
    MODEL,
    UNSET,
    Entry,
    array,
    field,
    flag,
    number,
    real,
    record,
    rule,
    strings,
    text,
    whole,
)
from maxmargin.persist.format.tree import NUMBERS, Node, decode, encode

__all__ = ["SCHEMAS"]

_SUMS_TO_ONE = 1e-6
_ABOVE_ZERO, _BELOW_ONE = float(np.nextafter(0.0, 1.0)), float(np.nextafter(1.0, 0.0))

# Calibrated classifiers -------------------------------------------------------------------------


def _settle_columns(model: Any, node: Node) -> None:
    """Set what each column of scores is about; the classifier must have the same classes."""
    estimator, place = model.estimator_, node["estimator"]
    scores = is_classifier(estimator) and hasattr(estimator, "decision_function")
    place.require(scores, "is no classifier with decision values")
    fits = np.array_equal(getattr(estimator, "classes_", ()), model.classes_)
    place.require(fits, "has other classes")
    model._columns = columns = Columns.of(estimator, node.sizes["classes"])
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    fits = columns.n_classes == 2 or not columns.are_pairs or last._pairwise
    place.require(fits, "does not compare pairs of classes")
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(estimator, name):
            setattr(model, name, getattr(estimator, name))


def _check_priors(model: Any, node: Node) -> None:
    proper = (model.priors_ > 0).all() and abs(model.priors_.sum() - 1) <= _SUMS_TO_ONE
    node["priors"].require(proper, "are not positive or do not sum to 1")


def _write_curve(calibrator: Any) -> dict[str, Any]:
    curve = calibrator.regression
    return {"scores": np.float64(curve.X_thresholds_), "chances": np.float64(curve.y_thresholds_)}


def _read_curve(found: Any, node: Node) -> None:
    scores, chances = (node.read(name, array("float64", "steps")) for name in ("scores", "chances"))
    node["scores"].require(len(scores), "are none")
    node["scores"].require((scores[1:] > scores[:-1]).all(), "do not ascend")
    rises = (chances[1:] >= chances[:-1]).all() and chances[0] >= 0 and chances[-1] <= 1
    node["chances"].require(rises, "are no probabilities that rise")
    # The isotonic fit to values that never fall is these values, to the last bit.
    curve = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    found.regression = curve.fit(scores, chances)


_PRIOR = field("prior", real(_ABOVE_ZERO, _BELOW_ONE))
_LINE = record(LogisticCalibrator, _PRIOR, field("slope", real()), field("shift", real()))
_SMALLEST = field("smallest", real(_ABOVE_ZERO, 0.5))
_CURVE = record(IsotonicCalibrator, _PRIOR, _SMALLEST, Entry(_write_curve, _read_curve))


def _write_calibrators(model: Any) -> dict[str, Any]:
    return {
        f"calibrator{k}": (_LINE if isinstance(one, LogisticCalibrator) else _CURVE).encode(one)
        for k, one in enumerate(model.calibrators_)
    }


def _read_calibrators(model: Any, node: Node) -> None:
    places = [node[f"calibrator{k}"] for k in range(len(model._columns.sides))]
    model.calibrators_ = [
        (_CURVE if "scores" in place else _LINE).decode(place) for place in places
    ]


def _write_scores(model: Any) -> dict[str, Any]:
    return {"oof_scores": model.oof_scores_} if "oof_scores_" in vars(model) else {}


def _read_scores(model: Any, node: Node) -> None:
    if "oof_scores" in node:
        n_columns = len(model.calibrators_)
        shape = (None,) if n_columns == 1 else (None, n_columns)
        model.oof_scores_ = node.read("oof_scores", array("float64", *shape, finite=False))


# Searches ---------------------------------------------------------------------------------------


def _settle_scorers(model: Any, node: Node) -> None:
    """Set the scorers that the parameters name."""
    with node["parameters"].refusing("are impossible"):
        ParameterGrid(model.param_grid)
        scorers, _ = model._get_scorers()
    several = isinstance(scorers, _MultimetricScorer)
    model.scorer_ = scorers._scorers if several else scorers


def _write_results(model: Any) -> dict[str, Any]:
    """Write a column per name; the values of parameters are those of the candidates."""
    results = model.cv_results_
    columns = {}
    for k, (name, column) in enumerate(results.items()):
        if isinstance(column, np.ma.MaskedArray):
            kind = column.dtype.name
            columns[f"type{k}"] = kind if kind in NUMBERS else "object"
        elif name != "params":
            kind = "int32" if column.dtype == np.int32 else "float64"
            columns[f"column{k}"] = column.astype(kind)
    candidates = [_write_candidate(candidate) for candidate in results["params"]]
    return {"results": {"columns": list(results), "candidates": candidates, **columns}}


def _write_candidate(candidate: dict[str, Any]) -> Any:
    held = {
        name: value if is_storable(value, name) else repr(value)
        for name, value in candidate.items()
    }
    return encode(held, "params")


def _read_results(model: Any, node: Node) -> None:
    results = node["results"]
    candidates = [_read_candidate(item) for item in results["candidates"].items]
    results["candidates"].require(candidates, "are none")
    names = results.read("columns", strings)
    results["columns"].require(len(set(names)) == len(names), "have a name twice")
    results["columns"].require("params" in names, "lack params")
    model.cv_results_ = {
        name: candidates if name == "params" else _read_column(results, name, k, candidates)
        for k, name in enumerate(names)
    }


def _read_candidate(node: Node) -> dict[str, Any]:
    found = decode(node)
    fits = isinstance(found, dict) and all(isinstance(name, str) for name in found)
    node.require(fits, "is not parameters by name")
    return dict(found)


def _read_column(node: Node, name: str, k: int, candidates: list[dict[str, Any]]) -> Any:
    """Read numbers; values of a parameter are masked if a candidate does not have it."""
    if f"type{k}" not in node:
        return node.read(f"column{k}", array("float64|int32", len(candidates), finite=False))
    kind = node.read(f"type{k}", text("object", *NUMBERS))
    parameter = name.removeprefix("param_")
    column = np.ma.MaskedArray(np.empty(len(candidates), dtype=kind), mask=True)
    with node[f"type{k}"].refusing("does not fit the parameter"):
        for place, candidate in enumerate(candidates):
            if parameter in candidate:
                column[place] = candidate[parameter]
    return column


def _settle_best(model: Any, node: Node) -> None:
    """Set what follows from the best candidate."""
    found, candidates = vars(model), model.cv_results_["params"]
    if "best_index_" in found:
        fits = model.best_index_ < len(candidates)
        node["best_index"].require(fits, f"is not a whole number below {len(candidates)}")
        model.best_params_ = candidates[model.best_index_]
    if "best_score_" in found:
        model.best_score_ = np.float64(model.best_score_)
    names = getattr(found.get("best_estimator_"), "feature_names_in_", None)
    if names is not None:
        model.feature_names_in_ = names


SCHEMAS = (
    estimator_schema(
        CalibratedSVC,
        CLASSES,
        field("estimator", MODEL, "estimator_"),
        rule(_settle_columns),
        field("priors", array("float64", "classes"), "priors_"),
        rule(_check_priors),
        Entry(_write_calibrators, _read_calibrators),
        Entry(_write_scores, _read_scores),
    ),
    estimator_schema(
        SVMSearchCV,
        field("n_splits", whole(1, 2**31 - 1), "n_splits_"),
        field("multimetric", flag, "multimetric_"),
        rule(_settle_scorers),
        Entry(_write_results, _read_results),
        field("best_index", whole(), "best_index_", default=UNSET),
        field("best_score", number, "best_score_", default=UNSET),
        field("refit_time", real(0.0), "refit_time_", default=UNSET),
        field("best_estimator", MODEL, "best_estimator_", default=UNSET),
        rule(_settle_best),
    ),
)
