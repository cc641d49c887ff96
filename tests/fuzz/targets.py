"""What is fuzzed: whole files to begin with, and what is done with a damaged one."""

from __future__ import annotations

import io
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
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import maxmargin
from maxmargin.kernels import RBF, Linear, Mismatch, On, Spectrum, Subsequence, WeightedDegree
from maxmargin.persist import from_liblinear, from_libsvm, to_liblinear, to_libsvm
from maxmargin.streams import chunks, read_libsvm, write_libsvm

__all__ = ["TARGETS", "Target"]

X, LABELS = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[LABELS]
SOME = slice(None, None, 5)


@dataclass(frozen=True)
class Target:
    """Files of one kind."""

    seeds: Callable[[Path], list[bytes]]
    use: Callable[[Path, bytes], Any]


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
        maxmargin.OneClassSVM().fit(rows),
        maxmargin.SVR().fit(rows, y + 0.0),
        maxmargin.LinearSVC().fit(rows, y),
        maxmargin.LinearSVR().fit(rows, y + 0.0).sparsify(),
        maxmargin.OnlineSVC(random_state=0, max_iter=2, tol=None).fit(rows, y),
        maxmargin.OnlineOneClassSVM(random_state=0, max_iter=2, tol=None).fit(rows),
        make_pipeline(StandardScaler(), PCA(2), maxmargin.SVC()).fit(rows, y),
    ]
    return _written(folder, maxmargin.save, machines)


def _frame(texts: list[str]) -> pd.DataFrame:
    return pd.DataFrame({"text": texts, "size": [float(len(text)) for text in texts]})


def _string_models(folder: Path) -> list[bytes]:
    texts = ["cane", "pane", "rana", "ananas", "", "Äpfel"]
    y = [0, 0, 1, 1, 0, 1]
    machines = [
        maxmargin.SVC(kernel=Mismatch(2, 1)).fit(texts, y),
        maxmargin.OneClassSVM(kernel=Subsequence(2) + WeightedDegree(2, shift=1)).fit(texts),
        maxmargin.SVC(kernel=Spectrum(1)).fit([list(text) for text in texts], y),
        maxmargin.SVC(kernel=On("text", Spectrum(2)) + On(["size"], RBF(0.1))).fit(
            _frame(texts), y
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
    width = fitted.n_features_in_
    if width > 1000:
        return
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            fitted.predict(np.ones((3, width)))
        except ValueError:
            # Pipelines whose steps do not fit each other, and values beyond all bounds.
            return


def _load(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    _predict(maxmargin.load(path))


def _load_strings(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    fitted, texts = maxmargin.load(path), ["banane", "", "xyz"]
    on_columns = fitted.kernel_.compares_columns
    with np.errstate(all="ignore"):
        try:
            fitted.predict(_frame(texts) if on_columns else texts)
        except ValueError:
            # Columns of other names or widths than the frame's.
            return


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
    "strings": Target(_string_models, _load_strings),
    "libsvm": Target(_libsvm_models, _load_libsvm),
    "liblinear": Target(_liblinear_models, _load_liblinear),
    "data": Target(_data, _read),
}
