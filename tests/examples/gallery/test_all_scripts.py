"""The gallery is complete: every script is tested, titled, and short."""

import ast
from pathlib import Path

import pytest

from .conftest import GALLERY

SCRIPTS = sorted(GALLERY.glob("*/*.py"))
TESTS = "".join(
    path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py")
)


def named(path):
    return path.relative_to(GALLERY).with_suffix("").as_posix()


def test_the_gallery_has_scripts():
    assert len(SCRIPTS) >= 10


@pytest.mark.parametrize("path", SCRIPTS, ids=named)
def test_what_a_script_claims_is_tested(path):
    assert f'run("{named(path)}")' in TESTS


@pytest.mark.parametrize("path", SCRIPTS, ids=named)
def test_a_script_begins_with_its_title_and_its_idea(path):
    text = path.read_text(encoding="utf-8")
    _, title, line, blank, *idea = ast.parse(text).body[0].value.value.split("\n")
    assert line == "=" * len(title)
    assert blank == ""
    assert len(" ".join(idea)) > 100


@pytest.mark.parametrize("path", SCRIPTS, ids=named)
def test_a_script_is_one_idea_long(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 80


@pytest.mark.parametrize("folder", sorted({path.parent for path in SCRIPTS}), ids=lambda p: p.name)
def test_every_section_has_a_heading(folder):
    assert (folder / "GALLERY_HEADER.rst").is_file()
