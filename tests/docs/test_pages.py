"""Every Python example of the documentation runs and prints what the page says it prints."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    *sorted(p for p in DOCS.rglob("*.md") if "_build" not in p.relative_to(DOCS).parts),
]

FENCE = re.compile(r"^(?P<fence>`{3,}|:{3,})(?P<language>[^`]*)$")


def fenced_blocks(text):
    """Yield (language, first line number, lines) of each fenced block."""
    fence, language, start, lines = None, "", 0, []
    for number, line in enumerate(text.splitlines(), 1):
        match = FENCE.match(line.strip())
        if fence is None:
            if match:
                fence, language = match["fence"], match["language"].strip()
                start, lines = number + 1, []
        elif line.strip() == fence:
            yield language, start, lines
            fence = None
        else:
            lines.append(line)
    assert fence is None, f"the block that starts at line {start} is never closed"


def examples_of(text):
    """Return the page with everything but Python examples blanked: line numbers stay."""
    kept = [""] * (len(text.splitlines()) + 1)
    for language, start, lines in fenced_blocks(text):
        if language == "pycon":
            kept[start - 1 : start - 1 + len(lines)] = lines
    return "\n".join(kept)


def named(page):
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_the_examples_of_a_page_print_what_it_shows(page):
    examples = doctest.DocTestParser().get_doctest(
        examples_of(page.read_text(encoding="utf-8")), {}, named(page), str(page), 0
    )
    report = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE, verbose=False)
    runner.run(examples, out=report.append)
    assert runner.failures == 0, "".join(report)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_python_appears_only_as_examples_that_run(page):
    for language, start, lines in fenced_blocks(page.read_text(encoding="utf-8")):
        shows_python = language in {"python", "py", "python3"} or any(
            line.startswith((">>> ", "import ", "from maxmargin")) for line in lines
        )
        assert not shows_python or (language == "pycon" and lines[0].startswith(">>> ")), (
            f"line {start}: write Python as a pycon block that starts with >>>, or include a "
            "tested file"
        )


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_a_picture_is_drawn_by_code_between_it_and_the_one_before(page):
    has_drawn = False
    for language, start, lines in fenced_blocks(page.read_text(encoding="utf-8")):
        if language.startswith("{drawn}"):
            assert has_drawn, f"line {start}: no example makes a figure for this picture"
            has_drawn = False
        elif language == "pycon" and any(line.startswith(">>> figure = ") for line in lines):
            has_drawn = True


def test_a_page_with_a_wrong_output_would_fail():
    text = "```pycon\n>>> 1 + 1\n3\n```\n"
    examples = doctest.DocTestParser().get_doctest(examples_of(text), {}, "page", "page", 0)
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(examples, out=lambda _: None)
    assert runner.failures == 1
