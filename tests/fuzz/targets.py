"""What is fuzzed: whole files to begin with, and what is done with a damaged one."""

from __future__ import annotations

import io
import random
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import maxmargin
from maxmargin.kernels import (
    RBF,
    CommonSubstrings,
    Linear,
    Mismatch,
    On,
    Spectrum,
    Subsequence,
    WeightedDegree,
)
from maxmargin.metrics import make_dcf_scorer
from maxmargin.persist import from_liblinear, from_libsvm, to_liblinear, to_libsvm
from maxmargin.problems import Regularised
from maxmargin.streams import chunks, read_libsvm, write_libsvm

from .mutations import mutated
from .structure import retold
from .tables import (
    array_files,
    csv_files,
    parquet_files,
    read_arrays,
    read_csv,
    read_parquet,
)

__all__ = ["TARGETS", "Target"]

X, LABELS = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[LABELS]
SOME = slice(None, None, 5)
WORDS = ["ACGT", "GATTACA", "", "TTT", "CATCAT", "ACCA"]
SIDES = [1, 1, 0, 0, 1, 0]


def frame(words: list[str]) -> pd.DataFrame:
    """Return words and their lengths."""
    return pd.DataFrame({"word": words, "size": [len(word) + 0.0 for word in words]})


@dataclass(frozen=True)
class Target:
    """Files of one kind; no error but this one may be raised by a damaged file."""

    seeds: Callable[[Path], list[bytes]]
    use: Callable[[Path, bytes], Any]
    damage: Callable[[bytes, random.Random], bytes] = mutated
    error: type[maxmargin.MaxMarginError] = maxmargin.ModelFileError


def _written(folder: Path, write: Callable[..., None], models: list[Any]) -> list[bytes]:
    found = []
    for fitted in models:
        write(fitted, folder / "seed")
        found.append((folder / "seed").read_bytes())
    return found


def _models(folder: Path) -> list[bytes]:
    rows, y = X[SOME], LABELS[SOME]
    machines = [
        maxmargin.SVC(kernel="linear").fit(rows[:20], y[:20]),
        maxmargin.SVC(kernel=Linear() + 0.5 * RBF(1.0)).fit(rows, NAMES[SOME]),
        maxmargin.SVC(multi_class="ovr").fit(sparse.csr_array(rows), y),
        maxmargin.NuSVC(nu=0.3, kernel="precomputed").fit(rows @ rows.T, y),
        maxmargin.SVC(bias=Regularised(eps=0.5)).fit(rows, y, sample_weight=np.arange(30) % 4),
        maxmargin.OneClassSVM().fit(rows),
        maxmargin.SVR().fit(rows, y + 0.0),
        maxmargin.LinearSVC().fit(rows, y),
        maxmargin.LinearSVR().fit(rows, y + 0.0).sparsify(),
        maxmargin.OnlineSVC(random_state=0, max_iter=2, tol=None).fit(rows, y),
        maxmargin.OnlineOneClassSVM(random_state=0, max_iter=2, tol=None).fit(rows),
        make_pipeline(StandardScaler(), PCA(2), maxmargin.SVC()).fit(rows, y),
        maxmargin.SVMSearchCV(
            make_pipeline(StandardScaler(), maxmargin.SVC()),
            {"svc__C": [1.0, 2.0], "svc__kernel": ["rbf", Linear()]},
            scoring={"accuracy": "accuracy", "dcf": make_dcf_scorer(pos_label=0)},
            refit="accuracy",
            cv=KFold(2, shuffle=True, random_state=0),
        ).fit(rows[:20], y[:20]),
        maxmargin.CalibratedSVC(maxmargin.SVC(), prior=[0.2, 0.3, 0.5], cv=2).fit(rows, y),
        maxmargin.CalibratedSVC(maxmargin.LinearSVC(), method="isotonic", cv=2).fit(
            rows, NAMES[SOME]
        ),
        maxmargin.SVC(kernel=Spectrum(2) + 0.5 * Mismatch(2, 1, normalize=True)).fit(WORDS, SIDES),
        maxmargin.SVC(kernel=Subsequence(2) * WeightedDegree(2)).fit(
            [list(word) for word in WORDS], SIDES
        ),
        maxmargin.SVC(kernel=On("word", CommonSubstrings()) + On(["size"], RBF(0.1))).fit(
            frame(WORDS), SIDES
        ),
    ]
    return _written(folder, maxmargin.save, machines)


