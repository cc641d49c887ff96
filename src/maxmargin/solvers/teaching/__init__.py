"""Methods of the textbooks, written to be read and watched.

::

    smo          SMO: sequential minimal optimisation
    subgradient  Subgradient: subgradient descent on the primal
    sgd          SGD: Pegasos
    lbfgsb       LBFGSB: quasi-Newton on the box-constrained dual (SciPy)
    step_sizes   the schedules of the subgradient methods
"""

from maxmargin.solvers.teaching.lbfgsb import LBFGSB
from maxmargin.solvers.teaching.sgd import SGD
from maxmargin.solvers.teaching.smo import SMO
from maxmargin.solvers.teaching.step_sizes import ConstantStep, InverseRoot, InverseTime, Schedule
from maxmargin.solvers.teaching.subgradient import Subgradient

__all__ = [
    "LBFGSB",
    "SGD",
    "SMO",
    "ConstantStep",
    "InverseRoot",
    "InverseTime",
    "Schedule",
    "Subgradient",
]
