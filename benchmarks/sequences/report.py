"""How the studies write kernels, and the tables of their searches."""

from __future__ import annotations

import os
from dataclasses import fields, is_dataclass
from textwrap import fill
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.page import PAGE, markdown_table, replace_section
from maxmargin.kernels import Kernel, Product, Scaled, Sum

# Parameters that are always shown, even at their defaults.
_ALWAYS = frozenset({"k", "m", "degree", "length", "decay"})


def shown(kernel: Any) -> str:
    """Return the expression that creates the kernel, without parameters at their defaults."""
    if isinstance(kernel, Sum):
        return " + ".join(map(shown, kernel.parts))
    if isinstance(kernel, Product):
        return " * ".join(map(shown, kernel.parts))
    if isinstance(kernel, Scaled):
        return f"{kernel.factor:g} * {shown(kernel.kernel)}"
    if not isinstance(kernel, Kernel) or not is_dataclass(kernel):
        return str(kernel)
    given = [
        f"{field.name}={getattr(kernel, field.name)!r}"
        for field in fields(kernel)
        if field.name in _ALWAYS or getattr(kernel, field.name) != field.default
    ]
    return f"{type(kernel).__name__}({', '.join(given)})"


def best_of_each(search: Any, parameter: str) -> list[tuple[Any, dict[str, Any], float, float]]:
    """Return each value of a parameter with its best candidate, mean score and standard error."""
    results = search.cv_results_
    splits = np.array([results[f"split{k}_test_score"] for k in range(search.n_splits_)])
    best: dict[str, tuple[Any, dict[str, Any], float, float]] = {}
    for place in np.argsort(results["rank_test_score"], kind="stable"):
        params = dict(results["params"][place])
        value = params.pop(parameter)
        error = splits[:, place].std(ddof=1) / np.sqrt(len(splits))
        best.setdefault(repr(value), (value, params, splits[:, place].mean(), error))
    return list(best.values())


def kernel_table(search: Any, score: str) -> str:
    """Return the table of the best C of each kernel, the best kernel first."""
    rows = [
        [f"`{shown(kernel)}`", f"{params['C']:g}", f"{mean:.4f}", f"{error:.4f}"]
        for kernel, params, mean, error in best_of_each(search, "kernel")
    ]
    return markdown_table(["kernel", "C", score, "standard error"], rows)


class Clock:
    """Seconds since it was made."""

    def __init__(self) -> None:
        self._began = perf_counter()

    def __str__(self) -> str:
        return f"{perf_counter() - self._began:.0f} s on {os.cpu_count()} cores"


def record(title: str, *parts: str | list[str]) -> None:
    """Print a section of tables and sentences, and write it into the page."""
    written = [part if isinstance(part, str) else fill(" ".join(part), 110) for part in parts]
    text = "\n\n".join([f"### {title}", *written])
    print(text)
    replace_section(f"study: {title.lower()}", text)
    print(f"Written to {PAGE}")
