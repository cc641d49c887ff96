"""Files in LIBSVM's format as a whole: `read_libsvm` and `write_libsvm`."""

from __future__ import annotations

from contextlib import nullcontext
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError
from maxmargin.files import replacing
from maxmargin.streams.base import positive_whole
from maxmargin.streams.libsvm import floating_type
from maxmargin.streams.text import (
    MOST_COLUMNS,
    NO_QUERY,
    Format,
    Lines,
    formatted,
    joined,
    opened,
    parse,
    read_lines,
)
from maxmargin.typing import Floats, Integers

__all__ = ["read_libsvm", "read_libsvm_queries", "write_libsvm"]

# Entries that are turned into text at once.
_ENTRIES = 1 << 18


def read_libsvm(
    source: str | PathLike[str] | BinaryIO,
    *,
    n_features: int | None = None,
    zero_based: bool = False,
    dtype: Any = np.float64,
) -> tuple[sparse.csr_array, Floats]:
    r"""Read a file in LIBSVM's format.

    Parameters
    ----------
    source : str, path or binary file
        The file; .gz, .bz2 and .xz are decompressed. Or an open file, such as
        ``sys.stdin.buffer``.
    n_features : int, optional
        Columns of X; by default the largest index.
    zero_based : bool
        Whether indices begin at 0 instead of 1.
    dtype : float64 or float32
        Type of X.

    Returns
    -------
    X : csr_array of shape (n, d)
    y : ndarray of shape (n,)

    See Also
    --------
    read_libsvm_queries : The same with the query of each row.
    LibsvmChunks : For files larger than memory.

    Examples
    --------
    >>> from io import BytesIO
    >>> from maxmargin.streams import read_libsvm
    >>> X, y = read_libsvm(BytesIO(b"+1 1:0.5 3:2 # a comment\n-1 2:1\n"))
    >>> X.toarray(), y
    (array([[0.5, 0. , 2. ],
           [0. , 1. , 0. ]]), array([ 1., -1.]))
    """
    lines, width, _ = _read(source, n_features, zero_based, dtype)
    return lines.matrix(width), lines.labels


def read_libsvm_queries(
    source: str | PathLike[str] | BinaryIO,
    *,
    n_features: int | None = None,
    zero_based: bool = False,
    dtype: Any = np.float64,
) -> tuple[sparse.csr_array, Floats, Integers]:
    r"""Read a file in LIBSVM's format whose rows name their queries.

    Parameters
    ----------
    source, n_features, zero_based, dtype
        As in `read_libsvm`.

    Returns
    -------
    X : csr_array of shape (n, d)
    y : ndarray of shape (n,)
    query : ndarray of shape (n,)

    Examples
    --------
    >>> from io import BytesIO
    >>> from maxmargin.streams import read_libsvm_queries
    >>> X, y, query = read_libsvm_queries(BytesIO(b"2 qid:1 1:0.5\n1 qid:1 2:1\n0 qid:7\n"))
    >>> query
    array([1, 1, 7])
    """
    lines, width, name = _read(source, n_features, zero_based, dtype)
    missing = np.flatnonzero(lines.queries == NO_QUERY)
    if len(missing):
        raise InvalidInputError(
            f"{name} has no query in its row {missing[0] + 1}: write qid: and a whole number "
            "after each label, or use read_libsvm."
        )
    return lines.matrix(width), lines.labels, lines.queries


def _read(source: Any, n_features: Any, zero_based: bool, dtype: Any) -> tuple[Lines, int, str]:
    width = None if n_features is None else positive_whole(n_features, "n_features")
    form = Format(width, 0 if zero_based else 1, floating_type(dtype))
    is_path = isinstance(source, str | PathLike)
    name = str(Path(source)) if is_path else "The file"
    with opened(Path(source)) if is_path else nullcontext(source) as text:
        blocks = list(read_lines(text, form, name))
    lines = joined(blocks or [parse(b"", form)])
    if lines.n_rows == 0:
        raise InvalidInputError(f"{name} has no rows: it needs at least one.")
    return lines, max(1, lines.widest) if width is None else width, name


def write_libsvm(
    X: Any,
    y: Any,
    path: str | PathLike[str],
    *,
    zero_based: bool = False,
    query_id: Any = None,
) -> None:
    """Write rows in LIBSVM's format, with as few digits as read back the same numbers.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        The rows; zeros of a dense array are left out.
    y : array-like of shape (n,)
        Labels, which must be numbers.
    path : str or path
        The file, which is replaced as a whole; .gz, .bz2 and .xz are compressed.
    zero_based : bool
        Whether indices begin at 0 instead of 1.
    query_id : array-like of shape (n,), optional
        The query of each row, a whole number of at least 0.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from maxmargin.streams import write_libsvm
    >>> with TemporaryDirectory() as folder:
    ...     write_libsvm([[0.5, 0.0, 2.0], [0.0, 0.1, 0.0]], [1, -1], Path(folder, "train.svm"))
    ...     print(Path(folder, "train.svm").read_text(), end="")
    1 1:0.5 3:2
    -1 2:0.1
    """
    rows = _rows(X)
    labels = _labels(y, rows.shape[0])
    queries = None if query_id is None else _queries(query_id, rows.shape[0])
    target = Path(fspath(path))
    is_dense = isinstance(rows, np.ndarray)
    longest = rows.shape[1] if is_dense else np.diff(rows.indptr).max(initial=0)
    step = max(1, _ENTRIES // max(1, longest))
    with replacing(target) as new, opened(new, "wb", named=target) as file:
        for begin in range(0, rows.shape[0], step):
            part = slice(begin, begin + step)
            some = None if queries is None else queries[part]
            lines = sparse.csr_array(rows[part])
            file.write(formatted(lines, labels[part], some, 0 if zero_based else 1))


def _rows(X: Any) -> Any:
    if sparse.issparse(X):
        rows = sparse.csr_array(X)
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        values = rows.data
    else:
        rows = values = np.asarray(X)
    if rows.ndim != 2 or values.dtype.kind not in "fiub":
        raise InvalidInputError(
            f"X must hold rows of numbers; got {values.dtype} in {rows.ndim} dimension(s)."
        )
    if rows.shape[1] > MOST_COLUMNS:
        raise InvalidInputError(
            f"X has {rows.shape[1]} columns, but the format counts only to {MOST_COLUMNS}."
        )
    if not np.isfinite(values).all():
        raise InvalidInputError("X contains NaN or infinity, which the format does not have.")
    return rows


def _labels(y: Any, n_rows: int) -> Floats:
    labels = np.asarray(y)
    if labels.shape != (n_rows,) or labels.dtype.kind not in "fiub":
        raise InvalidInputError(
            f"y must hold one number per row, {n_rows} in all; got {labels.dtype} of shape "
            f"{labels.shape}. Encode other labels, for example with LabelEncoder."
        )
    labels = labels.astype(np.float64)
    if not np.isfinite(labels).all():
        raise InvalidInputError("y contains NaN or infinity, which the format does not have.")
    return labels


def _queries(query_id: Any, n_rows: int) -> Integers:
    queries = np.asarray(query_id)
    if queries.shape != (n_rows,) or queries.dtype.kind not in "iu" or queries.min(initial=0) < 0:
        raise InvalidInputError(
            f"query_id must hold one whole number of at least 0 per row, {n_rows} in all."
        )
    return queries.astype(np.int64)
