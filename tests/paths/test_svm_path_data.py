"""On real data the path has the optimum of scikit-learn and of Clarabel at 50 values of C."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from maxmargin import svm_path
from maxmargin.kernels import RBF, Linear
from maxmargin.problems import Free, Regularised, SoftMargin
from references import primal_optimum
from zoo import Numbers

pytestmark = pytest.mark.data

DATA = [
    "mlpr/mlpr_fingerprint_spoofing",
    "classification/heart_scale",
    "classification/ionosphere",
    "classification/australian",
    "classification/diabetes_scale",
    "toy/banana",
]
MOST_ROWS = 600
CLARABEL_ROWS = 120
# As far as scikit-learn gets in a fraction of a second.
RANGES = {"linear": (1e-4, 0.3), "rbf": (1e-2, 30.0)}


@cache
def read(path: Path, most: int):
    with np.load(path) as file:
        y = file["y"]
        if "X_shape" in file:
            parts = (file["X_data"], file["X_indices"], file["X_indptr"])
            X = sparse.csr_array(parts, shape=tuple(file["X_shape"])).toarray()
        else:
            X = file["X"].astype(np.float64)
    rows = np.sort(np.random.default_rng(0).permutation(len(y))[:most])
    return StandardScaler().fit_transform(X[rows]), np.where(y[rows] == y.max(), 1.0, -1.0)


@pytest.fixture
def load(data_directory):
    def read_or_skip(name, most=MOST_ROWS):
        path = data_directory / f"{name}.npz"
        if not path.is_file():
            pytest.skip(f"no real data: {path} is absent")
        return read(path, most)

    return read_or_skip


def kernel_of(name, X):
    return Linear() if name == "linear" else RBF(1.0 / X.shape[1])


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("name", DATA)
def test_fifty_fits(name, kernel, load):
    X, y = load(name)
    chosen = kernel_of(kernel, X)
    smallest, largest = RANGES[kernel]
    path = svm_path(SoftMargin(X, y, C=largest, kernel=chosen))
    assert path.breakpoints[-1] == largest, path.status
    K = X @ X.T if kernel == "linear" else chosen.block(X, X)
    for C in np.geomspace(smallest, largest, 50):
        certificate = path.certificate(C)
        assert certificate.holds(1e-7), f"C = {C}: {certificate.summary()}"
        machine = SVC(C=C, kernel="precomputed", tol=1e-8, cache_size=500).fit(K, y)
        signed = machine.dual_coef_[0]
        own = K[np.ix_(machine.support_, machine.support_)]
        dual = np.abs(signed).sum() - 0.5 * signed @ own @ signed
        assert certificate.dual == pytest.approx(dual, rel=1e-6)
        assert certificate.primal == pytest.approx(dual, rel=1e-6)


@pytest.mark.parametrize("bias", [Free(), Regularised(1)], ids=str)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("name", DATA)
def test_an_interior_point_method(name, kernel, bias, load):
    X, y = load(name, CLARABEL_ROWS)
    chosen = kernel_of(kernel, X)
    weight = np.where(y > 0, 1.0, 0.4)
    path = svm_path(SoftMargin(X, y, C=100, kernel=chosen, bias=bias, sample_weight=weight))
    K = chosen.block(X, X)
    for C in np.geomspace(1e-3, 100, 4):
        certificate = path.certificate(C)
        assert certificate.holds(1e-7), f"C = {C}: {certificate.summary()}"
        expected = primal_optimum("SoftMargin", K, Numbers(X, y, weight, C), bias)
        assert certificate.primal == pytest.approx(expected, rel=1e-6)
