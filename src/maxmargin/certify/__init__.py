"""Proofs: from problem and solution only, never from a solver's state.

::

    certificate    certify(problem, solution) -> Certificate
    measure        objective values, gap, KKT violation
    weights        the same for a linear machine given by its weights
    linear         the same numbers for l1 and Crammer-Singer machines
    table          the KKT conditions point by point
    convexity      what an indefinite kernel leaves to claim
    margins        functional and geometric margins, positions
    support        free and bounded support vectors
    separability   a separating plane or a common point
"""

from maxmargin.certify.certificate import Certificate, certify
from maxmargin.certify.convexity import Convexity
from maxmargin.certify.linear import crammer_singer_measures, l1_measures
from maxmargin.certify.margins import Margins, Position, margins
from maxmargin.certify.measure import Measures, measure
from maxmargin.certify.separability import (
    CommonPoint,
    SeparatingPlane,
    ZeroCombination,
    separability,
)
from maxmargin.certify.support import SideSupport, SupportAnalysis, analyse_support
from maxmargin.certify.table import KKTRow, KKTTable

__all__ = [
    "Certificate",
    "CommonPoint",
    "Convexity",
    "KKTRow",
    "KKTTable",
    "Margins",
    "Measures",
    "Position",
    "SeparatingPlane",
    "SideSupport",
    "SupportAnalysis",
    "ZeroCombination",
    "analyse_support",
    "certify",
    "crammer_singer_measures",
    "l1_measures",
    "margins",
    "measure",
    "separability",
]
