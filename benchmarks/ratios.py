"""Ratios and times: their means, and how a table shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter, sleep
from typing import Any

import numpy as np

# Seconds: OpenBLAS's threads keep a core busy for some 25 ms after a product.
QUIET = 0.1


def quiet_seconds(function: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds and the value of a call, after the threads of others went to sleep."""
    sleep(QUIET)
    start = perf_counter()
    value = function()
    return perf_counter() - start, value


def geometric_mean(ratios: Iterable[float | None]) -> tuple[float, int]:
    """Return the mean of the ratios that exist, and their number."""
    known = [ratio for ratio in ratios if ratio is not None]
    return (float(np.exp(np.mean(np.log(known)))) if known else float("nan")), len(known)


def show_seconds(value: float) -> str:
    if value < 0.01:
        return f"{value:.4f}"
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def show_ratio(value: float | None) -> str:
    return "" if value is None or value != value else f"{value:.2f}"
