"""One problem, many ways, the same optimum.

::

    solving     solve, solve_all: the door; explain: which solver, and why
    table       all solvers by name
    base        Solver, SequentialSolver: what every solver is
    solution    Solution: what it returns
    stop        Stop: accuracy and limits
    trace       what it records and shows
    recording   what is seen and kept of runs over several problems
    monitor     clock, gap, trace and ending of methods that run in Python
    starts      feasible points of the dual
    options     checks of the solvers' options
    kernel/     decomposition: any kernel machine, any size
    linear/     linear machines of any size
    qp/         interior-point methods (Clarabel)
    teaching/   the textbooks' methods, to be read and watched
    online/     learning from streams
"""

from maxmargin.solvers.base import SequentialSolver, Solver
from maxmargin.solvers.kernel import Decomposition
from maxmargin.solvers.linear import (
    ClassDescent,
    ClassInteriorPoint,
    CoordinateDescent,
    L1Descent,
    LinearInteriorPoint,
    PrimalNewton,
)
from maxmargin.solvers.monitor import Monitor
from maxmargin.solvers.online import OnlineDescent
from maxmargin.solvers.qp import DualQP, PrimalQP
from maxmargin.solvers.solution import Ending, Solution
from maxmargin.solvers.solving import explain, solve, solve_all
from maxmargin.solvers.starts import snap, starting_point
from maxmargin.solvers.stop import Request, Stop
from maxmargin.solvers.table import SOLVERS, solvers_for
from maxmargin.solvers.teaching import (
    LBFGSB,
    SGD,
    SMO,
    ConstantStep,
    InverseRoot,
    InverseTime,
    Schedule,
    Subgradient,
)
from maxmargin.solvers.trace import Callback, Progress, Record, Trace

__all__ = [
    "LBFGSB",
    "SGD",
    "SMO",
    "SOLVERS",
    "Callback",
    "ClassDescent",
    "ClassInteriorPoint",
    "ConstantStep",
    "CoordinateDescent",
    "Decomposition",
    "DualQP",
    "Ending",
    "InverseRoot",
    "InverseTime",
    "L1Descent",
    "LinearInteriorPoint",
    "Monitor",
    "OnlineDescent",
    "PrimalNewton",
    "PrimalQP",
    "Progress",
    "Record",
    "Request",
    "Schedule",
    "SequentialSolver",
    "Solution",
    "Solver",
    "Stop",
    "Subgradient",
    "Trace",
    "explain",
    "snap",
    "solve",
    "solve_all",
    "solvers_for",
    "starting_point",
]
