"""Scorers by name, with the prior and the costs of decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.cli.options import Costs
from maxmargin.errors import InvalidInputError

__all__ = ["Score", "positive_class", "score_named"]

_COSTS = ("min_dcf", "act_dcf", "dcf")
_NEGATED = {
    "eer": "neg_eer",
    "cllr": "neg_cllr",
    "min_cllr": "neg_min_cllr",
    "mae": "neg_mean_absolute_error",
    "mse": "neg_mean_squared_error",
    "rmse": "neg_root_mean_squared_error",
}


@dataclass(frozen=True)
class Score:
    """A scorer, and how it is shown.

    Attributes
    ----------
    name : str
        As it was asked for.
    scorer : callable
        Greater is better.
    sign : int
        -1 where it is a cost, shown without its minus.
    """

    name: str
    scorer: Any
    sign: int = 1


def positive_class(classes: Any, costs: Costs) -> Any:
    """Return the positive one of two classes: the one that was named, or the last."""
    if costs.positive is None:
        return classes[-1]
    for label in classes:
        if str(label) == costs.positive:
            return label
    raise InvalidInputError(
        f"--positive is {costs.positive!r}, which is no class: there are "
        f"{', '.join(map(str, classes))}."
    )


def score_named(name: str | None, costs: Costs, y: Any, *, is_classifier: bool) -> Score:
    """Return the scorer of a search.

    Parameters
    ----------
    name : str, optional
        min_dcf, act_dcf, dcf, eer, cllr, min_cllr, f1, mae, mse, rmse or any scorer of
        scikit-learn; by default accuracy, or r2 for numbers.
    costs : Costs
        For the first three.
    y : array
        The target.
    is_classifier : bool
        Whether it holds classes.
    """
    from sklearn.metrics import f1_score, make_scorer

    from maxmargin.metrics import get_scorer, make_dcf_scorer

    name = name or ("accuracy" if is_classifier else "r2")
    wanted = name.replace("-", "_").lower()
    classes = np.unique(y)
    positive = positive_class(classes, costs) if is_classifier else None
    if wanted in _COSTS:
        if len(classes) != 2:
            raise InvalidInputError(
                f"--scoring {name} is about two classes, but the target has {len(classes)}."
            )
        scorer = make_dcf_scorer(
            wanted,  # type: ignore[arg-type]
            prior=costs.prior,
            cost_fn=costs.cost_fn,
            cost_fp=costs.cost_fp,
            pos_label=positive,
        )
        return Score(wanted, scorer, -1)
    if wanted == "f1":
        of_two = {"pos_label": positive} if len(classes) == 2 else {"average": "macro"}
        return Score(wanted, make_scorer(f1_score, **of_two))
    if wanted in _NEGATED:
        return Score(wanted, get_scorer(_NEGATED[wanted]), -1)
    return Score(wanted, get_scorer(wanted))
