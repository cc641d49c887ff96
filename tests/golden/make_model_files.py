"""Write the model files that every later version must load, and what they predict.

Run once a version of the format, from the root: ``python tests/golden/make_model_files.py``. Files
that are there already are history and stay as they are.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import maxmargin
from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.persist.container import VERSION

FOLDER = Path(__file__).parent / "models"


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
    }


def points() -> Any:
    """Return new points."""
    return load_iris().data[1::10] + 0.05


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, model in models().items():
        path = FOLDER / f"v{VERSION}-{name}.safetensors"
        if path.exists():
            continue
        maxmargin.save(model, path)
        new = points().astype(np.float32 if name == "nusvr" else np.float64)
        given = sparse.csr_array(new) if name == "nusvc" else new
        expected = {"predict": model.predict(given).tolist()}
        if hasattr(model, "decision_function"):
            expected["decision_function"] = model.decision_function(given).tolist()
        path.with_suffix(".json").write_text(json.dumps(expected) + "\n")


if __name__ == "__main__":
    main()
