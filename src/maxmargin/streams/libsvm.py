"""Chunks of a file in LIBSVM's format, read block by block."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from maxmargin.errors import InvalidInputError
from maxmargin.streams.base import SIZE, Chunk, Chunks, generator_of, positive_whole, regrouped
from maxmargin.streams.blocks import is_compressed, line_at, opened, whole_lines
from maxmargin.streams.text import Format, FormatError, Lines, parse

__all__ = ["LibsvmChunks", "floating_type"]

# Lines that stay together in a shuffled stream are those that begin in as many bytes.
_SHUFFLED_BLOCK = 1 << 15


class LibsvmChunks(Chunks):
    r"""Rows of a file in LIBSVM's format, chunk by chunk, as CSR matrices.

    Parameters
    ----------
    path : str or path
        The file; .gz, .bz2 and .xz are decompressed on the way.
    n_features : int, optional
        Columns of the matrices. By default the largest index in the file, which the first
        iteration looks for in a pass of its own.
    size : int
        Rows of a chunk.
    shuffle : bool
        Whether a chunk gathers short runs of lines from all over the file, in a new order each
        time, instead of the next lines.
    random_state : int, Generator or None
        Of the order.
    zero_based : bool
        Whether indices begin at 0 instead of 1.
    dtype : float64 or float32
        Of the values.

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
            self.n_features = self._widest()
        width = self.n_features
        blocks = self._shuffled_blocks() if self.shuffle else self._blocks()
        pieces = ((lines.matrix(width), lines.labels) for lines in self._parsed(blocks, width))
        return regrouped(pieces, self.size)

    def _widest(self) -> int:
        """Return the number of features that the indices imply."""
        return max(
            1, max((lines.widest for lines in self._parsed(self._blocks(), None)), default=1)
        )

    def _parsed(self, blocks: Iterator[tuple[int, bytes]], width: int | None) -> Iterator[Lines]:
        form = Format(width, 0 if self.zero_based else 1, self.dtype)
        for offset, text in blocks:
            try:
                yield parse(text, form)
            except FormatError as fault:
                with opened(self.path) as file:
                    line = line_at(file, offset + fault.offset, str(self.path))
                raise InvalidInputError(f"{self.path}, line {line}: {fault.what}") from None

    def _blocks(self) -> Iterator[tuple[int, bytes]]:
        """Return whole lines and where they begin."""
        offset = 0
        with opened(self.path) as file:
            for text in whole_lines(file, str(self.path)):
                yield offset, text
                offset += len(text)

    def _shuffled_blocks(self) -> Iterator[tuple[int, bytes]]:
        n_blocks = -(-self.path.stat().st_size // _SHUFFLED_BLOCK)
        with opened(self.path) as file:
            for begin in (self._generator.permutation(n_blocks) * _SHUFFLED_BLOCK).tolist():
                if begin > 0:
                    # The line that is under way belongs to the block before.
                    file.seek(begin - 1)
                    file.readline()
                else:
                    file.seek(0)
                first, end = file.tell(), begin + _SHUFFLED_BLOCK
                text = file.read(max(0, end - first))
                if text and not text.endswith(b"\n"):
                    text += file.readline()
                if text:
                    yield first, text


def floating_type(dtype: Any) -> np.dtype[Any]:
    """Return float64 or float32, or say that it must be one of them."""
    for known in (np.dtype(np.float64), np.dtype(np.float32)):
        if dtype == known:
            return known
    raise InvalidInputError(f"dtype must be float64 or float32; got {dtype!r}.")
