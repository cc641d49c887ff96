"""The compiled core. Only `maxmargin.kernels.blocks` and the engine's modules import it."""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Literal, overload

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

class Source32:
    # parameters: gamma, coef0, degree, factor, constant, n_threads
    @staticmethod
    def by_products(
        rows: Rows32 | Rows64, boundaries: NDArray[np.int64], form: Form, *parameters: float
    ) -> Source32: ...
    # parameters: gamma, coef0, degree, factor, constant
    @staticmethod
    def by_blocks(rows: Rows32, form: Form, *parameters: float) -> Source32: ...
    @staticmethod
    def of_matrix(matrix: NDArray[Any], factor: float, constant: float) -> Source32: ...
    @staticmethod
    def of_function(
        n_points: int, block: Callable[[NDArray[np.int64], NDArray[np.int64] | None], NDArray[Any]]
    ) -> Source32: ...
    @property
    def exponent_scale(self) -> float: ...
    @property
    def farthest(self) -> list[int]: ...

class Store32:
    def __init__(self, source: Source32, boundaries: NDArray[np.int64], budget: int) -> None: ...

class Source64:
    # parameters: gamma, coef0, degree, factor, constant, n_threads
    @staticmethod
    def by_products(
        rows: Rows32 | Rows64, boundaries: NDArray[np.int64], form: Form, *parameters: float
    ) -> Source64: ...
    # parameters: gamma, coef0, degree, factor, constant
    @staticmethod
    def by_blocks(rows: Rows64, form: Form, *parameters: float) -> Source64: ...
    @staticmethod
    def of_matrix(matrix: NDArray[Any], factor: float, constant: float) -> Source64: ...
    @staticmethod
    def of_function(
        n_points: int, block: Callable[[NDArray[np.int64], NDArray[np.int64] | None], NDArray[Any]]
    ) -> Source64: ...
    @property
    def exponent_scale(self) -> float: ...
    @property
    def farthest(self) -> list[int]: ...

class Store64:
    def __init__(self, source: Source64, boundaries: NDArray[np.int64], budget: int) -> None: ...

class Program:
    # arrays: direction, low, high, linear, ridge, group, value
    def __init__(self, point: NDArray[np.int64], *arrays: NDArray[Any]) -> None: ...

_Ending = Literal["converged", "steps", "seconds", "watch", "interrupt", "stalled"]

# For each program: values, gradient, violation, steps, ending, similarities (empty if not kept).
def decompose(
    store: Store32 | Store64,
    programs: Sequence[Program],
    similarities: Sequence[NDArray[np.float64] | None],
    tolerance: float,
    most_steps: int,
    working_set: int,
    whole_up_to: int,
    widest: int,
    n_threads: int,
    seconds: float,
    watch: Callable[[int, int, int, float, float, float], bool] | None,
) -> list[
    tuple[NDArray[np.float64], NDArray[np.float64], float, int, _Ending, NDArray[np.float64]]
]: ...
def first_alike(rows: Rows32 | Rows64) -> NDArray[np.int64]: ...
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
def weigh(
    form: Form,
    a: Rows32 | Rows64,
    b: Rows32 | Rows64,
    weights: NDArray[np.float64],
    sums: NDArray[np.float64],
    gamma: float,
    coef0: float,
    degree: int,
    n_threads: int,
) -> bool: ...
def connect_blas(sgemm: object | None, dgemm: object | None) -> None: ...
def simd_levels() -> list[str]: ...
def simd_level() -> str: ...
def use_simd_level(level: str) -> None: ...
