"""Data in chunks: arrays, iterators and files larger than memory, all read the same way.

::

    chunks        from any source to an iterable of chunks
    base          what such an iterable is; chunks of another size
    arrays        in memory or memory-mapped
    libsvm        text files
    libsvm_files  the same at once, and written
    text          from their bytes to matrices and back
    blocks        from files to whole lines
    parquet       columns (extra "parquet")

Each iteration reads the source again from its start, in a new order where it is shuffled.
"""

from maxmargin.streams.arrays import ArrayChunks
from maxmargin.streams.base import Chunk, Chunks
from maxmargin.streams.chunks import chunks
from maxmargin.streams.libsvm import LibsvmChunks
from maxmargin.streams.libsvm_files import read_libsvm, read_libsvm_queries, write_libsvm
from maxmargin.streams.parquet import ParquetChunks

__all__ = [
    "ArrayChunks",
    "Chunk",
    "Chunks",
    "LibsvmChunks",
    "ParquetChunks",
    "chunks",
    "read_libsvm",
    "read_libsvm_queries",
    "write_libsvm",
]
