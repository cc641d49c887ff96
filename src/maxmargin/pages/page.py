"""A finished page and its file, and the template engine that makes it from sections."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import maxmargin
from maxmargin.errors import InvalidInputError, MissingDependencyError
from maxmargin.files import replacing
from maxmargin.pages import words

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["Part", "Report", "Section", "environment", "render", "require_extra"]


@dataclass(frozen=True)
class Report:
    """A page; made by `report` and `Study.report`.

    Attributes
    ----------
    title : str
        Of the page.
    html : str
        The page: one file that runs no scripts and loads nothing.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from maxmargin.pages import Report
    >>> with TemporaryDirectory() as folder:
    ...     path = Report("A page", "<!DOCTYPE html>...").save(Path(folder, "page.html"))
    ...     print(path.name, path.read_text())
    page.html <!DOCTYPE html>...
    """

    title: str
    html: str

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page to a file, which replaces an old one as a whole, and return its path."""
        file = Path(path)
        if not file.parent.is_dir():
            raise InvalidInputError(
                f"There is no folder {str(file.parent)!r} to write {file.name} to: make it first."
            )
        with replacing(file) as new:
            new.write_text(self.html, encoding="utf-8")
        return file

    def __repr__(self) -> str:
        return f"<Report: {self.title}, {len(self.html) / 1e3:.0f} kB>"


@dataclass(frozen=True)
class Section:
    """A section of your own in a study's report: paragraphs, then a table.

    Parameters
    ----------
    title : str
        Its heading.
    paragraphs : sequence of str
        Plain text.
    headings : sequence of str
        Of the table's columns; without any there is no table.
    rows : sequence of sequences of str
        The table's cells. The first column is set as text, the others as numbers.
    caption : str
        Of the table; the title by default.

    Examples
    --------
    >>> from maxmargin.pages import Section
    >>> Section("Source", ["Measured in May."]).title
    'Source'
    """

    title: str
    paragraphs: Sequence[str] = ()
    headings: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    caption: str = ""


class Part(NamedTuple):
    """A section of a page: its title, its data, and the template that lays them out.

    The function returns the data, given what the page is about; None leaves the section out. The
    template is that of the identity, which is unique on the page, unless another is named.
    """

    identity: str
    title: str
    data: Callable[[Any], dict[str, Any] | None] = lambda _: {}
    template: str = ""


def require_extra() -> None:
    """Raise an error that says how to install what pages need, unless it is installed."""
    for name in ("jinja2", "matplotlib", "pandas"):
        try:
            importlib.import_module(name)
        except ImportError:
            raise MissingDependencyError(
                f"Pages need {name}: install it with pip install 'maxmargin[pages]'."
            ) from None


@cache
def environment() -> Environment:
    """Return the engine, which escapes all text and has the functions of `words` as filters."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from maxmargin.pages.pictures import as_svg
    from maxmargin.pages.verdict import at_tolerance, verdict

    engine = Environment(
        loader=PackageLoader("maxmargin.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    engine.filters |= {name: getattr(words, name) for name in words.__all__}
    engine.filters |= {"at_tolerance": at_tolerance, "verdict": verdict}
    engine.filters |= {"repr": repr, "svg": as_svg}
    return engine


def render(
    title: str, introduction: Sequence[str], parts: Iterable[Part], about: Any, **shared: Any
) -> Report:
    """Return the page: its title, paragraphs that come first, and the sections.

    Templates see the data of their section, and what is shared.
    """
    from maxmargin.pages.pictures import page_style

    sections = []
    with page_style():
        for part in parts:
            data = part.data(about)
            if data is not None:
                template = environment().get_template(f"{part.template or part.identity}.html")
                sections.append((part, template.render(shared | data)))
    page = {"title": title, "introduction": introduction, "sections": sections}
    page["version"] = maxmargin.__version__
    return Report(title, environment().get_template("page.html").render(page))
