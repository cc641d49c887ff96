"""scikit-learn's splitters, as parameters of searches and calibration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)

from maxmargin.persist.reading import Reader
from maxmargin.persist.writing import Writer

__all__ = ["describe_splitter", "is_splitter", "restore_splitter"]

_FOLDS = ("n_splits", "shuffle", "random_state")
_DRAWS = ("n_splits", "test_size", "train_size", "random_state")
_REPEATS = ("n_splits", "n_repeats", "random_state")

#: What the constructor of each takes.
_SPLITTERS: dict[type, tuple[str, ...]] = {
    **dict.fromkeys((KFold, StratifiedKFold, GroupKFold, StratifiedGroupKFold), _FOLDS),
    **dict.fromkeys((ShuffleSplit, StratifiedShuffleSplit, GroupShuffleSplit), _DRAWS),
    **dict.fromkeys((RepeatedKFold, RepeatedStratifiedKFold), _REPEATS),
    TimeSeriesSplit: ("n_splits", "max_train_size", "test_size", "gap"),
    PredefinedSplit: ("test_fold",),
    LeaveOneOut: (),
    LeaveOneGroupOut: (),
}


def is_splitter(value: Any) -> bool:
    """Say whether this is one that a file can hold."""
    return type(value) in _SPLITTERS


def describe_splitter(splitter: Any, out: Writer, setting: Callable[[Any, str], Any]) -> None:
    """Write which splitter it is and what its constructor was given."""
    out.json("splitter", type(splitter).__name__)
    # Those that repeat keep the number of folds apart.
    held = {**vars(splitter).get("cvargs", {}), **vars(splitter)}
    for name in _SPLITTERS[type(splitter)]:
        out.json(name, setting(held[name], name))


def restore_splitter(held: Reader, restored: Callable[[Any, Reader, str], Any]) -> Any:
    """Return the splitter."""
    by_name = {kind.__name__: kind for kind in _SPLITTERS}
    kind = by_name[held.text("splitter", by_name)]
    given = {name: restored(held.json(name), held, name) for name in _SPLITTERS[kind]}
    try:
        return kind(**given)
    except (TypeError, ValueError) as error:
        held.refuse("", f"is impossible: {str(error).rstrip('.')}")
