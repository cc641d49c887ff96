"""A Gram matrix computed in stripes: each pair of points once, with a pause after each stripe."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.solution import Ending
from maxmargin.typing import Floats, Integers

__all__ = ["Pause", "UnfinishedGramError", "fill_symmetric"]

#: Told the share of the pairs that is done; a return value other than None ends the filling.
Pause = Callable[[float], Any]

Reason = TypeVar("Reason")

# Seconds that a stripe should take. The first has few rows, because the time per pair is not known
# yet; each of the next has at most _MOST_GROWTH times as many rows as the one before.
_SECONDS = 0.05
_FIRST_ROWS = 16
_MOST_GROWTH = 4

# Kernels on sequences compare this many at once; a stripe has at most this many entries.
_LANES = 64
_MOST_ENTRIES = 1 << 22


class UnfinishedGramError(Exception):
    """A run ended while the kernel's matrix was being computed."""

    def __init__(self, ending: Ending) -> None:
        super().__init__("The run ended before the kernel matrix was complete.")
        self.ending: Ending = ending


def fill_symmetric(
    out: NDArray[Any],
    block: Callable[[Integers, Integers | None], Floats],
    pause: Callable[[float], Reason | None],
) -> Reason | None:
    """Fill a matrix with a symmetric kernel's values within some points.

    Parameters
    ----------
    out : ndarray of shape (n, n)
        Any float type.
    block : callable
        The values between some rows and some columns, as `Kernel.within` gives it.
    pause : callable
        Asked after each stripe, with the share of the pairs that is done; whatever it returns but
        None ends the filling.

    Returns
    -------
    None, or what `pause` returned before the matrix was complete.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import Spectrum
    >>> from maxmargin.solvers.kernel.stripes import fill_symmetric
    >>> gram = np.empty((2, 2))
    >>> fill_symmetric(gram, Spectrum(1).within(["aa", "ab"]), lambda share: None)
    >>> gram
    array([[4., 2.],
           [2., 2.]])
    """
    n = len(out)
    everything = np.arange(n)
    start, n_rows = 0, _FIRST_ROWS
    while start < n:
        end = min(start + n_rows, n)
        began = perf_counter()
        values = block(everything[start:end], everything[:end])
        out[start:end, :end] = values
        out[:start, start:end] = values[:, :start].T
        seconds_per_pair = (perf_counter() - began) / values.size
        reason = pause((end / n) ** 2)
        if reason is not None and end < n:
            return reason
        n_rows = _next_rows(n_rows, seconds_per_pair * min(n, 2 * end), n)
        start = end
    return None


def _next_rows(n_rows: int, seconds_per_row: float, n: int) -> int:
    wanted = min(
        int(_SECONDS / max(seconds_per_row, 1e-9)), _MOST_GROWTH * n_rows, _MOST_ENTRIES // n
    )
    return wanted - wanted % _LANES if wanted > _LANES else max(wanted, 1)
