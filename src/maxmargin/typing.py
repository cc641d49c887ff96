"""The few array types that appear in signatures throughout the library."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

__all__ = ["ArrayLike", "Bools", "Data", "Floats", "Integers"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Bools = NDArray[np.bool_]

#: What a kernel compares: rows of a dense array, rows of a CSR array, or a list of objects.
Data = NDArray[Any] | csr_array | list[Any]
