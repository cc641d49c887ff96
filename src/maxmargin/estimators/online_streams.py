"""What has to be known of a stream before online machines learn from it."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.streams import Chunks
from maxmargin.streams.base import parts_of, positive_whole

__all__ = ["UNLABELLED", "checked_passes", "survey"]

#: Said of a stream that has points only.
UNLABELLED = (
    "The stream must have labels: its chunks are pairs (X, y), or triples with the weights of the "
    "rows."
)


def checked_passes(stream: Chunks, n_passes: Any) -> int:
    """Return a number of passes that the stream allows."""
    passes = positive_whole(n_passes, "epochs")
    if passes > 1 and not stream.rereadable:
        raise InvalidInputError(
            "The source is an iterator, which can be read once: give epochs=1, or a function that "
            "makes an iterator."
        )
    return passes


def survey(stream: Chunks) -> tuple[Any, float]:
    """Return the labels of a stream that can be read again, and the weight of its rows."""
    if not stream.rereadable:
        raise InvalidInputError(
            "The source is an iterator, which can be read once: give classes, and n_samples where "
            "C is given; or a function that makes an iterator."
        )
    labels: Any = None
    n_rows = 0.0
    for chunk in stream:
        X, y, weight = parts_of(chunk)
        if y is None:
            raise InvalidInputError(UNLABELLED)
        new = np.unique(np.asarray(y))
        labels = new if labels is None else np.union1d(labels, new)
        n_rows += X.shape[0] if weight is None else np.maximum(np.asarray(weight), 0.0).sum()
    if labels is None:
        raise InvalidInputError("The stream has no rows: give one with at least a chunk.")
    return labels, float(n_rows)
