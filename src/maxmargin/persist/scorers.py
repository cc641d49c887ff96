"""The scorers of `maxmargin.metrics`, as parameters of searches; others are saved by name."""

from __future__ import annotations

from typing import Any

from maxmargin.errors import InvalidInputError
from maxmargin.metrics.scorers import get_scorer, get_scorer_names, make_dcf_scorer, settings_of
from maxmargin.persist.reading import Reader
from maxmargin.persist.writing import Writer

__all__ = ["describe_scorer", "is_scorer", "restore_scorer"]

_COSTS = ("prior", "cost_fn", "cost_fp")


def is_scorer(value: Any) -> bool:
    """Say whether this is one of the library's scorers."""
    return settings_of(value) is not None


def describe_scorer(scorer: Any, out: Writer) -> None:
    """Write the metric, and costs where they are not the usual ones."""
    found = settings_of(scorer)
    if found is None:
        raise ValueError("The scorer is not one of the library's.")
    name, settings = found
    out.json("scorer", f"neg_{name}")
    for key, value in settings.items():
        out.value(key, value)


def restore_scorer(held: Reader) -> Any:
    """Return the scorer."""
    name = held.text("scorer", get_scorer_names())
    if not held.has("prior"):
        return get_scorer(name)
    costs: dict[str, Any] = {key: held.real(key) for key in _COSTS}
    try:
        return make_dcf_scorer(
            name.removeprefix("neg_"),  # type: ignore[arg-type]
            normalize=held.flag("normalize"),
            pos_label=held.value("pos_label"),
            **costs,
        )
    except InvalidInputError as error:
        held.refuse("", f"is impossible: {str(error).rstrip('.')}")
