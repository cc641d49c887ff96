"""Who may import whom, beyond what import-linter can see."""

from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "maxmargin"


def test_only_the_faces_of_the_core_import_it():
    importers = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if "import _native" in path.read_text() or "maxmargin._native" in path.read_text()
    ]
    assert sorted(importers) == [
        "kernels/blocks.py",
        "kernels/comparisons.py",
        "solvers/crammer_singer.py",
        "solvers/engine.py",
        "solvers/engine_run.py",
        "solvers/l1.py",
        "solvers/linear_engine.py",
        "solvers/near_starts.py",
        "solvers/online_engine.py",
        "solvers/price_path.py",
        "solvers/row_sources.py",
        "solvers/shared_gram.py",
        "streams/text.py",
    ]
