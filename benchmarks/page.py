"""benchmarks/README.md: each benchmark owns the part between its two markers."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).with_name("README.md")


def replace_section(name: str, text: str, page: Path = PAGE) -> None:
    """Put the text between the markers of that name; append them where they are absent."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    section = f"{begin}\n{text.strip()}\n{end}"
    old = page.read_text() if page.exists() else ""
    if begin in old and end in old:
        before, rest = old.split(begin, 1)
        after = rest.split(end, 1)[1]
        page.write_text(before + section + after)
    else:
        page.write_text(f"{old.rstrip()}\n\n{section}\n".lstrip())


def markdown_table(headings: list[str], rows: list[list[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
