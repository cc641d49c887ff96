"""One problem, many ways, the same optimum: one file an algorithm.

::

    solve         solve(problem, solver=...): the door
    stop          Stop: accuracy and limits
    monitor       the part that all share: clock, gap, trace, ending
    points        where a run starts, how its end is tidied
    options       checks of the solvers' options
    primal_qp     interior point on the primal        (Clarabel)
    dual_qp       interior point on the dual          (Clarabel)
    decomposition the compiled engine, for any size
    engine        its Python face: programs over shared rows
    answers       what it tells, during the run and at the end
    correction    making up for the rounding of float32 rows
    rescue        what to do when its steps crawl
    program       one dual as the engine takes it
    merging       points that repeat others
    near_starts   starts near a solution that is known
    row_sources   where its rows come from
    memory        how much of them may be kept
    linear        LinearInteriorPoint, PrimalNewton, CoordinateDescent: linear machines of any size
    linear_engine their Python face: programs over one matrix
    linear_choice which of them suits the data
    l1            sparse weights: coordinate descent on the primal
    crammer_singer all classes in one machine: the sequential dual method
    lbfgsb        quasi-Newton on the box-constrained dual (SciPy)
    smo           sequential minimal optimisation, to be read
    subgradient   subgradient descent on the primal
    sgd           Pegasos
    steps         step schedules of the last two
    polish        Newton steps that end the interior-point methods
"""

from maxmargin.solvers.base import Solver
from maxmargin.solvers.decomposition import Decomposition
from maxmargin.solvers.dual_qp import DualQP
from maxmargin.solvers.lbfgsb import LBFGSB
from maxmargin.solvers.linear import CoordinateDescent, LinearInteriorPoint, PrimalNewton
from maxmargin.solvers.monitor import Callback, Monitor
from maxmargin.solvers.points import snap, starting_point
from maxmargin.solvers.primal_qp import PrimalQP
from maxmargin.solvers.sgd import SGD
from maxmargin.solvers.smo import SMO
from maxmargin.solvers.solve import SOLVERS, solve, solvers_for
from maxmargin.solvers.steps import ConstantStep, InverseRoot, InverseTime, Schedule
from maxmargin.solvers.stop import Stop
from maxmargin.solvers.subgradient import Subgradient

__all__ = [
    "LBFGSB",
    "SGD",
    "SMO",
    "SOLVERS",
    "Callback",
    "ConstantStep",
    "CoordinateDescent",
    "Decomposition",
    "DualQP",
    "InverseRoot",
    "InverseTime",
    "LinearInteriorPoint",
    "Monitor",
    "PrimalNewton",
    "PrimalQP",
    "Schedule",
    "Solver",
    "Stop",
    "Subgradient",
    "snap",
    "solve",
    "solvers_for",
    "starting_point",
]
