"""Data for the online machines, what they minimise, and how far above the optimum they end."""

import numpy as np
from sklearn.svm import SVC, LinearSVC

from maxmargin import OnlineSVC
from maxmargin.streams import chunks


def clouds(n, d=5, seed=0, n_classes=2, distance=1.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    centres = distance * rng.normal(size=(n_classes, d))
    return rng.normal(size=(n, d)) + centres[y], y


def objective(coef, intercept, X, sign, alpha, *, power=1, bias="regularised", price=1.0):
    slack = np.maximum(0.0, 1.0 - sign * (X @ coef + intercept))
    norm = coef @ coef + (intercept**2 if bias == "regularised" else 0.0)
    return 0.5 * alpha * norm + np.mean(price * slack**power)


def excess(machine, X, y, **how):
    """How far the objective is above scikit-learn's optimum, as a fraction of it."""
    alpha, sign = machine.alpha_, np.where(y == machine.classes_[1], 1.0, -1.0)
    C = 1.0 / (alpha * len(y))
    power, bias = how.get("power", 1), how.get("bias", "regularised")
    if bias == "free":
        best = SVC(C=C, kernel="linear", tol=1e-6).fit(X, y)
    else:
        loss = "hinge" if power == 1 else "squared_hinge"
        intercept = bias != "none"
        best = LinearSVC(
            C=C,
            loss=loss,
            tol=1e-5,
            max_iter=10**6,
            random_state=0,
            dual=True,
            fit_intercept=intercept,
        ).fit(X, y)
    least = objective(best.coef_[0], float(np.ravel(best.intercept_)[0]), X, sign, alpha, **how)
    reached = objective(machine.coef_[0], machine.intercept_[0], X, sign, alpha, **how)
    return (reached - least) / least


def stream_fit(X, y, size, **parameters):
    machine = OnlineSVC(alpha=1e-3, **parameters)
    for rows, labels in chunks(X, y, size=size):
        machine.partial_fit(rows, labels, classes=np.unique(y))
    return machine


def same(left, right):
    np.testing.assert_array_equal(left.coef_, right.coef_)
    np.testing.assert_array_equal(left.intercept_, right.intercept_)
    np.testing.assert_array_equal(left.loss_, right.loss_)
