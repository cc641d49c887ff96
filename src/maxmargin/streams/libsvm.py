"""Chunks of a file in LIBSVM's format, read block by block."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.streams.base import SIZE, Chunk, Chunks, generator_of, positive_whole, regrouped
from maxmargin.streams.text import (
    Format,
    FormatError,
    Lines,
    is_compressed,
    opened,
    parse,
    read_lines,
)

__all__ = ["LibsvmChunks", "floating_type"]

# Bytes of the file whose lines stay together in a shuffled stream: few enough to mix, enough to
# read at once.
_SHUFFLED_BLOCK = 1 << 15


class LibsvmChunks(Chunks):
    r"""Rows of a file in LIBSVM's format, chunk by chunk, as CSR matrices.

    Parameters
    ----------
    path : str or path
        The file; .gz, .bz2 and .xz are decompressed.
    n_features : int, optional
        Columns of the matrices. By default the largest index in the file, which takes one more
        pass in the first iteration.
    size : int
        Rows per chunk.
    shuffle : bool
        Whether a chunk gathers short runs of lines from all over the file, in a new order each
        time, instead of the next lines.
    random_state : int, Generator or None
        Seed of the order.
    zero_based : bool
        Whether indices begin at 0 instead of 1.
    dtype : float64 or float32
        Type of the values.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from maxmargin.streams import LibsvmChunks
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "train.svm")
    ...     _ = path.write_text("+1 1:0.5 3:2\n-1 2:1\n+1 1:1\n")
    ...     for X, y in LibsvmChunks(path, size=2):
    ...         print(X.toarray(), y)
    [[0.5 0.  2. ]
     [0.  1.  0. ]] [ 1. -1.]
    [[1. 0. 0.]] [1.]
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        n_features: int | None = None,
        size: int = SIZE,
        shuffle: bool = False,
        random_state: Any = None,
        zero_based: bool = False,
        dtype: Any = np.float64,
    ) -> None:
        self.path = Path(fspath(path))
        self.n_features = None if n_features is None else positive_whole(n_features, "n_features")
        self.size = positive_whole(size, "size")
        self.shuffle = shuffle
        self.zero_based = zero_based
        self.dtype = floating_type(dtype)
        if shuffle and is_compressed(self.path):
            raise InvalidInputError(
                "A compressed file can be read only from its start: give shuffle=False, or "
                f"decompress {self.path}."
            )
        self._generator = generator_of(random_state)

    def __iter__(self) -> Iterator[Chunk]:
        """Read the file from its start, or in a new order."""
        if self.n_features is None:
            self.n_features = max((lines.widest for lines in self._in_order(None)), default=1) or 1
        width = self.n_features
        blocks = self._shuffled(width) if self.shuffle else self._in_order(width)
        return regrouped(((lines.matrix(width), lines.labels) for lines in blocks), self.size)

    def _format(self, width: int | None) -> Format:
        return Format(width, 0 if self.zero_based else 1, self.dtype)

    def _in_order(self, width: int | None) -> Iterator[Lines]:
        with opened(self.path) as file:
            yield from read_lines(file, self._format(width), str(self.path))

    def _shuffled(self, width: int) -> Iterator[Lines]:
        n_blocks = -(-self.path.stat().st_size // _SHUFFLED_BLOCK)
        with opened(self.path) as file:
            for begin in (self._generator.permutation(n_blocks) * _SHUFFLED_BLOCK).tolist():
                file.seek(max(0, begin - 1))
                if begin > 0:
                    # The line under way belongs to the block before.
                    file.readline()
                text = file.read(max(0, begin + _SHUFFLED_BLOCK - file.tell()))
                if text and not text.endswith(b"\n"):
                    text += file.readline()
                try:
                    yield parse(text, self._format(width))
                except FormatError as fault:
                    # Reading in order raises an error that names the line.
                    deque(self._in_order(width), maxlen=0)
                    raise InvalidInputError(f"{self.path}: {fault.what}") from None


def floating_type(dtype: Any) -> np.dtype[Any]:
    """Return float64 or float32, or say that it must be one of them."""
    for known in (np.dtype(np.float64), np.dtype(np.float32)):
        if dtype == known:
            return known
    raise InvalidInputError(f"dtype must be float64 or float32; got {dtype!r}.")
