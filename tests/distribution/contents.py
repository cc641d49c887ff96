"""Check what is in an sdist and a wheel: ``python contents.py FOLDER`` of one of each."""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
#: Both are a few hundred kilobytes; data or builds that slip in are more.
MOST_BYTES = 8_000_000


def sources(folder: str) -> set[str]:
    """Return the files of a folder of the repository that belong into an archive."""
    found = (path for path in (ROOT / folder).rglob("*") if path.is_file())
    kept = (path.relative_to(ROOT) for path in found if path.suffix not in (".so", ".pyd", ".pyc"))
    return {path.as_posix() for path in kept}


def require(names: set[str], wanted: set[str], archive: Path) -> None:
    """Fail unless all are there."""
    missing = sorted(wanted - names)
    assert not missing, f"{archive.name} lacks {', '.join(missing[:5])}"


def check_sdist(archive: Path) -> None:
    """Check that it holds all that is needed to build and to test, and nothing that was built."""
    with tarfile.open(archive) as files:
        names = {name.split("/", 1)[-1] for name in files.getnames()}
    require(names, {"LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "PKG-INFO"}, archive)
    require(
        names, {"CMakeLists.txt", *sources("src"), *sources("native"), *sources("tests")}, archive
    )
    built = [name for name in names if name.endswith((".so", ".pyd", ".o", ".pyc"))]
    assert not built, f"{archive.name} holds {built[0]}"
    hidden = [
        name for name in names if name.split("/", 1)[0] in (".venv", ".ci", ".github", "build")
    ]
    assert not hidden, f"{archive.name} holds {hidden[0]}"


def check_wheel(archive: Path) -> None:
    """Check that it holds the package, typed, with its module and its licence, and nothing else."""
    with zipfile.ZipFile(archive) as files:
        names = {name for name in files.namelist() if not name.endswith("/")}
    require(names, {name.removeprefix("src/") for name in sources("src")}, archive)
    require(names, {"maxmargin/py.typed", "maxmargin/_native.pyi"}, archive)
    modules = [name for name in names if name.endswith((".so", ".pyd"))]
    assert len(modules) == 1, f"{archive.name} holds the modules {modules}"
    assert modules[0].startswith("maxmargin/_native.")
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    others = {name for name in names if PurePosixPath(name).parts[0] != "maxmargin"}
    assert all(".dist-info" in name for name in others), (
        f"{archive.name} holds {sorted(others)[:5]}"
    )


def main(folder: Path) -> None:
    """Check both archives in a folder."""
    (sdist,) = folder.glob("*.tar.gz")
    (wheel,) = folder.glob("*.whl")
    check_sdist(sdist)
    check_wheel(wheel)
    for archive in (sdist, wheel):
        size = archive.stat().st_size
        assert size < MOST_BYTES, f"{archive.name} has {size} bytes"
        sys.stdout.write(f"{archive.name}: {size // 1000} kB\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
