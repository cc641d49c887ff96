"""The compiled core. Only `maxmargin.kernels.blocks` and the engines' modules import it."""

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
    # arrays: direction, low, high, linear, ridge, group, value, shares
    def __init__(self, point: NDArray[np.int64], *arrays: NDArray[Any]) -> None: ...

_Ending = Literal["converged", "steps", "seconds", "watch", "interrupt", "stalled"]

# For each program: values, gradient, violation, steps, ending, similarities (empty if not kept),
# and what the run added to each of their parts.
def decompose(
    store: Store32 | Store64,
    programs: Sequence[Program],
    similarities: Sequence[NDArray[np.float64] | None],
    tolerance: float,
    most_steps: int,
    working_set: int,
    whole_up_to: int,
    widest: int,
    in_step: int,
    n_threads: int,
    seconds: float,
    watch: Callable[[int, int, int, float, float, float], bool] | None,
) -> list[
    tuple[
        NDArray[np.float64],
        NDArray[np.float64],
        float,
        int,
        _Ending,
        NDArray[np.float64],
        NDArray[np.float64],
    ]
]: ...

class LinearMethod(Enum):
    interior_point = 0
    newton = 1
    coordinate_descent = 2

class Matrix32:
    @staticmethod
    def dense(array: NDArray[np.float32]) -> Matrix32: ...
    @staticmethod
    def csr(
        values: NDArray[np.float32],
        columns: NDArray[np.int32],
        starts: NDArray[np.int64],
        n_columns: int,
    ) -> Matrix32: ...

class Matrix64:
    @staticmethod
    def dense(array: NDArray[np.float64]) -> Matrix64: ...
    @staticmethod
    def csr(
        values: NDArray[np.float64],
        columns: NDArray[np.int32],
        starts: NDArray[np.int64],
        n_columns: int,
    ) -> Matrix64: ...

class LinearProgram:
    # arrays: sign, linear, cost, ridge; then n_points and bias_weight
    def __init__(self, *arguments: Any) -> None: ...

class LinearStart:
    def __init__(
        self, weights: NDArray[np.float64], bias: float, multipliers: NDArray[np.float64]
    ) -> None: ...

# For each program: weights, bias, multipliers, iterations, primal, dual, ending.
def solve_linear(
    method: LinearMethod,
    data: Matrix32 | Matrix64,
    programs: Sequence[LinearProgram],
    starts: Sequence[LinearStart],
    gap: float,
    most_iterations: int,
    seed: int,
    n_threads: int,
    seconds: float,
    watch: Callable[[int, int, int, float, float, float], bool] | None,
) -> list[tuple[NDArray[np.float64], float, NDArray[np.float64], int, float, float, _Ending]]: ...

class OnlineLoss(Enum):
    hinge = 0
    squared_hinge = 1

class OnlineStep(Enum):
    adaptive = 0
    proximal = 1
    pegasos = 2

class OnlineRule:
    # parameters: lambda, bias_square, bias_is_scaled, bias_shrinks, bias_slope, highest_price
    def __init__(self, loss: OnlineLoss, step: OnlineStep, *parameters: float) -> None: ...

class OnlineMachines:
    # Keeps the arrays, which change in place.
    def __init__(self, vectors: NDArray[np.float64], numbers: NDArray[np.float64]) -> None: ...

class OnlineRows:
    def __init__(
        self,
        order: NDArray[np.int64],
        labels: NDArray[np.int32],
        importance: NDArray[np.float64],
        prices: NDArray[np.float64],
    ) -> None: ...

# Returns how many rows were learnt, and what stopped that before the last.
def learn_online(
    data: Matrix32 | Matrix64,
    rows: OnlineRows,
    rule: OnlineRule,
    machines: OnlineMachines,
    n_threads: int,
    seconds: float,
) -> tuple[int, Literal["", "seconds", "interrupt"]]: ...

class L1Program:
    def __init__(
        self, sign: NDArray[np.float64], cost: NDArray[np.float64], bias_price: float
    ) -> None: ...

# `columns` are the rows of the transposed data; a start is weights and then the bias, or empty.
# For each program: weights, bias, multipliers, iterations, primal, dual, ending.
def solve_l1(
    columns: Rows32 | Rows64,
    programs: Sequence[L1Program],
    starts: Sequence[NDArray[np.float64]],
    gap: float,
    most_iterations: int,
    seed: int,
    n_threads: int,
    seconds: float,
    watch: Callable[[int, int, int, float, float, float], bool] | None,
) -> list[tuple[NDArray[np.float64], float, NDArray[np.float64], int, float, float, _Ending]]: ...

