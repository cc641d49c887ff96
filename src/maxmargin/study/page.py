"""The report: one page that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources
from string import Template

import maxmargin
from maxmargin.study import pictures, sections
from maxmargin.study.drawing import Picture
from maxmargin.study.markup import Section, figures, paragraph, section
from maxmargin.study.result import StudyResult

__all__ = ["page"]

_PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<style>
$style</style>
</head>
<body>
<header>
<h1>$title</h1>
$introduction
<nav aria-label="Contents"><ul>$links</ul></nav>
</header>
<main>
$body
</main>
<footer><p>Made with maxmargin $version.</p></footer>
</body>
</html>
""")


def page(
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
        parts[f"section-{k}"] = (each.title, sections.own(each))
    grid = [*pictures.curves(result), *pictures.heat_maps(result)]
    if grid:
        parts["grid"] = ("Costs along the grid", [_shown(grid)])
    judged = [pictures.separation(result), *pictures.calibration(result)]
    shown = [*sections.calibrated(result), _shown(judged)]
    parts["calibration"] = ("What calibration does", shown)
    parts["certificates"] = ("Certificates", sections.certificates(result))
    parts["method"] = ("How it was done", sections.method(result))
    return _PAGE.substitute(
        title=escape(title),
        style=resources.files("maxmargin.study").joinpath("report.css").read_text("utf-8"),
        introduction="\n".join(paragraph(text) for text in introduction),
        links="".join(
            f'<li><a href="#{key}">{escape(name)}</a></li>' for key, (name, _) in parts.items()
        ),
        body="\n".join(section(key, name, body) for key, (name, body) in parts.items()),
        version=maxmargin.__version__,
    )


def _shown(found: Iterable[Picture]) -> str:
    return figures((picture.svg, picture.caption) for picture in found)
