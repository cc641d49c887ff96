"""Who may import whom, beyond what import-linter can see."""

import tomllib
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "maxmargin"


def importers_of_the_core() -> list[str]:
    return sorted(
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if "import _native" in path.read_text() or "maxmargin._native" in path.read_text()
    )


def test_only_the_faces_of_the_core_import_it():
    assert importers_of_the_core() == [
        "interrupts.py",
        "kernels/blocks.py",
        "kernels/comparisons.py",
        "kernels/sequences.py",
        "kernels/substrings.py",
        "solvers/kernel/batch.py",
        "solvers/kernel/resident.py",
        "solvers/kernel/rows.py",
        "solvers/linear/crammer_singer.py",
        "solvers/linear/engine.py",
        "solvers/linear/l1.py",
        "solvers/online/learner.py",
        "streams/text.py",
    ]


def test_the_linter_of_imports_overlooks_nothing_else(root: Path) -> None:
    """It takes the compiled module for the whole package, so that these imports are left out."""
    tools = tomllib.loads((root / "pyproject.toml").read_text())["tool"]
    layers, *_ = tools["importlinter"]["contracts"]
    names = [path.removesuffix(".py").replace("/", ".") for path in importers_of_the_core()]
    assert layers["ignore_imports"] == [f"maxmargin.{name} -> maxmargin" for name in names]
