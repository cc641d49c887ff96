"""What is proved about a solution, from problem and solution only, never from a solver's state.

::

    certificate  certify(problem, solution) -> Certificate; FitCertificate: those of a fit
    measures     objective values, gap, KKT violation
    rounding     bounds on the rounding errors of these numbers
    linear       the same numbers for L1Margin and CrammerSinger
    constraints  multiplier, margin and slack of each constraint at a solution
    table        the KKT conditions point by point
    convexity    what can be claimed with an indefinite kernel
    geometry     functional and geometric margins, positions
    support      free and bounded support vectors
    separation   a separating plane, or a point common to both convex hulls
    subjects     the solutions that estimators, pipelines and searches hold
"""

from maxmargin.certificates.certificate import Certificate, FitCertificate, certify
from maxmargin.certificates.constraints import Constraints, constraints_of
from maxmargin.certificates.convexity import Convexity
from maxmargin.certificates.geometry import Margins, Position, margins
from maxmargin.certificates.linear import measure_crammer_singer, measure_l1
from maxmargin.certificates.measures import Measures, measure_multipliers, measure_weights
from maxmargin.certificates.separation import (
    CommonPoint,
    SeparatingPlane,
    ZeroCombination,
    separability,
)
from maxmargin.certificates.support import SideSupport, SupportAnalysis, analyse_support
from maxmargin.certificates.table import KKTRow, KKTTable

__all__ = [
    "Certificate",
    "CommonPoint",
    "Constraints",
    "Convexity",
    "FitCertificate",
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
    "constraints_of",
    "margins",
    "measure_crammer_singer",
    "measure_l1",
    "measure_multipliers",
    "measure_weights",
    "separability",
]
