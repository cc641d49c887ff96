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

from maxmargin.typing import Floats

__all__ = ["InteriorPoint", "Progress", "quadratic_program"]

_DENSE_ENOUGH_FOR_FAER = 20_000


@dataclass(frozen=True)
class Progress:
    """One iteration as the method reports it."""

    iteration: int
    primal: float
    dual: float


@dataclass(frozen=True, eq=False)
class InteriorPoint:
    """The point reached, its multipliers, and how the method ended.

    Attributes
    ----------
    x : ndarray
        The minimiser.
    equality, inequality : ndarray
        Multipliers of Ex = f and of Gx <= h (zero or more).
    ending : str
        Clarabel's word for it, such as "Solved" or "MaxIterations".
    iterations : int
        Iterations made.
    """

    x: Floats
    equality: Floats
    inequality: Floats
    ending: str
    iterations: int


def quadratic_program(
    P: Any,
    q: Floats,
    equalities: tuple[Any, Floats],
    inequalities: tuple[Any, Floats],
    *,
    tolerance: float = 1e-9,
    iterations: int | None = None,
    seconds: float | None = None,
    observe: Callable[[Progress], bool] | None = None,
) -> InteriorPoint:
    """Solve the program above.

    Parameters
    ----------
    P, q : matrix and vector
        The objective; P is symmetric positive semidefinite.
    equalities, inequalities : (matrix, vector)
        (E, f) and (G, h); either may have no rows.
    tolerance : float
        Relative gap and feasibility asked for.
    iterations, seconds : optional
        Limits.
    observe : callable, optional
        Called once an iteration; returning True stops the method. What it raises is raised here.

    Returns
    -------
    InteriorPoint
        Also where a limit ended the run: `ending` says so.
    """
    E, f = equalities
    G, h = inequalities
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    upper = sparse.triu(sparse.csc_matrix(P), format="csc")
    if upper.nnz + G.shape[0] > _DENSE_ENOUGH_FOR_FAER:
        settings.direct_solve_method = "faer"
    if iterations is not None:
        settings.max_iter = iterations
    if seconds is not None:
        settings.time_limit = seconds
    constraints = sparse.vstack([sparse.csc_matrix(E), sparse.csc_matrix(G)], format="csc")
    cones = [clarabel.ZeroConeT(len(f)), clarabel.NonnegativeConeT(len(h))]
    solver = clarabel.DefaultSolver(upper, q, constraints, np.concatenate([f, h]), cones, settings)
    raised: list[BaseException] = []
    with _postponed_interrupt() as interrupted:

        def each_iteration(info: Any) -> bool:
            if interrupted:
                return True
            try:
                return observe is not None and observe(
                    Progress(info.iterations, info.cost_primal, info.cost_dual)
                )
            except BaseException as error:
                # Clarabel prints and drops what a callback raises; keep it for the caller.
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
def _postponed_interrupt() -> Iterator[list[int]]:
    """Note an interrupt instead of raising it inside Clarabel's callback, which would drop it.

    Yields a list that is empty until an interrupt arrives; its handler is called at the end.
    """
    arrived: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield arrived
        return
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):
        yield arrived
        return
    signal.signal(signal.SIGINT, lambda number, _: arrived.append(number))
    try:
        yield arrived
    finally:
        signal.signal(signal.SIGINT, handler)
        if arrived:
            handler(arrived[0], None)
