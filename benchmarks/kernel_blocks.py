"""Kernel blocks on real data: ours against scikit-learn's, side by side in one run.

Measurements alternate between the libraries, and medians count; the table is written to
benchmarks/README.md. If the data sets are absent, scikit-learn's digits replace them.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import scipy
import sklearn
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_digits
from sklearn.metrics import pairwise

from benchmarks import datasets
from benchmarks.page import PAGE, markdown_table, replace_section
from benchmarks.ratios import QUIET, geometric_mean, quiet_seconds
from maxmargin import __version__
from maxmargin.kernels import RBF, Chi2, Kernel, Laplacian, Linear, Polynomial, Sigmoid
from maxmargin.kernels.blocks import default_threads, simd_level

REPEATS = 7
BLOCK_ROWS = 1000


@dataclass(frozen=True)
class Case:
    data: str
    kernel: Kernel
    peer: Callable[[Any, Any], Any]
    A: Any
    B: Any


@dataclass(frozen=True)
class Result:
    case: Case
    ours: float
    peer: float
    difference: float


def kernels(scale: float) -> Iterator[tuple[Kernel, Callable[[Any, Any], Any]]]:
    yield Linear(), pairwise.linear_kernel
    yield (
        Polynomial(scale, 1.0, 3),
        lambda A, B: pairwise.polynomial_kernel(A, B, degree=3, gamma=scale, coef0=1.0),
    )
    yield RBF(scale), lambda A, B: pairwise.rbf_kernel(A, B, gamma=scale)
    yield Sigmoid(scale, 0.5), lambda A, B: pairwise.sigmoid_kernel(A, B, gamma=scale, coef0=0.5)
    yield Laplacian(scale), lambda A, B: pairwise.laplacian_kernel(A, B, gamma=scale)


def cases() -> Iterator[Case]:
    for name, X in real_data():
        A, B = X[:BLOCK_ROWS], X
        scale = 1.0 / X.shape[1]
        for kernel, peer in kernels(scale):
            # Without matrix products distances take longer, so fewer rows are enough.
            yield Case(name, kernel, peer, A[:100] if kernel == Laplacian(scale) else A, B)
        if not scipy.sparse.issparse(X) and X.min() >= 0:
            yield Case(
                name,
                Chi2(scale),
                lambda A, B, g=scale: pairwise.chi2_kernel(A, B, gamma=g),
                A[:100],
                B,
            )


def real_data() -> Iterator[tuple[str, Any]]:
    if datasets.folder() is None:
        yield "digits, float64", load_digits().data
        return
    mnist = datasets.load("images/mnist")["X"][:20000].reshape(20000, -1) / 255
    yield "MNIST 20k, float32", mnist.astype(np.float32)
    yield "MNIST 20k, float64", mnist
    covtype = datasets.load("classification/covtype")["X"][:30000].astype(np.float32)
    yield "covtype 30k, float32", (covtype - covtype.mean(0)) / (covtype.std(0) + 1e-6)
    yield "a9a, CSR float64", datasets.load("classification/a9a")["X"].astype(np.float64)
    yield "w8a, CSR float64", datasets.load("classification/w8a")["X"].astype(np.float64)


def measure(case: Case) -> Result:
    ours, peers = [], []
    for _ in range(REPEATS):
        time, mine = quiet_seconds(lambda: case.kernel.block(case.A, case.B))
        ours.append(time)
        time, theirs = quiet_seconds(lambda: case.peer(case.A, case.B))
        peers.append(time)
    theirs = theirs.toarray() if scipy.sparse.issparse(theirs) else theirs
    scale = max(1.0, float(np.abs(theirs).max()))
    difference = float(np.abs(mine - theirs).max()) / scale
    return Result(case, median(ours), median(peers), difference)


def columns(result: Result) -> list[str]:
    case = result.case
    return [
        case.data,
        type(case.kernel).__name__,
        f"{case.A.shape[0]} x {case.B.shape[0]} x {case.B.shape[1]}",
        f"{1e3 * result.ours:.1f}",
        f"{1e3 * result.peer:.1f}",
        f"{result.peer / result.ours:.1f}",
        f"{result.difference:.0e}",
    ]


HEADINGS = ["data", "kernel", "block", "maxmargin (ms)", "scikit-learn (ms)", "ratio", "difference"]


def as_markdown(results: list[Result]) -> str:
    ratio, _ = geometric_mean(result.peer / result.ours for result in results)
    table = markdown_table(HEADINGS, [columns(result) for result in results])
    return f"""## Kernel blocks

Made by `make bench-kernels`. Measurements alternate between the libraries, with a pause of
{QUIET} s before each, so that the threads of the other are asleep; medians of {REPEATS} runs.
maxmargin {__version__} ({default_threads()} threads, SIMD level {simd_level()}), scikit-learn
{sklearn.__version__}, NumPy {np.__version__}, SciPy {scipy.__version__}, Python
{platform.python_version()}, {os.cpu_count()} cores. "difference" is the largest difference between
both results, relative to the largest entry (float32 has a precision of 1e-7).

{table}

Geometric mean of the ratios: {ratio:.1f}.
"""


def main() -> None:
    console = Console()
    results = []
    table = Table(*HEADINGS, title="Kernel blocks")
    with console.status("Measuring kernel blocks") as status:
        for case in cases():
            status.update(f"{case.data}: {case.kernel!r}")
            results.append(measure(case))
            table.add_row(*columns(results[-1]))
    console.print(table)
    if datasets.folder() is not None:
        replace_section("kernel blocks", as_markdown(results))
        console.print(f"Written to {PAGE}")


if __name__ == "__main__":
    main()
