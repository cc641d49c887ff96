"""The real programs: LIBSVM's and LIBLINEAR's own library, reading and writing files.

Their Python faces allot too little room for the values of some models, so these are asked for here.
"""

from __future__ import annotations

from ctypes import c_double
from pathlib import Path
from typing import Any

import numpy as np
import pytest

svmutil = pytest.importorskip("libsvm.svmutil")
linearutil = pytest.importorskip("liblinear.liblinearutil")


def libsvm_train(X: np.ndarray, y: np.ndarray, options: str, path: Path) -> None:
    """Do what `svm-train` does."""
    rows = X if "-t 4" not in options else np.column_stack([np.arange(1, len(X) + 1), X])
    svmutil.svm_save_model(str(path), svmutil.svm_train(y.tolist(), rows, f"{options} -q"))


def libsvm_predict(X: np.ndarray, path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return what `svm-predict` finds: labels, and one value per machine."""
    model = svmutil.svm_load_model(str(path))
    assert model is not None
    k = model.get_nr_class()
    values = (c_double * (k * (k - 1) // 2))()
    precomputed = model.param.kernel_type == svmutil.kernel_names.PRECOMPUTED
    labels, found = [], []
    for row in X:
        # With a precomputed kernel the first entry is a number that prediction ignores.
        given = np.concatenate([[1.0], row]) if precomputed else np.ascontiguousarray(row)
        nodes, _ = svmutil.gen_svm_nodearray(given, isKernel=precomputed)
        labels.append(svmutil.libsvm.svm_predict_values(model, nodes, values))
        found.append(list(values))
    return np.array(labels), np.array(found)


def libsvm_probabilities(X: np.ndarray, path: Path) -> np.ndarray:
    """Return the probabilities of the classes in the file's order."""
    model = svmutil.svm_load_model(str(path))
    estimates = (c_double * model.get_nr_class())()
    found = []
    for row in X:
        nodes, _ = svmutil.gen_svm_nodearray(np.ascontiguousarray(row))
        svmutil.libsvm.svm_predict_probability(model, nodes, estimates)
        found.append(list(estimates))
    return np.array(found)


def liblinear_train(X: np.ndarray, y: np.ndarray, options: str, path: Path) -> None:
    """Do what LIBLINEAR's `train` does."""
    linearutil.save_model(str(path), linearutil.train(y.tolist(), X, f"{options} -q"))


def liblinear_predict(X: np.ndarray, path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return what LIBLINEAR's `predict` finds: labels, and one value per machine."""
    model: Any = linearutil.load_model(str(path))
    assert model is not None
    k, d = model.get_nr_class(), model.get_nr_feature()
    values = (c_double * k)()
    labels, found = [], []
    for row in X:
        nodes, _ = linearutil.gen_feature_nodearray(np.ascontiguousarray(row), feature_max=d)
        if model.bias >= 0:
            nodes[-2] = linearutil.feature_node(d + 1, model.bias)
        labels.append(linearutil.liblinear.predict_values(model, nodes, values))
        found.append(list(values))
    return np.array(labels), np.array(found)
