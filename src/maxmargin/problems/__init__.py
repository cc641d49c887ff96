"""The optimisation problems as plain data, primal and dual.

::

    points          Points: the rows that problems share, and their kernel
    base            Problem, KernelProblem: what all problems have
    margin          HardMargin, SoftMargin, NuMargin: two classes
    tube            EpsilonTube, NuTube: regression
    one_class       OneClass, Sphere: one class
    l1              L1Margin: two classes, sparse weights
    crammer_singer  CrammerSinger: many classes at once
    bias            Free, Regularised
    quadratic       BoxQP: the quadratic program that is the dual of every kernel machine
    checks          checks of labels, targets, weights and parameters
"""

from maxmargin.problems.base import KernelProblem, Problem
from maxmargin.problems.bias import Bias, Free, Regularised
from maxmargin.problems.crammer_singer import CrammerSinger
from maxmargin.problems.l1 import L1Margin
from maxmargin.problems.margin import HardMargin, NuMargin, SoftMargin
from maxmargin.problems.one_class import OneClass, Sphere
from maxmargin.problems.points import Points
from maxmargin.problems.quadratic import BoxQP, Case
from maxmargin.problems.tube import EpsilonTube, NuTube

__all__ = [
    "Bias",
    "BoxQP",
    "Case",
    "CrammerSinger",
    "EpsilonTube",
    "Free",
    "HardMargin",
    "KernelProblem",
    "L1Margin",
    "NuMargin",
    "NuTube",
    "OneClass",
    "Points",
    "Problem",
    "Regularised",
    "SoftMargin",
    "Sphere",
]
