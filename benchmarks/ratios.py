"""Ratios and times: their means, how many runs they are of, and how a table shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable

import numpy as np


def geometric_mean(ratios: Iterable[float | None]) -> tuple[float, int]:
    """The mean of those that exist, and how many they are."""
    known = [ratio for ratio in ratios if ratio is not None]
    return (float(np.exp(np.mean(np.log(known)))) if known else float("nan")), len(known)


def runs_of_each(measured: Iterable[Hashable]) -> str:
    """How many runs there are of what was measured: "3", or "1 to 3"."""
    counts = Counter(measured).values()
    few, many = min(counts, default=0), max(counts, default=0)
    return f"{many}" if few == many else f"{few} to {many}"


def show_seconds(value: float) -> str:
    if value < 0.01:
        return f"{value:.4f}"
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def show_ratio(value: float | None) -> str:
    return "" if value is None or value != value else f"{value:.2f}"
