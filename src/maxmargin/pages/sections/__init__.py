"""What pages say: for each section a title and a function that returns its data, as plain values.

::

    data         the rows
    predictions  how good they are: classes, costs, residuals, novelty
    grid         scores along one parameter and over two, of searches and studies
    model        support vectors, parameters, how to make it again
    ranking      a study's ranking, its grid, its calibration

The template of a section's name in ``templates/`` lays out its data.
"""

from collections.abc import Sequence

from maxmargin.pages.page import Part, Section
from maxmargin.pages.sections import data, grid, model, predictions, ranking

__all__ = ["REPORT", "study_parts"]

#: The sections of a report.
REPORT = (
    Part("summary", "Summary"),
    Part("data", "The data", data.data_section),
    Part("search", "The search", grid.search_section),
    Part("residuals", "Residuals", predictions.residuals_section),
    Part("novelty", "Inside and outside", predictions.novelty_section),
    Part("classes", "Right and wrong", predictions.classes_section),
    Part("costs", "Errors and costs", predictions.costs_section),
    Part("certificate", "The certificate"),
    Part("support", "Support vectors", model.support_section),
    Part("parameters", "Parameters and times", model.parameters_section),
    Part("again", "How to make it again", model.again_section),
)


def study_parts(own: Sequence[Section]) -> list[Part]:
    """Return the sections of a study's page; those of the author's own come after the ranking."""
    return [
        Part("best", "The best machine"),
        Part("ranking", "The ranking"),
        *(_own(k, section) for k, section in enumerate(own, 1)),
        Part("grid", "Costs along the grid", ranking.grid_section),
        Part("calibration", "What calibration does", ranking.calibration_section),
        Part("certificates", "Certificates", template="certificate"),
        Part("method", "How it was done"),
    ]


def _own(k: int, section: Section) -> Part:
    return Part(f"section-{k}", section.title, lambda _: vars(section), "own")
