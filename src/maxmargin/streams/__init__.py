"""Data in chunks: arrays, iterators and files larger than memory, all read the same way.

::

    chunking      chunks: from any source to an iterable of chunks
    base          the base class of such iterables; chunks of another size
    arrays        chunks of arrays, in memory or memory-mapped
    libsvm        chunks of files in LIBSVM's format
    libsvm_files  such files read and written as a whole
    text          from their bytes to matrices and back
    parquet       chunks of Parquet files (extra "parquet")
    damage        the errors of other libraries' readers

Each iteration reads the source again from its start, or in a new order if it is shuffled.
"""

from maxmargin.streams.arrays import ArrayChunks
from maxmargin.streams.base import Chunk, Chunks
from maxmargin.streams.chunking import chunks
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
