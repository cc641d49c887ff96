"""Rows of a study as tables of a search, which `maxmargin.plot` draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from maxmargin.study.rows import StudyRow

__all__ = ["costs_table", "group_rows", "group_text", "minimum_table", "same_but"]

_COSTS = {"minimum": "min_dcf", "actual": "act_dcf", "calibrated": "calibrated_act_dcf"}


def group_text(group: tuple[str, str]) -> str:
    """Return family and preprocessing in one line."""
    return ", ".join(group)


def group_rows(rows: Sequence[StudyRow]) -> dict[tuple[str, str], list[StudyRow]]:
    """Return the rows of each family on each variant of the data, the best group first."""
    found: dict[tuple[str, str], list[StudyRow]] = {}
    for row in rows:
        found.setdefault(row.group, []).append(row)
    return found


def same_but(rows: Sequence[StudyRow], like: StudyRow, name: str) -> list[StudyRow]:
    """Return the rows that differ from one in a single parameter, along that parameter."""

    def others(row: StudyRow) -> dict[str, Any]:
        return {key: value for key, value in row.params.items() if key != name}

    line = [row for row in rows if row.group == like.group and others(row) == others(like)]
    return sorted(line, key=lambda row: row.params[name])


def minimum_table(rows: Sequence[StudyRow], names: Sequence[str]) -> Mapping[str, Any]:
    """Return minDCF over some parameters and the group, as ``cv_results_`` would hold it."""
    params = [{"machine": group_text(row.group), **_chosen(row, names)} for row in rows]
    return _table(params, "minDCF", [row.min_dcf for row in rows])


def costs_table(line: Sequence[StudyRow], name: str) -> Mapping[str, Any]:
    """Return the three costs along one parameter, each a series of its own."""
    params, values = [], []
    for series, cost in _COSTS.items():
        for row in line:
            params.append({"cost": series, name: row.params[name]})
            values.append(getattr(row, cost))
    return _table(params, "DCF", values)


def _table(params: list[dict[str, Any]], score: str, costs: list[float]) -> dict[str, Any]:
    names = {name: None for point in params for name in point}
    table: dict[str, Any] = {"params": params}
    table |= {f"param_{name}": [point.get(name) for point in params] for name in names}
    table[f"mean_test_neg_{score}"] = -np.array(costs)
    table[f"std_test_neg_{score}"] = np.zeros(len(costs))
    return table


def _chosen(row: StudyRow, names: Sequence[str]) -> dict[str, Any]:
    return {name: row.params[name] for name in names if name in row.params}
