"""Ratios and times: their means, and how a table shows them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np


def geometric_mean(ratios: Iterable[float | None]) -> tuple[float, int]:
    """The mean of those that exist, and how many they are."""
    known = [ratio for ratio in ratios if ratio is not None]
    return (float(np.exp(np.mean(np.log(known)))) if known else float("nan")), len(known)


def show_seconds(value: float) -> str:
    if value < 0.01:
        return f"{value:.4f}"
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def show_ratio(value: float | None) -> str:
    return "" if value is None or value != value else f"{value:.2f}"
