"""The computer and the versions of packages, as a report states them."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from benchmarks.library import Library


def describe(libraries: Iterable[Library], earlier: dict[str, Any]) -> dict[str, Any]:
    """Describe the computer, with the versions of these libraries and of those before."""
    versions = {library.package: library.version for library in libraries}
    return {
        "cpu": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "avx512": "avx512f" in _field("flags").split(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "versions": earlier.get("versions", {}) | versions,
    }


def in_words(machine: dict[str, Any]) -> str:
    vector = "with AVX-512" if machine["avx512"] else "without AVX-512"
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    return (
        f"{machine['cpu']}, {machine['cores']} cores {vector}, {machine['memory_gib']} GiB of "
        f"memory; Python {machine['python']}, NumPy {machine['numpy']}, SciPy {machine['scipy']}; "
        f"{versions}."
    )


def _processor() -> str:
    return _field("model name") or platform.machine()


def _field(name: str) -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.split(":")[0].strip() == name:
            return line.split(":", 1)[1].strip()
    return ""
