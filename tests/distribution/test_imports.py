"""What an import brings along: no optional dependency, and nothing slow before it is needed."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

#: Of the extras, of the command line and of what others build on.
OPTIONAL = (
    *("matplotlib", "pandas", "polars", "pyarrow", "onnx", "skl2onnx", "onnxruntime", "skops"),
    *("torch", "click", "typer", "starlette", "uvicorn", "dask", "pytest", "hypothesis"),
)
#: Needed, but not before an estimator, a file or a progress bar is.
LATER = ("sklearn", "safetensors", "joblib", "scipy.optimize", "scipy.stats", "scipy.spatial")

USES = {
    "maxmargin": "",
    "an estimator": "maxmargin.SVC(verbose=0).fit([[0.0], [1.0]], [0, 1]).certificate_",
    "model files": "maxmargin.persist",
    "a search": "maxmargin.SVMSearchCV",
    "calibration": "maxmargin.CalibratedSVC",
    "streams": "maxmargin.streams",
    "metrics": "maxmargin.metrics",
}


def brought(code: str, wanted: tuple[str, ...]) -> set[str]:
    """Return which of the modules a fresh interpreter has after some code."""
    code = f"import sys; {code}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split()) & set(wanted)


@pytest.mark.parametrize("use", USES)
def test_no_optional_dependency_is_imported(use: str) -> None:
    # Some versions of scikit-learn import pandas themselves where it is installed.
    theirs = brought("import sklearn.model_selection", OPTIONAL) if USES[use] else set()
    assert brought(f"import maxmargin; {USES[use] or 'None'}", OPTIONAL) <= theirs


def test_what_is_slow_waits_until_it_is_needed() -> None:
    assert brought("import maxmargin", LATER) == set()


def test_no_extra_is_imported(root: Path) -> None:
    extras = tomllib.loads((root / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    modules = {
        re.split(r"[\[<>=;~! ]", requirement)[0].replace("-", "_")
        for name in extras.keys() - {"test", "docs", "all"}
        for requirement in extras[name]
    } - {"maxmargin"}
    assert modules
    assert brought("import maxmargin", tuple(modules)) == set()
