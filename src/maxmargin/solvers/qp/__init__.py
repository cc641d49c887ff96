"""Interior-point methods on the primal and the dual, through Clarabel.

::

    primal  PrimalQP: for kernels with an explicit feature map
    dual    DualQP: for any convex problem of moderate size
    polish  Newton steps that end both
"""

from maxmargin.solvers.qp.dual import DualQP
from maxmargin.solvers.qp.primal import PrimalQP

__all__ = ["DualQP", "PrimalQP"]
