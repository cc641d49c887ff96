"""A page that needs nothing but itself: a title, contents, sections, its style."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import resources
from os import PathLike
from pathlib import Path
from string import Template

import maxmargin
from maxmargin.errors import InvalidInputError
from maxmargin.files import replacing
from maxmargin.report.markup import section

__all__ = ["Parts", "page", "save_page"]

#: Sections by their identities: a heading and what is below it.
Parts = Mapping[str, tuple[str, Sequence[str]]]

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


def page(title: str, introduction: Iterable[str], parts: Parts) -> str:
    """Return the page.

    Parameters
    ----------
    title : str
        Of the page.
    introduction : iterable of str
        Elements that come first.
    parts : mapping
        The sections, by identities that are unique on the page.
    """
    return _PAGE.substitute(
        title=escape(title),
        style=resources.files("maxmargin.report").joinpath("report.css").read_text("utf-8"),
        introduction="\n".join(introduction),
        links="".join(
            f'<li><a href="#{key}">{escape(name)}</a></li>' for key, (name, _) in parts.items()
        ),
        body="\n".join(section(key, name, body) for key, (name, body) in parts.items()),
        version=maxmargin.__version__,
    )


def save_page(text: str, path: str | PathLike[str]) -> Path:
    """Put a page in the place of a file, as a whole, and return its path."""
    file = Path(path)
    if not file.parent.is_dir():
        raise InvalidInputError(
            f"There is no folder {str(file.parent)!r} to write {file.name} to: make it first."
        )
    with replacing(file) as new:
        new.write_text(text, encoding="utf-8")
    return file
