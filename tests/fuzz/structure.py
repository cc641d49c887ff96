"""Model files that are whole, but do not say what a model says: values and arrays put elsewhere."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
from safetensors.numpy import load, save

__all__ = ["retold"]

_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 2**31, 2**53, 2**63, 10**400, 0.5, -0.5, 1e308),
    *("", "x", "SVC", "Linear", "scale", [], [1], ["a"], [[]], {}, {"tuple": []}),
    *({"tuple": [1, 2]}, {"list": [{}]}, {"map": [["a", 1]]}, {"map": [[1]]}, {"float": "nan"}),
    *({"kernel": "RBF", "gamma": 1.0}, {"estimator": "SVC", "parameters": {}}, {"class": "SVC"}),
    {"kernel": "Sum", "n_parts": 1, "part0": {"kernel": "Linear"}},
    {"estimator": "Pipeline", "names": ["a"], "steps": ["passthrough"]},
    *({"bias": "free"}, {"scorer": "neg_eer"}, {"splitter": 1}, {"sparse": True}),
    {
        "scorer": "neg_dcf",
        "prior": "x",
        "cost_fn": None,
        "cost_fp": [],
        "normalize": "",
        "pos_label": 1,
    },
    *({"array": [1, 2], "type": "int8"}, {"array": [{"float": "nan"}], "type": "int64"}),
    {"sequences": "text"},
)


def _places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Return where there are values, from outside to inside."""
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value if isinstance(value, list) else ())
    )
    for key, item in inner:
        yield (*place, key)
        yield from _places(item, (*place, key))


def _at(document: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        document = document[key]
    return document


def _change_value(document: Any, chance: random.Random) -> None:
    places = list(_places(document))
    if not places:
        return
    *outer, key = chance.choice(places)
    holder = _at(document, tuple(outer))
    way = chance.random()
    if way < 0.15:
        del holder[key]
    elif way < 0.35:
        holder[key] = json.loads(json.dumps(_at(document, chance.choice(places))))
    else:
        holder[key] = json.loads(json.dumps(chance.choice(_VALUES)))


def _changed(values: Any, chance: random.Random) -> Any:
    ways = (
        lambda: values[:-1],
        lambda: values.astype(chance.choice(["f8", "f4", "i8", "i4", "u1"])),
        lambda: -1 - values if values.dtype.kind in "if" else values,
        lambda: np.concatenate([values, values]),
        lambda: values.ravel(),
        lambda: values[::-1],
        lambda: values * 0,
        lambda: values[..., None],
        lambda: np.where(np.arange(values.size).reshape(values.shape) == 0, 100, values),
    )
    return np.ascontiguousarray(chance.choice(ways)())


def _change_array(arrays: dict[str, Any], chance: random.Random) -> None:
    if not arrays:
        return
    name, other = (chance.choice(sorted(arrays)) for _ in range(2))
    way = chance.random()
    if way < 0.1:
        del arrays[name]
    elif way < 0.2:
        arrays[other] = arrays[name]
    else:
        arrays[name] = _changed(arrays[name], chance)


def retold(data: bytes, chance: random.Random) -> bytes:
    """Return a whole file in which something is not as it was."""
    size = int.from_bytes(data[:8], "little")
    metadata = json.loads(data[8 : 8 + size])["__metadata__"]
    document, arrays = json.loads(metadata["model"]), load(data)
    with np.errstate(all="ignore"):
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            if chance.random() < 0.7:
                _change_value(document, chance)
            else:
                _change_array(arrays, chance)
    return save(arrays, {**metadata, "model": json.dumps(document)})
