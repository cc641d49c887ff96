"""Small problems of every kind, with every kernel, bias and weighting, for the contract tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from sklearn.metrics import pairwise

from maxmargin.kernels import (
    RBF,
    Function,
    Kernel,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
)
from maxmargin.problems import (
    Bias,
    EpsilonTube,
    Free,
    HardMargin,
    NuMargin,
    NuTube,
    OneClass,
    Problem,
    Regularised,
    SoftMargin,
    Sphere,
)

Gram = Callable[[np.ndarray, np.ndarray], np.ndarray]


def quadratic(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """A kernel as a user would write it."""
    return (A @ B.T + 1.0) ** 2


def _laplacian(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return pairwise.laplacian_kernel(A, B, gamma=0.4)


def _gaussian(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return pairwise.rbf_kernel(A, B, gamma=0.5)


def _inner(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return A @ B.T


#: Each kernel of ours beside its formula from elsewhere.
KERNELS: dict[str, tuple[Kernel, Gram]] = {
    "linear": (Linear(), _inner),
    "polynomial": (
        Polynomial(gamma=0.5, coef0=1.0, degree=3),
        lambda A, B: pairwise.polynomial_kernel(A, B, gamma=0.5, coef0=1.0, degree=3),
    ),
    "rbf": (RBF(0.5), _gaussian),
    "laplacian": (Laplacian(0.4), _laplacian),
    "precomputed": (Precomputed(), _gaussian),
    "function": (Function(quadratic), quadratic),
    "sum": (Linear() + RBF(0.5), lambda A, B: _inner(A, B) + _gaussian(A, B)),
    "product": (
        Polynomial(gamma=1.0, coef0=1.0, degree=1) * Laplacian(0.4),
        lambda A, B: (_inner(A, B) + 1) * _laplacian(A, B),
    ),
    "scaled": (2.5 * Linear(), lambda A, B: 2.5 * _inner(A, B)),
}

MAPPED_KERNELS = {"linear", "polynomial", "scaled"}
WELL_SCALED_KERNELS = {"linear", "rbf", "laplacian"}

KINDS = (
    "HardMargin",
    "SoftMargin",
    "SoftMargin2",
    "NuMargin",
    "EpsilonTube",
    "NuTube",
    "OneClass",
    "Sphere",
)
UNBIASED_KINDS = {"OneClass", "Sphere"}
BIASES = {"free": Free(), "regularised": Regularised(1.5)}


@dataclass(frozen=True)
class Case:
    """One cell of the contract: which problem, kernel, bias, and whether points are weighted."""

    kind: str
    kernel: str
    bias: str
    weighted: bool

    def __str__(self) -> str:
        weights = "weighted" if self.weighted else "equal"
        return f"{self.kind}-{self.bias}-{self.kernel}-{weights}"


CASES = [
    Case(kind, kernel, bias, weighted)
    for kind, kernel, bias, weighted in product(KINDS, KERNELS, BIASES, (False, True))
    if bias == "free" or kind not in UNBIASED_KINDS
]


@dataclass(frozen=True, eq=False)
class Numbers:
    """The data and parameters of a case, for our problems and for the references alike."""

    X: np.ndarray
    y: np.ndarray | None
    weight: np.ndarray
    C: float = 2.0
    nu: float = 0.4
    epsilon: float = 0.2


@cache
def points(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Points in three dimensions: separable for a hard margin, off the origin for one class."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(24, 3))
    if kind in ("EpsilonTube", "NuTube"):
        return X, X @ [1.0, -0.5, 0.2] + np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=24)
    y = np.repeat([1.0, -1.0], 12)
    X[:, 0] += (2.5 if kind == "HardMargin" else 0.7) * y
    return (X + 1.0 if kind in UNBIASED_KINDS else X), y


def numbers(case: Case) -> Numbers:
    """Return the data of a case; weights lie between 0.3 and 2, and one point has none."""
    X, y = points(case.kind)
    weight = np.ones(len(X))
    if case.weighted:
        weight = np.random.default_rng(3).uniform(0.3, 2.0, len(X))
        weight[5] = 0.0
    return Numbers(X, None if case.kind in UNBIASED_KINDS else y, weight)


def build(case: Case) -> Problem:
    """Return the case as a problem of ours."""
    data = numbers(case)
    kernel, gram = KERNELS[case.kernel]
    if case.kernel == "precomputed":
        data = replace(data, X=gram(data.X, data.X))
    return make(case.kind, data, kernel=kernel, bias=BIASES[case.bias], weighted=case.weighted)


def make(
    kind: str,
    data: Numbers,
    *,
    kernel: Kernel = Linear(),
    bias: Bias = Free(),
    weighted: bool = True,
) -> Problem:
    """Return a problem of a kind on the given data."""
    X, y = data.X, data.y
    shared: dict[str, Any] = {"kernel": kernel}
    if weighted:
        shared["sample_weight"] = data.weight
    if kind == "OneClass":
        return OneClass(X, nu=data.nu, **shared)
    if kind == "Sphere":
        return Sphere(X, C=sphere_cost(data), **shared)
    shared["bias"] = bias
    makers: dict[str, Callable[[], Problem]] = {
        "HardMargin": lambda: HardMargin(X, y, **shared),
        "SoftMargin": lambda: SoftMargin(X, y, C=data.C, **shared),
        "SoftMargin2": lambda: SoftMargin(X, y, C=data.C, loss="squared_hinge", **shared),
        "NuMargin": lambda: NuMargin(X, y, nu=data.nu, **shared),
        "EpsilonTube": lambda: EpsilonTube(X, y, C=data.C, epsilon=data.epsilon, **shared),
        "NuTube": lambda: NuTube(X, y, C=data.C, nu=data.nu, **shared),
    }
    return makers[kind]()


def draw(kind: str, seed: int, n: int = 12, d: int = 2, decimals: int = 3) -> Numbers:
    """Return random data of a kind; few decimals make ties, duplicates and other degeneracies."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    weight = np.round(rng.uniform(0.5, 2.0, n), 1)
    if kind in ("EpsilonTube", "NuTube"):
        return Numbers(np.round(X, decimals), np.round(X[:, 0] + rng.normal(size=n), 2), weight)
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    X[:, 0] += (4.0 if kind == "HardMargin" else 0.5) * y
    X = np.round(X, decimals)
    return Numbers(X + 1.0, None, weight) if kind in UNBIASED_KINDS else Numbers(X, y, weight)


def sphere_cost(data: Numbers) -> float:
    """Return the C with which a sphere leaves a fraction nu of the weight outside."""
    return 1.0 / (data.nu * float(data.weight.sum()))


def able(case: Case) -> set[str]:
    """Return the solvers that ought to solve a case."""
    solvers = {"dual-qp", "decomposition", "smo"}
    if case.kernel in MAPPED_KERNELS:
        solvers.add("primal-qp")
    if case.bias == "regularised" and case.kind not in ("NuMargin", "NuTube"):
        solvers.add("lbfgsb")
    if case.kind not in ("HardMargin", "SoftMargin2"):
        solvers |= {"subgradient", "sgd"}
    if case.kernel == "linear" and case.kind in ("SoftMargin", "SoftMargin2", "EpsilonTube"):
        solvers |= {"linear-interior-point", "coordinate-descent"}
        if case.kind == "SoftMargin2":
            solvers.add("primal-newton")
    if case.kernel == "linear" and case.kind in ("SoftMargin", "SoftMargin2", "OneClass"):
        solvers.add("online")
    return solvers
