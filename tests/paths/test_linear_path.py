"""A linear path from data or from a problem, for two classes and for many."""

import numpy as np
import pytest

from maxmargin import LinearSVC, MaxMarginError, linear_path, solve
from maxmargin.kernels import RBF
from maxmargin.problems import Free, HardMargin, SoftMargin

CS = [0.1, 1.0, 10.0]


def classes(n_classes=3, n=120):
    rng = np.random.default_rng(0)
    y = np.arange(n) % n_classes
    return rng.normal(size=(n, 4)) + 1.5 * np.eye(n_classes, 4)[y], np.array(list("abc"))[y]


def test_a_problem_gives_its_loss_bias_and_weights_to_the_path():
    X, y = classes(2)
    sign, weight = np.where(y == "b", 1.0, -1.0), np.linspace(0.5, 2.0, len(y))
    problem = SoftMargin(X, sign, loss="squared_hinge", bias=Free(), sample_weight=weight)
    path = linear_path(problem, Cs=CS, tol=1e-8)
    assert list(path.classes) == [-1, 1]
    for C in CS:
        alone = solve(problem.replace(C=C))
        found = path.at(C)
        np.testing.assert_allclose(found.w, alone.w, atol=1e-4)
        np.testing.assert_allclose(found.b, alone.b, atol=1e-4)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("multi_class", ["ovr", "crammer_singer"])
def test_every_kind_of_machine_has_a_path(n_classes, multi_class):
    X, y = classes(n_classes)
    path = linear_path(X, y, CS, multi_class=multi_class, tol=1e-8)
    for k, C in enumerate(CS):
        alone = LinearSVC(C=C, multi_class=multi_class, tol=1e-8).fit(X, y)
        np.testing.assert_allclose(path.coef[k], alone.coef_, atol=1e-4)
        np.testing.assert_allclose(path.intercept[k], alone.intercept_, atol=1e-4)
    assert (path.times > 0).all()
    assert (path.n_iter > 0).all()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda X, y: linear_path(X), "linear_path takes points and labels"),
        (lambda X, y: linear_path(HardMargin(X, y)), r"got HardMargin\(.*\) alone"),
        (lambda X, y: linear_path(X, y[:-1]), r"y has shape \(119,\) for 120 points"),
        (lambda X, y: linear_path(X, np.ones(120)), "y holds one class only"),
        (
            lambda X, y: linear_path(SoftMargin(X, y, kernel=RBF(1.0))),
            r"linear kernel; got SoftMargin\(.*RBF",
        ),
    ],
)
def test_wrong_things_get_a_sentence(make, sentence):
    X, y = classes(2)
    with pytest.raises(MaxMarginError, match=sentence):
        make(X, np.where(y == "b", 1.0, -1.0))


def test_a_path_says_what_it_holds() -> None:
    path = linear_path([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], [0.01, 0.1, 1.0])
    assert repr(path).startswith(
        "<LinearPath at 3 values of C from 0.01 to 1, largest relative gap"
    )
