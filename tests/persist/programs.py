"""The programs of LIBSVM and LIBLINEAR themselves, run on files.

`make test` fetches them into the virtual environment (tools/fetch_programs.py); MAXMARGIN_PROGRAMS
names another folder, and programs that are installed serve too.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from maxmargin.streams import write_libsvm

FOLDERS = [Path(os.environ.get("MAXMARGIN_PROGRAMS", "")), Path(sys.prefix, "programs")]
#: Under which names other systems have the programs.
OTHER_NAMES = {"liblinear-train": "train", "liblinear-predict": "predict"}


def program(name: str) -> str:
    """Return where a program is, or skip the test."""
    for folder in FOLDERS:
        path = folder / "usr" / "bin" / name
        if path.is_file():
            return str(path)
    found = shutil.which(name) or shutil.which(OTHER_NAMES.get(name, name))
    if found is None:
        pytest.skip(f"{name} is not here: run tools/fetch_programs.py, or install libsvm-tools")
    return found


def run(name: str, *arguments: object) -> str:
    """Run a program and return what it says."""
    path = program(name)
    libraries = Path(path).parents[1] / "lib" / "x86_64-linux-gnu"
    known = os.environ.get("LD_LIBRARY_PATH", "")
    places = [str(libraries), str(libraries / "blas"), *([known] if known else [])]
    done = subprocess.run(
        [path, *map(str, arguments)],
        env={**os.environ, "LD_LIBRARY_PATH": ":".join(places)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def data_file(X: np.ndarray, y: np.ndarray, path: Path, *, precomputed: bool = False) -> Path:
    """Write rows as both programs read them; similarities have their row's number in front."""
    if not precomputed:
        write_libsvm(X, y, path)
        return path
    lines = []
    for k, (label, row) in enumerate(zip(y.tolist(), X.tolist(), strict=True), start=1):
        entries = [f"{j}:{value!r}" for j, value in enumerate(row, start=1)]
        lines.append(" ".join([repr(label), f"0:{k}", *entries]))
    path.write_text("\n".join(lines) + "\n")
    return path


def train(name: str, X: np.ndarray, y: np.ndarray, options: str, path: Path, **form: bool) -> None:
    """Run `svm-train` or `liblinear-train` and leave its model."""
    data = data_file(X, y, path.with_suffix(".data"), **form)
    run(name, *options.split(), "-q", data, path)


def predict(name: str, X: np.ndarray, path: Path, options: str = "", **form: bool) -> np.ndarray:
    """Run `svm-predict` or `liblinear-predict`; return a row of numbers for each row."""
    data = data_file(X, np.zeros(len(X)), path.with_suffix(".new"), **form)
    out = path.with_suffix(".out")
    run(name, *options.split(), data, path, out)
    lines = out.read_text().splitlines()
    if options == "-b 1":
        lines = lines[1:]
    return np.array([[float(number) for number in line.split()] for line in lines])


def values(X: np.ndarray, path: Path, **form: bool) -> np.ndarray:
    """Return the decision values of a model of two classes, to all digits.

    `svm-predict` prints only labels of classes, but values of a regression: the same file read as
    one has the decision values for its values.
    """
    text = path.read_text()
    kind = text.split("\n", 1)[0]
    assert kind in ("svm_type c_svc", "svm_type nu_svc", "svm_type one_class")
    head, vectors = text.split("\nSV\n")
    kept = [
        line for line in head.split("\n")[1:] if not line.startswith(("label", "nr_sv", "prob"))
    ]
    other = path.with_suffix(".regression")
    other.write_text("\n".join(["svm_type epsilon_svr", *kept, "SV", vectors]))
    return predict("svm-predict", X, other, **form)[:, 0]
