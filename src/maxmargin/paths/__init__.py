"""The solutions of a machine at every C.

::

    exact      svm_path: the exact solutions of a kernel machine at every C
    linear     linear_path: linear machines at chosen values of C
    tracing    the exact path from one breakpoint to the next
    start      the position at which it starts, or restarts
    steps      its next step: direction and length
    position   C, the bias and the set of each point
    elbow      the points on the margin and their equations
    arguments  arguments that are refused beside a problem
"""

from maxmargin.paths.exact import SVMPath, svm_path
from maxmargin.paths.linear import LinearPath, linear_path
from maxmargin.paths.tracing import PathEvent

__all__ = ["LinearPath", "PathEvent", "SVMPath", "linear_path", "svm_path"]
