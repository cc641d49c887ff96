"""Write the model files that every later version must load, and what they predict.

Run once per version of the format, from the root: ``python tests/golden/make_model_files.py``.
Files that are there already are history and stay as they are.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import maxmargin
from maxmargin.kernels import RBF, Linear, Mismatch, On, Polynomial, Spectrum
from maxmargin.metrics import make_dcf_scorer
from maxmargin.persist.format.container import VERSION
from maxmargin.problems import Regularised

FOLDER = Path(__file__).parent / "models"
WORDS = ["ACGT", "GATTACA", "", "TTT", "CATCAT", "ACCA", "GG", "TACG"]
SIDES = [1, 1, 0, 0, 1, 1, 0, 0]


def frame(words: list[str]) -> Any:
    """Return words and their lengths."""
    import pandas as pd

    return pd.DataFrame({"word": words, "length": [len(word) + 0.0 for word in words]})


def models() -> dict[str, Any]:
    """Return small models that have every part of the format between them."""
    X, y = load_iris(return_X_y=True)
    X, y = X[::4], y[::4]
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    targets = X @ [0.3, -0.2, 0.5, 0.1]
    return {
        "svc": make_pipeline(StandardScaler(), PCA(3), maxmargin.SVC(C=10.0)).fit(X, names),
        "kernels": maxmargin.SVC(
            kernel=Linear() + 0.5 * RBF(0.1) * Polynomial(1.0, 1.0, 2), class_weight={0: 2.0}
        ).fit(X, y),
        "bias": maxmargin.SVC(bias=Regularised(eps=0.3), gamma=0.5).fit(X, y == 1, y + X[:, 0] > 5),
        "nusvc": maxmargin.NuSVC(nu=0.2, multi_class="ovr").fit(sparse.csr_array(X), y),
        "svr": maxmargin.SVR(kernel="laplacian", C=np.inf).fit(X, targets),
        "nusvr": maxmargin.NuSVR(C=10.0).fit(X.astype(np.float32), targets),
        "one_class": maxmargin.OneClassSVM(nu=0.2).fit(X),
        "linear_svc": maxmargin.LinearSVC(tol=1e-8).fit(X, names),
        "linear_svr": maxmargin.LinearSVR(tol=1e-8).fit(X, targets).sparsify(),
        "online_svc": maxmargin.OnlineSVC(random_state=0, max_iter=3, tol=None).fit(X, y),
        "online_one_class": maxmargin.OnlineOneClassSVM(random_state=0, max_iter=3, tol=None).fit(
            X
        ),
        "search": maxmargin.SVMSearchCV(
            make_pipeline(StandardScaler(), maxmargin.SVC()),
            [
                {"svc__C": np.array([1.0, 10.0]), "svc__gamma": ["scale", 0.5]},
                {"svc__kernel": [Linear() + RBF(0.1)], "standardscaler": ["passthrough"]},
            ],
            scoring={"dcf": make_dcf_scorer(prior=0.2), "accuracy": "accuracy"},
            refit="dcf",
            cv=StratifiedKFold(3),
        ).fit(X, y == 1),
        "calibrated_platt": maxmargin.CalibratedSVC(
            maxmargin.SVC(), prior=[0.2, 0.3, 0.5], keep_scores=True, cv=3
        ).fit(X, names),
        "calibrated_isotonic": maxmargin.CalibratedSVC(
            maxmargin.LinearSVC(), method="isotonic", cv=3
        ).fit(X, y),
        "calibrated_logistic": make_pipeline(
            StandardScaler(),
            maxmargin.CalibratedSVC(
                maxmargin.SVC(), method="logistic", prior=0.1, cost_fn=10.0, cv=3
            ),
        ).fit(X, y == 1),
        "words": maxmargin.SVC(kernel=Spectrum(2) + 0.5 * Mismatch(2, 1, normalize=True)).fit(
            WORDS, SIDES
        ),
        "tokens": maxmargin.SVC(kernel=Spectrum(1)).fit([list(word) for word in WORDS], SIDES),
        "columns": maxmargin.SVC(
            kernel=On("word", Spectrum(2)) + On(["length"], RBF(0.1)),
        ).fit(frame(WORDS), SIDES),
    }


def points(name: str) -> Any:
    """Return new points for a model."""
    words = ["TACA", "", "GAT", "CCC"]
    if name == "words":
        return words
    if name == "tokens":
        return [list(word) for word in words]
    if name == "columns":
        return frame(words)
    new = load_iris().data[1::10] + 0.05
    if name == "nusvc":
        return sparse.csr_array(new)
    return new.astype(np.float32) if name == "nusvr" else new


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, model in models().items():
        path = FOLDER / f"v{VERSION}-{name}.safetensors"
        if path.exists():
            continue
        maxmargin.save(model, path)
        given = points(name)
        expected = {"predict": model.predict(given).tolist()}
        for method in ("decision_function", "predict_proba"):
            if hasattr(model, method):
                expected[method] = getattr(model, method)(given).tolist()
        path.with_suffix(".json").write_text(json.dumps(expected) + "\n")


if __name__ == "__main__":
    main()
