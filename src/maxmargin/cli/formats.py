"""Which format a file has: by its name, by an option, or for models by how it begins."""

from __future__ import annotations

from pathlib import Path

from maxmargin.errors import InvalidInputError

__all__ = ["DATA_FORMATS", "MODEL_FORMATS", "STDIN", "data_format", "model_format"]

DATA_FORMATS = ("csv", "tsv", "parquet", "npz", "libsvm")
MODEL_FORMATS = ("maxmargin", "libsvm-model", "liblinear-model", "onnx")

#: What stands for standard input, or output.
STDIN = "-"

_COMPRESSED = (".gz", ".bz2", ".xz")
_BY_SUFFIX = {".csv": "csv", ".tsv": "tsv", ".parquet": "parquet", ".pq": "parquet", ".npz": "npz"}
_BEGINNINGS = {b"svm_type": "libsvm-model", b"solver_type": "liblinear-model"}
_HEADER = 8


def data_format(path: str, given: str | None = None) -> str:
    """Return the format of a data file; names that say nothing are those of LIBSVM files."""
    if given is not None:
        return given
    if path == STDIN:
        raise InvalidInputError(
            f"The format of standard input is not known: give --format {', '.join(DATA_FORMATS)}."
        )
    name = Path(path.lower())
    return _BY_SUFFIX.get(
        (name.with_suffix("") if name.suffix in _COMPRESSED else name).suffix, "libsvm"
    )


def model_format(path: str) -> str | None:
    """Return the format of a file that holds a model, None if it does not look like one."""
    place = Path(path)
    if path == STDIN or not place.is_file():
        return None
    if place.suffix.lower() == ".onnx":
        return "onnx"
    with place.open("rb") as file:
        beginning = file.read(64)
    for word, name in _BEGINNINGS.items():
        if beginning.startswith(word):
            return name
    # The container's header begins with its length, then a JSON object.
    is_container = beginning[_HEADER : _HEADER + 1] == b"{" or place.suffix == ".safetensors"
    return "maxmargin" if is_container else None
