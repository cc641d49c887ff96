"""Who may import whom, beyond what import-linter can see."""

from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "maxmargin"


def test_only_three_files_import_the_native_module():
    importers = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if "import _native" in path.read_text() or "maxmargin._native" in path.read_text()
    ]
    assert sorted(importers) == ["kernels/blocks.py", "solvers/engine.py", "solvers/row_sources.py"]
