"""The report of a study."""

from __future__ import annotations

from collections.abc import Sequence

from maxmargin.report.markup import figures, paragraph
from maxmargin.report.page import page
from maxmargin.study import pictures, sections
from maxmargin.study.own import Section
from maxmargin.study.result import StudyResult

__all__ = ["study_page"]


def study_page(
    result: StudyResult, title: str, introduction: Sequence[str], extra: Sequence[Section]
) -> str:
    """Return the page.

    Parameters
    ----------
    result : StudyResult
        What it reports.
    title : str
        Of the page.
    introduction : sequence of str
        Paragraphs that come first.
    extra : sequence of Section
        Sections behind the ranking.
    """
    parts: dict[str, tuple[str, list[str]]] = {
        "best": ("The best machine", sections.best(result)),
        "ranking": ("The ranking", sections.ranking(result)),
    }
    for k, each in enumerate(extra, 1):
        parts[f"section-{k}"] = (each.title, each.parts())
    grid = [*pictures.curves(result), *pictures.heat_maps(result)]
    if grid:
        parts["grid"] = ("Costs along the grid", [figures(grid)])
    judged = [pictures.separation(result), *pictures.calibration(result)]
    shown = [*sections.calibrated(result), figures(judged)]
    parts["calibration"] = ("What calibration does", shown)
    parts["certificates"] = ("Certificates", sections.certificates(result))
    parts["method"] = ("How it was done", sections.method(result))
    return page(title, map(paragraph, introduction), parts)
