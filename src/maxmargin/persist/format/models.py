"""Models in files of the library's own format: `write_model` and `read_model`."""

from __future__ import annotations

from os import PathLike
from typing import Any

from maxmargin.errors import ModelFileError
from maxmargin.persist.format import composed, machines, transformers
from maxmargin.persist.format.container import read, write
from maxmargin.persist.format.schema import MODEL, register
from maxmargin.persist.format.tree import Arrays, Node, flattened

__all__ = ["read_model", "write_model"]

for _module in (machines, composed, transformers):
    register(*_module.SCHEMAS)


def write_model(model: Any, path: str | PathLike[str], *, proof: bool) -> None:
    """Write a fitted model to a file, with what is proved about it if that is asked for."""
    arrays: Arrays = {}
    document = flattened(MODEL.encode(model), arrays, proof=proof)
    write(path, document, arrays)


def read_model(path: str | PathLike[str]) -> Any:
    """Return the model of a file."""
    document, arrays = read(path)
    model = MODEL.decode(Node(document, arrays))
    if arrays:
        raise ModelFileError(f"the array {min(arrays)[:80]!r} belongs to nothing.")
    return model