def _libsvm_models(folder: Path) -> list[bytes]:
    rows, y = X[SOME], LABELS[SOME]
    machines = [
        maxmargin.SVC(kernel="poly").fit(rows[:20], y[:20]),
        maxmargin.SVC().fit(rows, y),
        maxmargin.NuSVC(nu=0.3, kernel="precomputed").fit(rows @ rows.T, y),
        maxmargin.OneClassSVM(kernel="sigmoid").fit(rows),
        maxmargin.NuSVR().fit(rows, y + 0.0),
    ]
    return _written(folder, to_libsvm, machines)


def _liblinear_models(folder: Path) -> list[bytes]:
    rows, y = X[SOME], LABELS[SOME]
    machines = [
        maxmargin.LinearSVC().fit(rows[:20], y[:20]),
        maxmargin.LinearSVC(fit_intercept=False).fit(rows, y),
        maxmargin.LinearSVR().fit(rows, y + 0.0),
    ]
    return _written(folder, to_liblinear, machines)


def _data(folder: Path) -> list[bytes]:
    rng = np.random.default_rng(0)
    rows = sparse.random_array((40, 20), density=0.2, rng=rng, format="csr")
    write_libsvm(rows, rng.integers(0, 3, 40), folder / "seed", query_id=np.arange(40))
    with_queries = (folder / "seed").read_bytes()
    odd = b"# a comment\n+1 1:2e3 3:-.5 # x\r\n\n-1\n0.5 7:1 2:1e-300\n"
    write_libsvm(rows, rng.normal(size=40), folder / "seed")
    return [with_queries, (folder / "seed").read_bytes(), odd]


def _predict(fitted: Any) -> None:
    """Predict with what could be loaded: wrong numbers are possible, crashes are not."""
    if not hasattr(fitted, "predict"):  # a search without a machine
        return
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            fitted.predict(_points(fitted))
        except ValueError:
            # Pipelines whose steps do not fit each other, and values beyond all bounds.
            return


def _points(fitted: Any) -> Any:
    """Return points of the kind that a model predicts, few of them whatever the file says."""
    kernel = getattr(fitted, "kernel_", None)
    if kernel is not None and kernel.compares_columns:
        return frame(WORDS[:3])
    if kernel is not None and kernel.compares_sequences:
        return [tuple(word) for word in WORDS[:3]]
    return np.ones((3, min(fitted.n_features_in_, 1000)))


def _load(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    _predict(maxmargin.load(path))


def _load_libsvm(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    _predict(from_libsvm(path))


def _load_liblinear(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    _predict(from_liblinear(path))


def _read(path: Path, content: bytes) -> None:
    if len(content) % 4:
        X, y = read_libsvm(io.BytesIO(content))
        assert np.isfinite(X.data).all()
        assert np.isfinite(y).all()
        assert X.has_canonical_format
        return
    path.write_bytes(content)
    shuffle = len(content) % 8 == 0
    for X, _ in chunks(path, size=7, shuffle=shuffle, random_state=0):
        X.check_format(full_check=True)


TARGETS = {
    "model": Target(_models, _load),
    "structure": Target(_models, _load, retold),
    "libsvm": Target(_libsvm_models, _load_libsvm),
    "liblinear": Target(_liblinear_models, _load_liblinear),
    "data": Target(_data, _read, error=maxmargin.InvalidInputError),
    "csv": Target(csv_files, read_csv, error=maxmargin.InvalidInputError),
    "npz": Target(array_files, read_arrays, error=maxmargin.InvalidInputError),
    "parquet": Target(parquet_files, read_parquet, error=maxmargin.InvalidInputError),
}
