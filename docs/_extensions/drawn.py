"""The directive `drawn`: the figure that the Python examples of a page have drawn.

The examples above the directive run once, in one namespace. The directive shows their variable
`figure`, with its own text as the caption.
"""

from __future__ import annotations

import doctest
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib as mpl
from docutils import nodes
from docutils.parsers.rst.directives.images import Figure
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

logger = logging.getLogger(__name__)

# Inches; wider figures have several panels side by side, which a phone cannot show at once.
WIDE = 7.5

EXAMPLES = re.compile(r"^```pycon\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Page:
    """The examples of a page: how far they have run, and their variables."""

    text: str
    position: int = 0
    names: dict[str, Any] = field(default_factory=dict)

    def run_to(self, line: int) -> str:
        """Run the examples before a line that have not run yet; return the report of failures."""
        end = sum(map(len, self.text.splitlines(keepends=True)[: line - 1]))
        blocks = EXAMPLES.findall(self.text, self.position, end)
        self.position = end
        examples = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "page", None, 0)
        examples.globs = self.names
        report: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE, verbose=False)
        runner.run(examples, out=report.append, clear_globs=False)
        return "".join(report)


class Drawn(Figure, SphinxDirective):
    """A figure drawn by the page itself; the argument names the file."""

    def run(self) -> list[nodes.Node]:
        page = self._page()
        report = page.run_to(self.lineno)
        if report:
            logger.warning("examples that do not print what they show:\n%s", report)
        name = f"{self.env.docname.replace('/', '-')}-{self.arguments[0]}.svg"
        folder = Path(self.env.srcdir) / "_build" / "figures"
        folder.mkdir(parents=True, exist_ok=True)
        figure = page.names["figure"]
        with mpl.rc_context({"svg.hashsalt": "maxmargin", "svg.fonttype": "none"}):
            figure.savefig(folder / name, metadata={"Date": None}, bbox_inches="tight")
        self.arguments[0] = f"/_build/figures/{name}"
        if figure.get_figwidth() > WIDE:
            self.options["figclass"] = ["wide"]
        return super().run()

    def _page(self) -> Page:
        held = self.env.temp_data
        if "drawn" not in held:
            source = Path(self.env.doc2path(self.env.docname))
            held["drawn"] = Page(source.read_text(encoding="utf-8"))
        page: Page = held["drawn"]
        return page


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("drawn", Drawn)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
