"""`certify_stream`: bounds from one pass over chunks, true for any model, weights and classes."""

import numpy as np
import pytest
from scipy import sparse

from maxmargin import OnlineSVC, solve
from maxmargin.problems import Free, Regularised, SoftMargin
from maxmargin.streams import chunks

from .online_data import clouds


@pytest.mark.parametrize("bias", ["regularised", "free"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("alpha", [1e-1, 1e-3])
def test_the_bounds_enclose_the_optimum(loss, bias, n_classes, alpha):
    X, y = clouds(1500, n_classes=n_classes)
    weight = np.random.default_rng(0).uniform(0.0, 2.0, 1500)
    weight[:100] = 0.0
    prices = {k: 1.0 + k for k in range(n_classes)}
    machine = OnlineSVC(
        alpha=alpha, loss=loss, bias=bias, class_weight=prices, random_state=0
    ).fit_stream((X, y, weight))
    found = machine.certify_stream(chunks(X, y, weight=weight, size=200))
    assert len(found) == len(machine.coef_)
    for k, certificate in enumerate(found):
        sign = np.where(y == (1 if n_classes == 2 else k), 1.0, -1.0)
        C = 1.0 / (alpha * weight.sum())
        kind = Free() if bias == "free" else Regularised(1)
        priced = weight * np.array([prices[label] for label in y])
        problem = SoftMargin(X, sign, C=C, loss=loss, bias=kind, sample_weight=priced)
        best = solve(problem).certificate
        w, b = machine.coef_[k], machine.intercept_[k]
        norm = w @ w + (b**2 if bias == "regularised" else 0.0)
        slack = np.maximum(0.0, 1.0 - sign * (X @ w + b)) ** (2 if loss != "hinge" else 1)
        value = 0.5 * norm + C * priced @ slack
        assert certificate.primal == pytest.approx(value, rel=1e-12)
        assert certificate.dual <= best.primal * (1 + 1e-9)
        assert best.dual * (1 - 1e-9) <= certificate.primal
        assert certificate.n_rows == pytest.approx(weight.sum())


def test_the_bound_is_tight_if_the_penalty_is_strong():
    X, y = clouds(5000)
    machine = OnlineSVC(alpha=0.1, random_state=0).fit(X, y)
    (certificate,) = machine.certify_stream((X, y))
    assert certificate.holds(0.02)
    assert certificate.primal == pytest.approx(machine.certificate_.primal, rel=1e-9)
    assert certificate.dual <= machine.certificate_.primal


def test_sparse_chunks_have_the_certificate_of_dense_ones():
    X, y = clouds(400)
    machine = OnlineSVC(alpha=0.01, random_state=0).fit(X, y)
    (dense,) = machine.certify_stream((X, y))
    (thin,) = machine.certify_stream(chunks(sparse.csr_array(X), y, size=50))
    assert (thin.primal, thin.dual) == pytest.approx((dense.primal, dense.dual), rel=1e-9)
