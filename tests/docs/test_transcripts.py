"""Each command of the documentation prints what its page shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pandas")

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "docs" / "howto" / f"{name}.md" for name in ("command-line", "coming-from-libsvm")]
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")

# Gaps and violations below this depend on rounding.
ROUNDING = 2e-3


def transcript(text):
    """Return the commands of a page, and what each printed."""
    found = []
    for block in BLOCK.findall(text):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append([line[2:], []])
            else:
                found[-1][1].append(line)
    return [(command, "\n".join(lines)) for command, lines in found]


def alike(shown, printed):
    """Say whether two outputs differ only in times, steps and numbers that depend on rounding."""
    words = [re.sub(r"[\d.]+ (s|iterations)\b", r"some \1", text) for text in (shown, printed)]
    texts = [" ".join(NUMBER.sub("#", text).split()) for text in words]
    numbers = [[float(word) for word in NUMBER.findall(text)] for text in words]
    return texts[0] == texts[1] and all(
        abs(a - b) <= 1e-2 * abs(a) or max(abs(a), abs(b)) <= ROUNDING
        for a, b in zip(*numbers, strict=True)
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_of_a_page_print_what_it_shows(page, tmp_path):
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, rest in (("maxmargin", " -m maxmargin"), ("python", "")):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}"{rest} "$@"\n')
        (programs / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "LC_ALL": "C"}
    for command, shown in transcript(page.read_text(encoding="utf-8")):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert alike(shown, done.stdout), f"$ {command}\n{done.stdout}"


def test_a_page_with_a_wrong_output_would_fail():
    assert alike("fitted in 0.02 s: 5 of 9, gap 1.2e-05", "fitted in 1.7 s: 5 of 9, gap 3e-07")
    assert not alike("5 of 9", "6 of 9")
    assert not alike("fine", "not fine")
