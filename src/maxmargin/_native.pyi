"""The compiled core: native/bindings defines it. tests/test_layers.py says who may import it."""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

# Told problem, problems done, iterations, violation, primal and dual value; True ends the run.
_Watch = Callable[[int, int, int, float, float, float], bool]
_Ending = Literal["converged", "max_iter", "time_limit", "callback", "interrupt", "stalled"]

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
    @staticmethod
    def by_products(
        rows: Rows32 | Rows64,
        boundaries: NDArray[np.int64],
        form: Form,
        gamma: float,
        coef0: float,
        degree: int,
        factor: float,
        constant: float,
        n_threads: int,
    ) -> Source32: ...
    @staticmethod
    def by_blocks(
        rows: Rows32,
        form: Form,
        gamma: float,
        coef0: float,
        degree: int,
        factor: float,
        constant: float,
    ) -> Source32: ...
    @staticmethod
    def of_matrix(
        matrix: NDArray[np.float32] | NDArray[np.float64], factor: float, constant: float
    ) -> Source32: ...
    # The matrix may have more rows and columns than there are points.
    @staticmethod
    def of_resident(matrix: NDArray[np.float32], n_points: int) -> Source32: ...
    @staticmethod
    def of_function(
        n_points: int,
        block: Callable[[NDArray[np.int64], NDArray[np.int64] | None], NDArray[np.float32]],
    ) -> Source32: ...
    @property
    def exponent_scale(self) -> float: ...
    @property
    def farthest(self) -> list[int]: ...

class Store32:
    def __init__(self, source: Source32, boundaries: NDArray[np.int64], budget: int) -> None: ...

class Source64:
    @staticmethod
    def by_products(
        rows: Rows32 | Rows64,
        boundaries: NDArray[np.int64],
        form: Form,
        gamma: float,
        coef0: float,
        degree: int,
        factor: float,
        constant: float,
        n_threads: int,
    ) -> Source64: ...
    @staticmethod
    def by_blocks(
        rows: Rows64,
        form: Form,
        gamma: float,
        coef0: float,
        degree: int,
        factor: float,
        constant: float,
    ) -> Source64: ...
    @staticmethod
    def of_matrix(
        matrix: NDArray[np.float32] | NDArray[np.float64], factor: float, constant: float
    ) -> Source64: ...
    # The matrix may have more rows and columns than there are points.
    @staticmethod
    def of_resident(matrix: NDArray[np.float64], n_points: int) -> Source64: ...
    @staticmethod
    def of_function(
        n_points: int,
        block: Callable[[NDArray[np.int64], NDArray[np.int64] | None], NDArray[np.float64]],
    ) -> Source64: ...
    @property
    def exponent_scale(self) -> float: ...
    @property
    def farthest(self) -> list[int]: ...

class Store64:
    def __init__(self, source: Source64, boundaries: NDArray[np.int64], budget: int) -> None: ...

class QP:
    def __init__(
        self,
        point: NDArray[np.int64],
        direction: NDArray[np.float64],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        linear: NDArray[np.float64],
        ridge: NDArray[np.float64],
        group: NDArray[np.int64],
        value: NDArray[np.float64],
        shares: NDArray[np.float64],
        tolerance: float,
        is_relative_to_margin: bool,
        follows: int,
        left_out: int,
    ) -> None: ...

