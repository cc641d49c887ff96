"""`explain` names the estimator that reaches the optimum of a linear machine sooner."""

from __future__ import annotations

import numpy as np
import pytest

from maxmargin import SVC, SVR, LinearSVC, LinearSVR
from maxmargin.solvers import explain

rng = np.random.default_rng(0)
X = rng.normal(size=(2500, 3))
score = X @ [1.0, -2.0, 0.5] + rng.normal(size=2500)
CASES = [
    (SVC(kernel="linear", C=0.1), score > 0, "LinearSVC(loss='hinge', bias='free')"),
    (SVR(kernel="linear", C=0.1), score, "LinearSVR(loss='epsilon_insensitive', bias='free')"),
]


@pytest.mark.parametrize(("model", "y", "named"), CASES)
def test_the_estimator_that_is_named_has_the_same_optimum(model, y, named):
    model.fit(X, y)
    sentence = explain(model.machines_[0].problem)
    assert named in sentence
    epsilon = {"epsilon": 0.1} if isinstance(model, SVR) else {}
    kinds = {"LinearSVC": LinearSVC, "LinearSVR": LinearSVR}
    other = kinds[named.split("(")[0]](
        C=0.1, bias="free", loss=named.split("'")[1], tol=1e-6, **epsilon
    ).fit(X, y)
    assert other.certificate_.primal == pytest.approx(model.certificate_.primal, rel=1e-3)


def test_a_small_or_nonlinear_machine_needs_no_other():
    for model in (SVC(kernel="linear").fit(X[:100], score[:100] > 0), SVC().fit(X, score > 0)):
        assert "sooner" not in explain(model.machines_[0].problem)
