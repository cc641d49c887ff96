"""Pages about a model and about a study: one file each, without scripts, light or dark.

::

    reporting    report: one page about one model
    studying     study: kernels, grids and costs in one call; a ranking and its page
    page         Report: a finished page; the engine that makes it from templates/ (jinja2)
    sections     what pages say: for each section a title, a template and its data
    subject      the machine inside a pipeline, a search, a calibration; a solution as a model
    evidence     the rows of a report, checked, and what the model predicts
    predictions  of the model itself, or out of fold
    origin       whether it was trained on these rows
    optimality   its certificate, or why there is none
    verdict      what a certificate proves, as a mark and words
    source       a model as Python lines
    candidates   what is studied: kernels over grids, on variants of the data
    runs         training the machines of a study over shared matrices; calibration
    result       Study: the ranked table, in the terminal, as a frame, as a page
    costs        prior and costs of errors; what scores cost
    pictures     pictures that take the page's colours; those of scores
    words        numbers as text

Pages need jinja2, matplotlib and pandas, extra "pages": `sections` and `pictures` import them. The
study itself does not.
"""

from maxmargin.pages.candidates import Family
from maxmargin.pages.costs import Costs
from maxmargin.pages.page import Report, Section
from maxmargin.pages.reporting import report
from maxmargin.pages.result import Study, StudyRow
from maxmargin.pages.studying import study

__all__ = ["Costs", "Family", "Report", "Section", "Study", "StudyRow", "report", "study"]
