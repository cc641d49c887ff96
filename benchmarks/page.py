"""benchmarks/README.md: each benchmark writes the section between its two markers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_name("README.md")


def replace_section(name: str, text: str, page: Path = PAGE) -> None:
    """Put the text between the markers of that name; append them if they are absent."""
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


def conditions(settings: dict[str, Any], repeats: str, warm_up_rows: int) -> str:
    """Describe how fits are measured, as items of a list."""
    limit = f"{settings['timeout_s']:g} s"
    later = " Some libraries or problems were measured later than the others."
    return f"""- Every fit has a process of its own, with a limit of {limit} that includes loading
  and prediction. The libraries take turns, and numbers are medians of {repeats} runs. Before the
  clock starts, each library fits {warm_up_rows} rows of each class, so that modules are imported
  and threads started.{later if settings["partly_later"] else ""}
- "memory" is the peak of resident memory during the fit minus the resident memory before it."""
