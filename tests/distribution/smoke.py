"""A short test of an installed maxmargin, which needs nothing but its dependencies."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata, resources
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import maxmargin
from maxmargin.kernels import Spectrum
from maxmargin.persist import from_libsvm, to_libsvm


def check_package() -> None:
    """The version, types and the command line, where there is one."""
    assert metadata.version("maxmargin") == maxmargin.__version__
    for name in ("py.typed", "_native.pyi"):
        assert resources.files("maxmargin").joinpath(name).is_file(), name
    if metadata.entry_points(group="console_scripts", name="maxmargin"):
        command = Path(sys.executable).with_name("maxmargin")
        said = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
        assert maxmargin.__version__ in said.stdout


def check_fits() -> None:
    """Fits of both cores, certified, saved and loaded."""
    X, y = load_iris(return_X_y=True)
    words = ["ACGT" * k + "AC" for k in range(1, 9)]
    models = {
        "kernel": make_pipeline(StandardScaler(), maxmargin.SVC(tol=1e-6)).fit(X, y),
        "linear": maxmargin.LinearSVC(tol=1e-6).fit(X, y),
        "calibrated": maxmargin.CalibratedSVC(maxmargin.SVC()).fit(X, y),
        "search": maxmargin.SVMSearchCV(maxmargin.SVC(), {"C": [1, 10]}, cv=3).fit(X, y),
        "words": maxmargin.SVC(kernel=Spectrum(2)).fit(words, [0, 1] * 4),
    }
    assert models["kernel"][-1].certificate_.holds(1e-4)
    assert models["linear"].certificate_.holds(1e-4)
    with TemporaryDirectory() as folder:
        path = Path(folder, "model")
        for name, fitted in models.items():
            maxmargin.save(fitted, path)
            rows = words if name == "words" else X
            assert np.array_equal(maxmargin.load(path).predict(rows), fitted.predict(rows)), name
        to_libsvm(models["kernel"][-1], path)
        scaled = models["kernel"][:-1].transform(X)
        assert np.array_equal(from_libsvm(path).predict(scaled), models["kernel"].predict(X))


if __name__ == "__main__":
    check_package()
    check_fits()
    sys.stdout.write(f"maxmargin {maxmargin.__version__} from {Path(maxmargin.__file__).parent}\n")
