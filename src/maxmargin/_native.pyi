"""The compiled core. Only `maxmargin.kernels.blocks` imports it."""

from enum import Enum
from typing import overload

import numpy as np
from numpy.typing import NDArray

class Form(Enum):
    linear = 0
    polynomial = 1
    gaussian = 2
    tanh = 3
    laplacian = 4
    chi2 = 5

class Rows32:
    @staticmethod
    def dense(array: NDArray[np.float32]) -> Rows32: ...
    @staticmethod
    def csr(
        values: NDArray[np.float32],
        columns: NDArray[np.int32],
        starts: NDArray[np.int64],
        n_columns: int,
    ) -> Rows32: ...

class Rows64:
    @staticmethod
    def dense(array: NDArray[np.float64]) -> Rows64: ...
    @staticmethod
    def csr(
        values: NDArray[np.float64],
        columns: NDArray[np.int32],
        starts: NDArray[np.int64],
        n_columns: int,
    ) -> Rows64: ...

@overload
def fill(
    form: Form,
    a: Rows32,
    b: Rows32,
    out: NDArray[np.float32],
    gamma: float,
    coef0: float,
    degree: int,
    n_threads: int,
) -> None: ...
@overload
def fill(
    form: Form,
    a: Rows64,
    b: Rows64,
    out: NDArray[np.float64],
    gamma: float,
    coef0: float,
    degree: int,
    n_threads: int,
) -> None: ...
def connect_blas(sgemm: object | None, dgemm: object | None) -> None: ...
def simd_levels() -> list[str]: ...
def simd_level() -> str: ...
def use_simd_level(level: str) -> None: ...
