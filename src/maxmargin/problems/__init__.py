"""The optimisation problems as plain data, primal and dual.

::

    margin      HardMargin, SoftMargin, NuMargin: two classes
    tube        EpsilonTube, NuTube: regression
    support     OneClass, Sphere: one class
    bias        Free, Regularised
    quadratic   the quadratic program that every dual is
    gram        the matrix in it
    solution    Solution: what a solver returns
    trace       how it got there
"""

from maxmargin.problems.base import Problem
from maxmargin.problems.bias import Bias, Free, Regularised
from maxmargin.problems.margin import HardMargin, NuMargin, SoftMargin
from maxmargin.problems.quadratic import BoxQP, Case
from maxmargin.problems.solution import Solution
from maxmargin.problems.support import OneClass, Sphere
from maxmargin.problems.trace import Record, Trace
from maxmargin.problems.tube import EpsilonTube, NuTube

__all__ = [
    "Bias",
    "BoxQP",
    "Case",
    "EpsilonTube",
    "Free",
    "HardMargin",
    "NuMargin",
    "NuTube",
    "OneClass",
    "Problem",
    "Record",
    "Regularised",
    "SoftMargin",
    "Solution",
    "Sphere",
    "Trace",
]
