"""Class labels, features, matrices, and support vectors: rows of numbers, sequences or columns."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.errors import ModelFileError
from maxmargin.kernels import Kernel, On, Product, Scaled, Sum
from maxmargin.kernels.columns import Columns
from maxmargin.kernels.encoding import Strings
from maxmargin.machines.training import aligned
from maxmargin.persist.format.schema import Entry, array, field, flag, strings, text, whole
from maxmargin.persist.format.tree import NUMBERS, Codec, Node, decode, encode

__all__ = ["CLASSES", "FEATURES", "FLOATS", "SUPPORT_VECTORS", "read_matrix", "write_matrix"]

#: The types of data.
FLOATS = "float64|float32"
_MOST_FEATURES = 2**31 - 1
# An array gives every string the room of the longest. The room, in letters, may be this large, or
# this many times what the strings need.
_MODERATE = 1 << 20
_MOST_WASTE = 64


def _write_labels(classes: Any) -> dict[str, Any]:
    """Write numbers as an array and strings as a list."""
    kind = classes.dtype.kind
    if kind == "U" or (kind == "O" and all(isinstance(label, str) for label in classes)):
        names = [str(label) for label in classes]
        return {"type": "object" if kind == "O" else "string", "labels": names}
    too_large = kind == "u" and (classes > np.iinfo(np.int64).max).any()
    if classes.dtype.name not in NUMBERS or too_large:
        raise ModelFileError(
            f"The class labels are of type {classes.dtype}, which a model file cannot hold: fit "
            "with numbers or strings."
        )
    return {"type": classes.dtype.name, "labels": classes.astype(_stored(kind))}


def _stored(kind: str) -> str:
    return {"b": "uint8", "f": "float64"}.get(kind, "int64")


def _read_labels(node: Node) -> Any:
    """Read at least two labels in ascending order."""
    kind, labels = node.read("type", text("string", "object", *NUMBERS)), node["labels"]
    if kind in ("string", "object"):
        classes = _read_names(labels)
        classes = classes.astype(object) if kind == "object" else classes
    else:
        values = array(_stored(np.dtype(kind).kind), None, below=None).decode(labels)
        with np.errstate(over="ignore"):
            classes = values.astype(kind)
        labels.require((classes == values).all(), f"are not all of type {kind}")
    labels.require(len(classes) >= 2, "are fewer than two")
    labels.require(all(a < b for a, b in pairwise(classes.tolist())), "do not ascend")
    node.sizes["classes"] = len(classes)
    return classes


def _read_names(node: Node) -> Any:
    names = strings.decode(node)
    longest = max(map(len, names), default=0)
    room = max(_MODERATE, _MOST_WASTE * sum(map(len, names)))
    node.require(longest * len(names) <= room, "differ too much in length")
    node.require(not any("\0" in name for name in names), "contain zeros")
    return np.array(names, dtype=np.str_)


#: `classes_`, in the type that they had; their number is the size "classes".
CLASSES = field("classes", Codec(_write_labels, _read_labels), "classes_")


def _write_features(model: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if "n_features_in_" in vars(model):
        found["n_features"] = int(model.n_features_in_)
    if "feature_names_in_" in vars(model):
        found["feature_names"] = [str(name) for name in model.feature_names_in_]
    return found


def _read_features(model: Any, node: Node) -> None:
    kernel = vars(model).get("kernel_")
    if kernel is not None and (kernel.compares_sequences or kernel.compares_columns):
        return
    model.n_features_in_ = node.read("n_features", whole(1, _MOST_FEATURES))
    node.sizes["features"] = model.n_features_in_
    if "feature_names" in node:
        names = node.read("feature_names", strings)
        fits = len(names) == model.n_features_in_
        node["feature_names"].require(fits, "are not one per feature")
        model.feature_names_in_ = np.array(names, dtype=object)


#: `n_features_in_`, which is the size "features", and `feature_names_in_`. Kernels on sequences
#: and columns have neither.
FEATURES = Entry(_write_features, _read_features)


# Matrices ---------------------------------------------------------------------------------------


def write_matrix(matrix: Any) -> dict[str, Any]:
    """Return the tree of a matrix of floats."""
    if not sparse.issparse(matrix):
        return {"sparse": False, "": array(FLOATS, None, None).encode(matrix)}
    rows = sparse.csr_array(matrix)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return {
        "sparse": True,
        "n_columns": int(rows.shape[1]),
        "values": array(FLOATS, None).encode(rows.data),
        "columns": rows.indices.astype(np.int32),
        "starts": rows.indptr.astype(np.int64),
    }


def read_matrix(node: Node, n_rows: int, n_columns: int | None) -> Any:
    """Return a matrix of finite floats, dense or CSR with ascending columns."""
    if not node.read("sparse", flag):
        return array(FLOATS, n_rows, n_columns).decode(node)
    width = node.read("n_columns", whole(most=_MOST_FEATURES))
    node.require(n_columns in (None, width), "has a shape that does not fit the rest")
    values = node.read("values", array(FLOATS, None))
    columns = node.read("columns", array("int32", len(values), below=width))
    starts = _read_starts(node, n_rows, len(values))
    narrow = len(values) <= np.iinfo(np.int32).max
    matrix = sparse.csr_array(
        (values, columns, starts.astype(np.int32 if narrow else np.int64)), shape=(n_rows, width)
    )
    node.require(matrix.has_canonical_format, "has columns that do not ascend")
    return matrix


def _read_starts(node: Node, count: int, size: int) -> Any:
    """Return where each of `count` parts begins, and where the last one ends."""
    starts = node.read("starts", array("int64", count + 1, below=size + 1))
    fits = starts[0] == 0 and starts[-1] == size and (np.diff(starts) >= 0).all()
    node["starts"].require(fits, "do not fit the rest")
    return starts


# Support vectors --------------------------------------------------------------------------------


def _write_vectors(model: Any) -> dict[str, Any]:
    if model.kernel_.compares_similarities:
        return {}
    return {"support_vectors": _write_points(model.support_vectors_)}


def _read_vectors(model: Any, node: Node) -> None:
    kernel, n_points, n_features = model.kernel_, node.sizes["points"], node.sizes.get("features")
    model.shape_fit_ = (n_points,) if n_features is None else (n_points, n_features)
    if kernel.compares_similarities:
        node["n_features"].require(n_points == n_features, "is not the number of points")
        node["sparse"].require(not model._sparse, "is true for a precomputed kernel")
        model.support_vectors_ = np.empty((0, 0))
        return
    found = _read_points(node["support_vectors"], kernel, node.sizes["vectors"], n_features)
    agrees = bool(sparse.issparse(found)) == model._sparse
    node["sparse"].require(agrees, "does not agree with the support vectors")
    model.support_vectors_ = found


#: `support_vectors_`, in the form that the kernel compares; a precomputed kernel has none.
SUPPORT_VECTORS = Entry(_write_vectors, _read_vectors)


def _write_points(points: Any) -> dict[str, Any]:
    if isinstance(points, Columns):
        names = [one if isinstance(one, str) else list(one) for one in points.parts]
        parts = {f"part{k}": _write_points(part) for k, part in enumerate(points.parts.values())}
        return {"columns": names, **parts}
    if isinstance(points, np.ndarray) and points.dtype == np.object_:
        return _write_sequences(points.tolist())
    return write_matrix(points)


def _read_points(node: Node, kernel: Kernel, n_points: int, n_features: int | None) -> Any:
    points: Any
    if kernel.compares_columns:
        points = _read_columns(node, kernel, n_points)
    elif kernel.compares_sequences:
        points = _read_sequences(node, n_points)
    else:
        points = read_matrix(node, n_points, n_features)
    if n_points:
        with node.refusing("are impossible"):
            kernel.validate(points)
    return points if isinstance(points, np.ndarray | Columns) else aligned(points)


def _read_columns(node: Node, kernel: Kernel, n_points: int) -> Columns:
    parts: dict[Any, Any] = {}
    kernels, names = dict(_on_columns(kernel)), node["columns"]
    for k, item in enumerate(names.items):
        one = tuple(item.json) if isinstance(item.json, list) else item.json
        known = isinstance(one, str | tuple) and all(isinstance(part, str) for part in one)
        names.require(known and one in kernels and one not in parts, "are not the kernel's")
        parts[one] = _read_points(node[f"part{k}"], kernels[one], n_points, None)
    names.require(len(parts) == len(kernels), "are fewer than the kernel compares")
    return Columns(parts, n_points)


def _on_columns(kernel: Kernel) -> Iterable[tuple[Any, Kernel]]:
    """Return the names of columns, each with a kernel that compares them."""
    if isinstance(kernel, On):
        yield kernel.columns, kernel.kernel
    elif isinstance(kernel, Scaled):
        yield from _on_columns(kernel.kernel)
    elif isinstance(kernel, Sum | Product):
        for part in kernel.parts:
            yield from _on_columns(part)


def _write_sequences(points: list[Any]) -> dict[str, Any]:
    """Write strings in UTF-8, bytes as they are, and other tokens by their places in a list."""
    kinds = {type(item) for item in points}
    if kinds == {str}:
        encoded = [point.encode("utf-8", "surrogatepass") for point in points]
        return {**_write_sequences(encoded), "sequences": "text"}
    starts = np.cumsum([0, *map(len, points)], dtype=np.int64)
    if kinds == {bytes}:
        letters = np.frombuffer(b"".join(points), dtype=np.uint8)
        return {"sequences": "bytes", "letters": letters, "starts": starts}
    places: dict[Any, int] = {}
    codes = [places.setdefault(token, len(places)) for item in points for token in item]
    if any(token != token for token in places):
        raise ModelFileError("A support vector holds NaN as a token, which equals nothing.")
    return {
        "sequences": "tokens",
        "tokens": [encode(token, "A token of a support vector") for token in places],
        "codes": np.array(codes, dtype=np.int32),
        "starts": starts,
    }


def _read_sequences(node: Node, count: int) -> Strings:
    form = node.read("sequences", text("text", "bytes", "tokens"))
    tokens = _read_tokens(node["tokens"]) if form == "tokens" else []
    content: Any
    if form == "tokens":
        content = node.read("codes", array("int32", None, below=len(tokens)))
    else:
        content = node.read("letters", array("uint8", None)).tobytes()
    starts = _read_starts(node, count, len(content)).tolist()
    parts = [content[begin:end] for begin, end in pairwise(starts)]
    if form == "tokens":
        parts = [tuple(tokens[code] for code in part) for part in parts]
    elif form == "text":
        with node["letters"].refusing("are not UTF-8"):
            parts = [part.decode("utf-8", "surrogatepass") for part in parts]
    return np.fromiter(parts, dtype=object, count=count)


def _read_tokens(node: Node) -> list[Any]:
    tokens = [decode(item) for item in node.items]
    with node.refusing("hold what cannot be compared"):
        distinct = len(set(tokens))
    node.require(distinct == len(tokens), "hold one twice")
    return tokens
