"""Gram matrices of strings: ours against NumPy, scikit-learn and packages from PyPI.

The strings are the splice junctions, 3190 of 60 letters each. Slow peers get some of the pairs, and
their time is scaled. `pip install pylcs strkernels` adds peers; absent ones are left out. The table
is written to benchmarks/README.md.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from statistics import median
from typing import Any

import numpy as np
import sklearn
from rich.console import Console
from rich.table import Table
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks import datasets
from benchmarks.page import PAGE, markdown_table, replace_section
from benchmarks.ratios import quiet_seconds, show_seconds
from benchmarks.sequences.report import shown
from maxmargin import __version__
from maxmargin.kernels import (
    CommonSubstrings,
    Kernel,
    Mismatch,
    Spectrum,
    Subsequence,
    WeightedDegree,
)
from maxmargin.kernels.blocks import default_threads, simd_level

REPEATS = 3


@dataclass(frozen=True)
class Peer:
    """Another library's Gram matrix, computed for the first `rows` strings only."""

    name: str
    does: str
    gram: Callable[[list[str]], Any]
    rows: int
    symmetric: bool = False  # each pair is computed once
    same: bool = True  # the values are those of our kernel


@dataclass(frozen=True)
class Case:
    kernel: Kernel
    peers: tuple[Peer, ...]


@dataclass(frozen=True)
class Result:
    kernel: Kernel
    peer: Peer | None
    ours: float
    theirs: float | None


def cases() -> Iterator[Case]:
    counts = Peer("scikit-learn", "CountVectorizer and a sparse product", count_and_multiply, 10**9)
    yield Case(CommonSubstrings(), (BY_NUMPY, *of_pylcs(), *of_strkernels("subsequence")))
    yield Case(CommonSubstrings("distinct"), ())
    yield Case(Spectrum(5), (counts, *of_strkernels("spectrum")))
    yield Case(Spectrum(5, up_to=True), ())
    yield Case(Mismatch(5, 1), ())
    yield Case(WeightedDegree(8), of_strkernels("weighted degree"))
    yield Case(Subsequence(3, decay=0.5), of_strkernels("subsequence"))


def suffix_sums(texts: list[str]) -> np.ndarray:
    """Return the sums of the suffix matrices of all pairs, each computed row by row."""
    coded = [np.frombuffer(text.encode(), dtype=np.uint8) for text in texts]
    gram = np.zeros((len(texts), len(texts)))
    for a, x in enumerate(coded):
        for b, z in enumerate(coded[: a + 1]):
            row, total = np.zeros(len(z) + 1, dtype=np.int64), 0
            for letter in x:
                row[1:] = np.where(z == letter, row[:-1] + 1, 0)
                total += row.sum()
            gram[a, b] = gram[b, a] = total
    return gram


BY_NUMPY = Peer("NumPy", "the suffix matrix row by row", suffix_sums, 30, symmetric=True)


def count_and_multiply(texts: list[str]) -> np.ndarray:
    counter = CountVectorizer(analyzer="char", ngram_range=(5, 5), lowercase=False)
    counts = counter.fit_transform(texts)
    return (counts @ counts.T).toarray()


def of_pylcs() -> tuple[Peer, ...]:
    """The longest common substring by the same recurrence, in C++."""
    if not is_there("pylcs"):
        return ()
    pylcs = import_module("pylcs")

    def longest(texts: list[str]) -> np.ndarray:
        return np.array([pylcs.lcs_string_of_list(text, texts) for text in texts])

    return (Peer("pylcs", "the matrix's maximum instead of its sum", longest, 400, same=False),)


def of_strkernels(which: str) -> tuple[Peer, ...]:
    """String kernels in C."""
    if not is_there("strkernels"):
        return ()
    package = import_module("strkernels")
    made = {
        "subsequence": lambda: package.SubsequenceStringKernel(maxlen=3, ssk_lambda=0.5),
        "spectrum": lambda: package.SpectrumStringKernel(order=5),
        "weighted degree": lambda: package.WeightedDegreeStringKernel(degree=8),
    }[which]()

    def gram(texts: list[str]) -> np.ndarray:
        array = np.array(texts)
        return np.asarray(made(array, array))

    return (Peer("strkernels", f"its {which} kernel", gram, 150, same=False),)


def is_there(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def measure(case: Case, texts: list[str]) -> Iterator[Result]:
    n = len(texts)
    if not case.peers:
        block = partial(case.kernel.block, texts, texts)
        times = [quiet_seconds(block)[0] for _ in range(REPEATS)]
        yield Result(case.kernel, None, median(times), None)
    for peer in case.peers:
        part = texts[: peer.rows]
        m = len(part)
        scale = n * (n + 1) / (m * (m + 1)) if peer.symmetric else (n / m) ** 2
        ours, theirs = [], []
        for _ in range(REPEATS):
            time, mine = quiet_seconds(partial(case.kernel.block, texts, texts))
            ours.append(time)
            time, found = quiet_seconds(partial(peer.gram, part))
            theirs.append(time * scale)
            if peer.same:
                np.testing.assert_array_equal(mine[:m, :m], found)
        yield Result(case.kernel, peer, median(ours), median(theirs))


HEADINGS = ["kernel", "maxmargin (s)", "peer", "what it does", "peer (s)", "measured on", "ratio"]


def columns(result: Result, n: int) -> list[str]:
    kernel, ours = f"`{shown(result.kernel)}`", show_seconds(result.ours)
    if result.peer is None or result.theirs is None:
        return [kernel, ours, "", "", "", "", ""]
    rows = min(result.peer.rows, n)
    return [
        kernel,
        ours,
        result.peer.name,
        result.peer.does,
        show_seconds(result.theirs),
        f"{rows} x {rows}",
        f"{result.theirs / result.ours:.1f}",
    ]


def as_markdown(results: list[Result], n: int) -> str:
    others = "".join(
        f", {name} {version(name)}" for name in ("pylcs", "strkernels") if is_there(name)
    )
    table = markdown_table(HEADINGS, [columns(result, n) for result in results])
    return f"""## Strings

Made by `make bench-sequences`: the whole Gram matrix of the {n} splice junctions, 60 letters each.
Measurements alternate between the libraries; medians of {REPEATS} runs. Slow peers get the first
strings only, and their time is extrapolated to all pairs. maxmargin
{__version__} ({default_threads()} threads, SIMD level {simd_level()}), scikit-learn
{sklearn.__version__}, NumPy {np.__version__}{others}, Python {platform.python_version()},
{os.cpu_count()} cores.

{table}
"""


def main() -> None:
    console = Console()
    texts = [str(text) for text in datasets.load("strings/splice_junction")["X"]]
    results = []
    table = Table(*HEADINGS, title="Strings")
    with console.status("Comparing strings") as status:
        for case in cases():
            status.update(repr(case.kernel))
            for result in measure(case, texts):
                results.append(result)
                table.add_row(*columns(result, len(texts)))
    console.print(table)
    replace_section("strings", as_markdown(results, len(texts)))
    console.print(f"Written to {PAGE}")


if __name__ == "__main__":
    main()
