"""Linear machines of any size, by compiled methods behind one driver.

::

    driver                what they share: grouping, warm starts, when to stop
    margin                CoordinateDescent, LinearInteriorPoint, PrimalNewton: margins and tubes
    l1                    L1Descent: sparse weights
    crammer_singer        ClassDescent: all classes in one machine
    class_interior_point  ClassInteriorPoint: the same by interior points
    class_system          its linear system
    choice                which of them suits the data
    engine                the compiled solvers
"""

from maxmargin.solvers.linear.choice import linear_solver
from maxmargin.solvers.linear.class_interior_point import ClassInteriorPoint
from maxmargin.solvers.linear.crammer_singer import ClassDescent
from maxmargin.solvers.linear.l1 import L1Descent
from maxmargin.solvers.linear.margin import CoordinateDescent, LinearInteriorPoint, PrimalNewton

__all__ = [
    "ClassDescent",
    "ClassInteriorPoint",
    "CoordinateDescent",
    "L1Descent",
    "LinearInteriorPoint",
    "PrimalNewton",
    "linear_solver",
]
