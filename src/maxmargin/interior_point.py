"""One convex quadratic program through Clarabel, an interior-point method.

    min 1/2 x'Px + q'x   subject to   Ex = f,   Gx <= h

Goulart, Chen 2024 (Clarabel).
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import clarabel
import numpy as np
from scipy import sparse

from maxmargin.interrupts import pending
from maxmargin.typing import Floats

__all__ = ["InteriorPoint", "Progress", "quadratic_program"]

# Above this number of entries and constraints, the factorisation of faer is faster than Clarabel's.
_LARGE_ENOUGH_FOR_FAER = 20_000


@dataclass(frozen=True)
class Progress:
    """One iteration of the method."""

    iteration: int
    primal: float
    dual: float


@dataclass(frozen=True, eq=False)
class InteriorPoint:
    """The point that was reached, its multipliers, and how the method ended."""

    x: Floats
    #: Multipliers of Ex = f and of Gx <= h; the latter are zero or more.
    equality: Floats
    inequality: Floats
    #: Clarabel's word, such as "Solved" or "MaxIterations".
    ending: str
    iterations: int


def quadratic_program(
    P: Any,
    q: Floats,
    equalities: tuple[Any, Floats],
    inequalities: tuple[Any, Floats],
    *,
    tolerance: float = 1e-9,
    max_iter: int | None = None,
    time_limit: float | None = None,
    callback: Callable[[Progress], bool] | None = None,
) -> InteriorPoint:
    """Solve the program above.

    Parameters
    ----------
    P, q : matrix and vector
        The objective; P is symmetric positive semidefinite.
    equalities, inequalities : (matrix, vector)
        (E, f) and (G, h); either may have no rows.
    tolerance : float
        The relative gap and infeasibility to reach.
    max_iter, time_limit : optional
        At most this many iterations and seconds; `ending` says if one of them ended the run.
    callback : callable, optional
        Called once per iteration; returning True stops the method, as an interrupt does. Its
        exceptions are raised here.
    """
    E, f = equalities
    G, h = inequalities
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    upper = sparse.triu(sparse.csc_matrix(P), format="csc")
    if upper.nnz + G.shape[0] > _LARGE_ENOUGH_FOR_FAER:
        settings.direct_solve_method = "faer"
    if max_iter is not None:
        settings.max_iter = max_iter
    if time_limit is not None:
        settings.time_limit = max(time_limit, 1e-9)
    constraints = sparse.vstack([sparse.csc_matrix(E), sparse.csc_matrix(G)], format="csc")
    cones = [clarabel.ZeroConeT(len(f)), clarabel.NonnegativeConeT(len(h))]
    solver = clarabel.DefaultSolver(upper, q, constraints, np.concatenate([f, h]), cones, settings)
    with _postponed_errors() as raised:

        def each_iteration(info: Any) -> bool:
            try:
                now = Progress(info.iterations, info.cost_primal, info.cost_dual)
                if raised or pending():
                    return True
                return callback is not None and callback(now)
            except BaseException as error:
                # Clarabel prints an exception and drops it; keep it for the caller.
                raised.append(error)
                return True

        solver.set_termination_callback(each_iteration)
        result = solver.solve()
    if raised:
        raise raised[0]
    multipliers = np.asarray(result.z)
    return InteriorPoint(
        x=np.asarray(result.x),
        equality=multipliers[: len(f)],
        inequality=multipliers[len(f) :],
        ending=str(result.status),
        iterations=int(result.iterations),
    )


@contextmanager
def _postponed_errors() -> Iterator[list[BaseException]]:
    """Collect what the handler of interrupts raises, because Clarabel would drop it."""
    raised: list[BaseException] = []
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield raised
        return

    def postpone(number: int, frame: Any) -> None:
        try:
            handler(number, frame)
        except BaseException as error:
            raised.append(error)

    signal.signal(signal.SIGINT, postpone)
    try:
        yield raised
    finally:
        signal.signal(signal.SIGINT, handler)
