"""A finished report: its page, and its file."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from maxmargin.report.page import save_page

__all__ = ["Report"]


@dataclass(frozen=True)
class Report:
    """A report on a model; made by `model_report`.

    Attributes
    ----------
    title : str
        Of the page.
    html : str
        The page, which needs nothing but itself.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from maxmargin.report import Report
    >>> with TemporaryDirectory() as folder:
    ...     path = Report("A page", "<!DOCTYPE html>...").save(Path(folder, "page.html"))
    ...     print(path.name, path.read_text())
    page.html <!DOCTYPE html>...
    """

    title: str
    html: str

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page to a file, which takes the place of an old one as a whole.

        Parameters
        ----------
        path : path
            The file.

        Returns
        -------
        pathlib.Path
            The file.
        """
        return save_page(self.html, path)

    def __repr__(self) -> str:
        return f"<Report: {self.title}, {len(self.html) / 1e3:.0f} kB>"
