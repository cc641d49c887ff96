"""What a report says, a file for each section; each function returns elements of the page.

::

    summary      what it is about, and what matters most
    data         the rows
    search       scores over a grid
    classes      confusion matrix, precision and recall
    costs        two classes: errors, costs, calibration
    regression   residuals and the tube
    novelty      scores of a one-class machine
    certificate  what is proved
    support      support vectors
    making       parameters, times, versions, how to make it again
"""

from maxmargin.report.sections.certificate import certificate
from maxmargin.report.sections.classes import classes
from maxmargin.report.sections.costs import costs
from maxmargin.report.sections.data import data
from maxmargin.report.sections.making import parameters, reproduction
from maxmargin.report.sections.novelty import novelty
from maxmargin.report.sections.regression import regression
from maxmargin.report.sections.search import search
from maxmargin.report.sections.summary import summary
from maxmargin.report.sections.support import support

__all__ = [
    "certificate",
    "classes",
    "costs",
    "data",
    "novelty",
    "parameters",
    "regression",
    "reproduction",
    "search",
    "summary",
    "support",
]
