"""A whole study in one call: kernels, grids, preprocessing, costs; a ranking and a report.

::

    conduct      the call: study
    families     what is studied: kernels over grids
    preparation  variants of the data
    protocol     who is trained on which rows, and judged on which
    runs         training everything over shared matrices
    ranking      from scores to rows
    rows         one machine each
    result       the ranked table, in the terminal, as a frame, as a page
    groups       rows along one parameter or two, for the pictures
    pictures     curves, heat maps, calibration
    page         the report
    sections     its parts
    own          sections by its author

Pages, their elements and their colours are those of `maxmargin.report`. `pictures` and `page` need
matplotlib, extra "plot"; the rest does not.
"""

from maxmargin.study.conduct import study
from maxmargin.study.families import Family
from maxmargin.study.own import Section
from maxmargin.study.result import StudyResult
from maxmargin.study.rows import Costs, StudyRow

__all__ = ["Costs", "Family", "Section", "StudyResult", "StudyRow", "study"]
