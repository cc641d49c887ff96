"""Configuration of the documentation; `make docs` builds it without a network."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

from maxmargin import __version__

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

project = "maxmargin"
author = "The maxmargin developers"
copyright = "2026, the maxmargin developers"
release = __version__
version = release

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "drawn",
    "figures",
    "mathml",
]
exclude_patterns = ["_build", "_extensions", "reference/generated"]
default_role = "py:obj"

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_preserve_defaults = True
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "subsection_order": [
        f"../examples/gallery/{section}"
        for section in ("margins", "kernels", "choices", "decisions", "certificates")
    ],
    "within_subsection_order": "FileNameSortKey",
    "image_srcset": ["2x"],
    "thumbnail_size": (480, 320),
    "capture_repr": (),
    "notebook_extensions": set(),
    "download_all_examples": False,
    "write_computation_times": False,
    "min_reported_time": float("inf"),
    "show_signature": False,
}

html_theme = "furo"
html_math_renderer = "mathml"
html_title = f"maxmargin {release}"
html_static_path = ["_static"]
html_css_files = ["style.css", "gallery.css"]
html_copy_source = False
html_show_sourcelink = False
pygments_style = "friendly"


def adapt_docstring(lines: list[str]) -> None:
    """Show literal blocks as text, and escape the bars of |w|, which would be substitutions."""
    for i, line in enumerate(lines):
        if line == "::":
            lines[i] = ".. code-block:: text"
        elif not line.lstrip().startswith((">>>", "...")):
            lines[i] = re.sub(r"(?<!\\)\|", r"\\|", line)


def redirect_links(included: Path, content: list[str]) -> None:
    """Point the links of the included benchmarks page to the files beside it."""
    if included == Path("../benchmarks/README.md"):
        content[0] = re.sub(r"\]\((?!\w+:|[#/])", "](../benchmarks/", content[0])


def setup(app: Sphinx) -> None:
    """Connect the functions above; docstrings are adapted before numpydoc reads them."""
    app.connect(
        "autodoc-process-docstring", lambda *event: adapt_docstring(event[-1]), priority=100
    )
    app.connect("include-read", lambda *event: redirect_links(event[1], event[3]))
