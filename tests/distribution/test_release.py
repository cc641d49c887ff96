"""What a release is built from says the same everywhere."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def project(root: Path) -> dict:
    return tomllib.loads((root / "pyproject.toml").read_text())


def test_wheels_are_built_for_every_python_that_is_announced(project) -> None:
    announced = {
        "cp" + name.rsplit(" ", 1)[-1].replace(".", "")
        for name in project["project"]["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", name)
    }
    built = {pattern.split("-")[0] for pattern in project["tool"]["cibuildwheel"]["build"]}
    assert built == announced
    assert project["project"]["requires-python"] == ">=3.11"


def test_wheels_are_built_for_three_systems(project) -> None:
    assert {"linux", "macos", "windows"} <= set(project["tool"]["cibuildwheel"])


def test_wheels_are_tested_by_the_script_of_a_release(project, root) -> None:
    tested = " ".join(project["tool"]["cibuildwheel"]["test-command"])
    release = (root / "tools" / "release.sh").read_text()
    assert "tests/distribution/smoke.py" in tested
    assert "tests/distribution/smoke.py" in release
    assert project["tool"]["cibuildwheel"]["build-frontend"] in release


def test_the_short_test_of_an_installation_passes(root) -> None:
    done = subprocess.run(
        [sys.executable, root / "tests" / "distribution" / "smoke.py"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("maxmargin ")


def test_archives_that_lack_a_file_are_found_out(root, tmp_path) -> None:
    import tarfile
    import zipfile

    contents = runpy.run_path(str(root / "tests" / "distribution" / "contents.py"))
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as wheel:
        wheel.writestr("maxmargin/__init__.py", "")
    with pytest.raises(AssertionError, match=r"a\.whl lacks"):
        contents["check_wheel"](tmp_path / "a.whl")
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as sdist:
        sdist.add(root / "LICENSE", "a/LICENSE")
    with pytest.raises(AssertionError, match=r"a\.tar\.gz lacks"):
        contents["check_sdist"](tmp_path / "a.tar.gz")
