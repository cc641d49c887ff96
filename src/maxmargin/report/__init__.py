"""One page about one model: what it was shown, what it is worth, what is proved, how to redo it.

::

    build       the call: model_report
    result      the page, and its file
    subject     the machine inside a pipeline, a search, a calibration
    judged      rows, checked, and what the model says about them
    origin      whether it was trained on these rows
    proofs      its certificate, or why there is none
    columns     what the rows hold
    source      a model as Python lines
    sections    what the page says, a file each
    setting     prior and costs
    grids       which parameters of a grid vary
    graphs      pictures of scores
    drawing     pictures that take the page's colours
    page        the page around the sections
    markup      its elements
    words       its numbers

`maxmargin.study` writes its report with the last seven. `sections`, `graphs` and `drawing` need
matplotlib, extra "plot"; the rest does not.
"""

from maxmargin.report.build import model_report
from maxmargin.report.result import Report

__all__ = ["Report", "model_report"]
