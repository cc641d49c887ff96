"""The scores of a search as a table: the parameters of all candidates, and one score of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.pipeline import Pipeline

from maxmargin.errors import InvalidInputError
from maxmargin.typing import Floats
from maxmargin.wording import name_of_scorer, score_text

__all__ = ["ScoreTable"]


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """What is drawn of a search: the parameters of all candidates, and one score of each.

    Scores times `sign` are drawn: themselves, or the costs that they negate. `name` is what the
    score is called. A mean that is not finite is NaN.
    """

    params: dict[str, list[Any]]
    name: str
    sign: float
    mean: Floats
    std: Floats

    @classmethod
    def of(cls, search: Any, score: str | None) -> ScoreTable:
        """Return the table of a fitted search or of its ``cv_results_``."""
        while isinstance(search, Pipeline):
            search = search.steps[-1][1]
        results = search if isinstance(search, Mapping) else getattr(search, "cv_results_", None)
        if not isinstance(results, Mapping) or "params" not in results:
            raise InvalidInputError(
                "search must be a fitted search, such as SVMSearchCV, or its cv_results_, because "
                f"the picture is of its scores; got {type(search).__name__}."
            )
        prefix = "mean_test_"
        scores = [key.removeprefix(prefix) for key in results if key.startswith(prefix)]
        chosen = scores[0] if score is None else score
        if chosen not in scores:
            raise InvalidInputError(f"score must be one of {', '.join(scores)}; got {score!r}.")
        params = {
            key.removeprefix("param_"): [
                None if value is np.ma.masked else value for value in results[key]
            ]
            for key in results
            if key.startswith("param_")
        }
        mean, std = (np.asarray(results[f"{kind}_test_{chosen}"]) for kind in ("mean", "std"))
        # The table calls the only score of a search "score".
        known = _name_of_only_score(search) if chosen == "score" else chosen
        sign = -1.0 if known.startswith("neg_") else 1.0
        mean = np.where(np.isfinite(mean), mean, np.nan)
        return cls(params, score_text(known), sign, mean, std)

    def text(self, value: float) -> str:
        """Return a score as it is drawn."""
        return f"{self.sign * value + 0.0:.4g}"

    def values(self, parameter: str) -> tuple[list[Any], list[int]]:
        """Return the different values of a parameter, and the place of each candidate's among them.

        Numbers ascend; other values are in order of appearance.
        """
        given = self.params[self._name(parameter)]
        different: list[Any] = []
        for value in given:
            if value not in different:
                different.append(value)
        if all(isinstance(value, int | float | np.number) for value in different):
            different.sort()
        return different, [different.index(value) for value in given]

    def best(self, *places: Sequence[int]) -> dict[tuple[int, ...], int]:
        """Return the candidate with the best score at each combination of places."""
        found: dict[tuple[int, ...], int] = {}
        for k, place in enumerate(zip(*places, strict=True)):
            if np.isnan(self.mean[k]):
                continue
            if place not in found or self.mean[k] > self.mean[found[place]]:
                found[place] = k
        return found

    def other(self, parameter: str) -> str | None:
        """Return the parameter that tells curves apart."""
        others = [name for name in self.params if name != self._name(parameter)]
        kernels = [name for name in others if name.rpartition("__")[2] == "kernel"]
        chosen = kernels or others
        return chosen[0].rpartition("__")[2] if len(chosen) == 1 else None

    def _name(self, parameter: str) -> str:
        """Return the full name of a parameter."""
        found = [
            name for name in self.params if name == parameter or name.endswith(f"__{parameter}")
        ]
        if len(found) != 1:
            names = ", ".join(self.params)
            raise InvalidInputError(
                f"The search has {len(found) or 'no'} parameters called {parameter!r}: it has "
                f"{names}."
            )
        return found[0]


def _name_of_only_score(search: Any) -> str:
    """Return the scorer's name of a search by one score; "score" if it is not known."""
    scorer = getattr(search, "scorer_", None)
    if scorer is None or search.scoring is not None:
        return name_of_scorer(scorer) or "score"
    if is_classifier(search.estimator):
        return "accuracy"
    return "r2" if is_regressor(search.estimator) else "score"