class ClassProgram:
    def __init__(
        self,
        label: NDArray[np.int32],
        cost: NDArray[np.float64],
        n_classes: int,
        bias_scale: float,
    ) -> None: ...

# Weights class by class, biases, multipliers point by point, iterations, primal, dual, ending.
def solve_crammer_singer(
    rows: Rows32 | Rows64,
    program: ClassProgram,
    start: NDArray[np.float64],
    gap: float,
    most_iterations: int,
    seed: int,
    n_threads: int,
    seconds: float,
    watch: Callable[[int, int, int, float, float, float], bool] | None,
) -> tuple[
    NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], int, float, float, _Ending
]: ...
def first_alike(rows: Rows32 | Rows64) -> NDArray[np.int64]: ...

# `sums` is square, of dot products or distances; `gram` has room behind its rows.
def map_gram(
    form: Form,
    sums: NDArray[Any],
    gram: NDArray[Any],
    gamma: float,
    coef0: float,
    degree: int,
    factor: float,
    constant: float,
    n_threads: int,
) -> None: ...

class Stage:
    def __init__(
        self,
        start: NDArray[np.float64],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        linear: NDArray[np.float64],
        group: NDArray[np.int64],
        factor: float,
        tolerance: float,
        coarse: float,
        most_steps: int,
    ) -> None: ...

class _Sweep:
    def __init__(
        self,
        gram: NDArray[Any],
        n_points: int,
        points: NDArray[np.int64],
        n_groups: int,
        loose: bool,
        precise: bool,
    ) -> None: ...
    # By sweep: values, gradient, violation, steps, ending.
    @staticmethod
    def solve(
        sweeps: Sequence[_Sweep],
        stages: Sequence[Stage],
        n_threads: int,
        watch: Callable[[int, int, int, float, float, float], bool] | None,
    ) -> list[tuple[NDArray[np.float64], NDArray[np.float64], float, int, _Ending]]: ...
    # One sweep after the other, at all points each.
    @staticmethod
    def similarities(
        sweeps: Sequence[_Sweep], at: NDArray[np.int64], n_threads: int
    ) -> NDArray[np.float64]: ...
    def set_similarities(self, known: NDArray[np.float64]) -> None: ...

class Sweep32(_Sweep): ...
class Sweep64(_Sweep): ...

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

class Sequences:
    @staticmethod
    def of(codes: NDArray[np.int32], starts: NDArray[np.int64]) -> Sequences: ...

class Comparison:
    def fill(
        self,
        rows: NDArray[np.int64] | None,
        columns: NDArray[np.int64] | None,
        out: NDArray[np.float64],
        n_threads: int,
    ) -> None: ...
    def fill_diagonal(self, out: NDArray[np.float64], n_threads: int) -> None: ...
    @property
    def n_left(self) -> int: ...
    @property
    def n_right(self) -> int: ...

def common_substrings(
    left: Sequences, right: Sequences, distinct: bool, shortest: int, longest: int
) -> Comparison: ...
def spectrum(left: Sequences, right: Sequences, shortest: int, longest: int) -> Comparison: ...
def mismatch(
    left: Sequences, right: Sequences, window: int, weights: NDArray[np.float64]
) -> Comparison: ...
def weighted_degree(left: Sequences, right: Sequences, degree: int, shift: int) -> Comparison: ...
def subsequence(left: Sequences, right: Sequences, length: int, decay: float) -> Comparison: ...
def longest_common_substring(x: NDArray[np.int32], z: NDArray[np.int32]) -> tuple[int, int]: ...

# What is wrong ("" for nothing), the bytes at which its line and its token begin and the token
# ends; then values, columns, starts, labels, queries and the number of columns.
_Parsed = tuple[
    str,
    int,
    int,
    int,
    tuple[
        NDArray[Any],
        NDArray[np.int32],
        NDArray[np.int64],
        NDArray[np.float64],
        NDArray[np.int64],
        int,
    ],
]

def parse_libsvm32(block: bytes, first_index: int, n_columns: int) -> _Parsed: ...
def parse_libsvm64(block: bytes, first_index: int, n_columns: int) -> _Parsed: ...
def format_libsvm(
    values: NDArray[np.float64],
    columns: NDArray[np.int32],
    starts: NDArray[np.int64],
    labels: NDArray[np.float64],
    queries: NDArray[np.int64] | None,
    first_index: int,
) -> bytes: ...
