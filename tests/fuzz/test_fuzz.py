"""A short run of the fuzzers; `make fuzz` runs them for long."""

import subprocess
import sys
from pathlib import Path

import pytest

from .__main__ import CORPUS, replay
from .mutations import mutated
from .targets import TARGETS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")


def run(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@pytest.mark.parametrize("target", TARGETS)
def test_damaged_files_are_refused_and_nothing_else_happens(target):
    said = run("fuzz", target, "--count", "1500")
    refused = int(said.split()[1])
    assert refused > 500


@pytest.mark.parametrize("target", sorted(folder.name for folder in CORPUS.iterdir()))
def test_files_that_once_failed_are_refused_or_opened(target):
    ends = replay(target)
    assert sum(ends.values()) == len(list((CORPUS / target).glob("*"))) > 0


def test_kept_files_are_small():
    assert all(file.stat().st_size < 20_000 for file in CORPUS.glob("*/*"))


def test_a_process_killed_while_it_saves_leaves_a_whole_file():
    said = run("fuzz.kill", "--count", "8")
    assert said.startswith("8 killed")


def test_most_damaged_files_differ():
    import random

    found = {mutated(b"1 1:2 3:4\n" * 20, random.Random(k)) for k in range(1000)}
    assert len(found) > 800