# For each QP: values, gradient, violation, steps, ending, and the expansion at all points (empty if
# the run did not keep it).
def solve_qps(
    store: Store32 | Store64,
    qps: Sequence[QP],
    widest: int,
    is_resident: bool,
    most_steps: int,
    n_threads: int,
    seconds: float,
    watch: _Watch | None,
    exact_expansion: (
        Callable[[NDArray[np.int64], NDArray[np.float64]], NDArray[np.float64]] | None
    ),
    farthest: Sequence[int],
    row_errors: NDArray[np.float64],
    fine_store: Callable[[], Store64] | None,
) -> list[
    tuple[NDArray[np.float64], NDArray[np.float64], float, int, _Ending, NDArray[np.float64]]
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

class LinearQP:
    def __init__(
        self,
        sign: NDArray[np.float64],
        linear: NDArray[np.float64],
        cost: NDArray[np.float64],
        ridge: NDArray[np.float64],
        n_points: int,
        bias_weight: float,
    ) -> None: ...

class LinearWarmStart:
    def __init__(
        self, weights: NDArray[np.float64], bias: float, multipliers: NDArray[np.float64]
    ) -> None: ...

# Weights, bias, multipliers, iterations, primal, dual, ending.
_LinearSolution = tuple[NDArray[np.float64], float, NDArray[np.float64], int, float, float, _Ending]

def solve_linear(
    method: LinearMethod,
    data: Matrix32 | Matrix64,
    problems: Sequence[LinearQP],
    starts: Sequence[LinearWarmStart],
    gap: float,
    max_iter: int,
    seed: int,
    n_threads: int,
    seconds: float,
    watch: _Watch | None,
) -> list[_LinearSolution]: ...

class OnlineLoss(Enum):
    hinge = 0
    squared_hinge = 1

class OnlineStep(Enum):
    adaptive = 0
    proximal = 1
    pegasos = 2

class OnlineRule:
    def __init__(
        self,
        loss: OnlineLoss,
        step: OnlineStep,
        lambda_: float,
        bias_square: float,
        bias_is_scaled: bool,
        bias_shrinks: bool,
        bias_slope: float,
        highest_penalty: float,
    ) -> None: ...

class OnlineMachines:
    # Keeps the arrays, which change in place.
    def __init__(self, vectors: NDArray[np.float64], numbers: NDArray[np.float64]) -> None: ...

class OnlineRows:
    def __init__(
        self,
        order: NDArray[np.int64],
        labels: NDArray[np.int32],
        importance: NDArray[np.float64],
        penalties: NDArray[np.float64],
    ) -> None: ...

# Returns how many rows were learnt, and what stopped that before the last.
def learn_online(
    data: Matrix32 | Matrix64,
    rows: OnlineRows,
    rule: OnlineRule,
    machines: OnlineMachines,
    n_threads: int,
    seconds: float,
) -> tuple[int, Literal["", "time_limit", "interrupt"]]: ...

class L1Problem:
    def __init__(
        self, sign: NDArray[np.float64], cost: NDArray[np.float64], bias_penalty: float
    ) -> None: ...

# `columns` are the rows of the transposed data; a start is weights and then the bias, or empty.
def solve_l1(
    columns: Rows32 | Rows64,
    problems: Sequence[L1Problem],
    starts: Sequence[NDArray[np.float64]],
    gap: float,
    max_iter: int,
    seed: int,
    n_threads: int,
    seconds: float,
    watch: _Watch | None,
) -> list[_LinearSolution]: ...

class ClassProblem:
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
    problem: ClassProblem,
    start: NDArray[np.float64],
    gap: float,
    max_iter: int,
    seed: int,
    n_threads: int,
    seconds: float,
    watch: _Watch | None,
) -> tuple[
    NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], int, float, float, _Ending
]: ...
def first_alike(rows: Rows32 | Rows64) -> NDArray[np.int64]: ...

# `terms` is square, of dot products or squared distances; `gram` has room behind its rows.
@overload
def map_gram(
    form: Form,
    terms: NDArray[np.float32],
    gram: NDArray[np.float32],
    gamma: float,
    coef0: float,
    degree: int,
    factor: float,
    constant: float,
    n_threads: int,
) -> None: ...
@overload
def map_gram(
    form: Form,
    terms: NDArray[np.float64],
    gram: NDArray[np.float64],
    gamma: float,
    coef0: float,
    degree: int,
    factor: float,
    constant: float,
    n_threads: int,
) -> None: ...

# The values at some points for one vector of coefficients after the other.
def expand(
    gram: NDArray[np.float32] | NDArray[np.float64],
    n_points: int,
    coefficients: NDArray[np.float64],
    at: NDArray[np.int64],
    n_threads: int,
) -> NDArray[np.float64]: ...
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
def connect_lapack(dpotrf: object | None) -> None: ...
def note_interrupt(is_pending: bool) -> None: ...
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
