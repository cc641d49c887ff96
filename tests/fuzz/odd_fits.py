"""Every estimator, with parameters drawn at random, on data drawn at random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import maxmargin

from .odd_data import classes, features, targets, weights

__all__ = ["ESTIMATORS", "Fit", "fits"]

_PENALTIES = st.sampled_from([1.0, 1.0, 1e-3, 10.0, 100.0, 1e4, 1e-10, 1e10, np.inf])
_WIDTHS = st.sampled_from([0.1, 0.0, 1.0, 1e-6, 1e6])
_NU = st.sampled_from([0.5, 0.1, 0.9, 0.01, 1.0])
_CLASS_WEIGHTS = st.sampled_from(
    [None, None, "balanced", {0: 2.0}, {0: 1e12, 1: 1e-12}, {0: 0.0}, {0: np.inf}, {0: -1.0}]
)
_ITERATIONS = st.sampled_from([-1, -1, -1, 0, 1, 50])
_KERNEL = {
    "kernel": st.sampled_from(
        ["rbf", "rbf", "linear", "linear", "poly", "sigmoid", "laplacian", "chi2", "precomputed"]
    ),
    "gamma": st.sampled_from(["scale", "scale", "auto", 1.0, 1e-6, 1e6, 0.0]),
    "coef0": st.sampled_from([0.0, 1.0, -1.0, 1e6]),
    "degree": st.sampled_from([3, 2, 0, 9]),
    "tol": st.sampled_from([1e-3, 1e-3, 1e-6, 1e-12, 10.0]),
    "shrinking": st.booleans(),
    "max_iter": _ITERATIONS,
    "warm_start": st.booleans(),
    "trace": st.booleans(),
    "cache_size": st.sampled_from([None, 200, 1e-6]),
}
_BIAS = st.sampled_from(["free", "regularised"])
_LINEAR = {
    "C": _PENALTIES,
    "tol": st.sampled_from([1e-4, 1e-4, 1e-8, 1.0]),
    "fit_intercept": st.booleans(),
    "intercept_scaling": st.sampled_from([1.0, 1e-3, 1e3]),
    "bias": _BIAS,
    "solver": st.sampled_from(["auto", "auto", "coordinate-descent", "interior-point", "newton"]),
    "max_iter": st.sampled_from([1000, 1, 20]),
    "random_state": st.just(0),
    "trace": st.booleans(),
}
_ONLINE = {
    "max_iter": st.sampled_from([5, 1, 20]),
    "tol": st.sampled_from([1e-3, None]),
    "average": st.booleans(),
    "shuffle": st.booleans(),
    "random_state": st.just(0),
}
_GRID = {"C": [1.0, 100.0], "kernel": ["linear", "rbf"]}

#: The parameters of each estimator, and what its target is.
ESTIMATORS: dict[str, tuple[dict[str, Any], Any]] = {
    "SVC": (
        {
            **_KERNEL,
            "C": _PENALTIES,
            "class_weight": _CLASS_WEIGHTS,
            "bias": _BIAS,
            "multi_class": st.sampled_from(["ovo", "ovr"]),
        },
        classes,
    ),
    "NuSVC": ({**_KERNEL, "nu": _NU, "class_weight": _CLASS_WEIGHTS}, classes),
    "SVR": ({**_KERNEL, "C": _PENALTIES, "epsilon": _WIDTHS, "bias": _BIAS}, targets),
    "NuSVR": ({**_KERNEL, "C": _PENALTIES, "nu": _NU}, targets),
    "OneClassSVM": ({**_KERNEL, "nu": _NU}, None),
    "LinearSVC": (
        {
            **_LINEAR,
            "loss": st.sampled_from(["hinge", "squared_hinge"]),
            "penalty": st.sampled_from(["l2", "l2", "l1"]),
            "multi_class": st.sampled_from(["ovr", "crammer_singer"]),
            "class_weight": _CLASS_WEIGHTS,
        },
        classes,
    ),
    "LinearSVR": (
        {
            **_LINEAR,
            "epsilon": _WIDTHS,
            "loss": st.sampled_from(["epsilon_insensitive", "squared_epsilon_insensitive"]),
        },
        targets,
    ),
    "OnlineSVC": (
        {
            **_ONLINE,
            "C": _PENALTIES,
            "loss": st.sampled_from(["hinge", "squared_hinge"]),
            "method": st.sampled_from(["averaged", "pegasos"]),
            "bias": _BIAS,
            "fit_intercept": st.booleans(),
            "class_weight": _CLASS_WEIGHTS,
        },
        classes,
    ),
    "OnlineOneClassSVM": ({**_ONLINE, "nu": _NU}, None),
    "CalibratedSVC": (
        {
            "estimator": st.sampled_from(
                [maxmargin.SVC(), maxmargin.SVC(kernel="linear", C=1e4), maxmargin.LinearSVC()]
            ),
            "method": st.sampled_from(["platt", "isotonic", "logistic"]),
            "cv": st.sampled_from([2, 3]),
        },
        classes,
    ),
    "SVMSearchCV": (
        {
            "estimator": st.sampled_from([maxmargin.SVC(), maxmargin.NuSVC()]),
            "param_grid": st.sampled_from([_GRID, {"gamma": [0.1, 1e3]}]),
            "cv": st.sampled_from([2, 3]),
        },
        classes,
    ),
}


@dataclass(frozen=True, eq=False)
class Fit:
    """A call of fit: everything that it is given."""

    name: str
    parameters: dict[str, Any]
    X: Any
    y: Any
    weight: Any

    def estimator(self) -> Any:
        """Return the estimator, not fitted."""
        return getattr(maxmargin, self.name)(**self.parameters)

    def run(self) -> Any:
        """Fit; estimators without a target or weights are given none."""
        machine = self.estimator()
        if ESTIMATORS[self.name][1] is None:
            return machine.fit(self.X, sample_weight=self.weight)
        given = {} if self.weight is None else {"sample_weight": self.weight}
        return machine.fit(self.X, self.y, **given)

    def __repr__(self) -> str:
        data = f"X={self.X!r}, y={self.y!r}, sample_weight={self.weight!r}"
        return f"{self.name}(**{self.parameters!r}).fit({data})"


#: In what a call can be odd.
ODDITIES = ("shape", "numbers", "numbers", "layout", "layout", "target", "weights", "parameters")
#: Parameters that every call is given.
_NEEDED = ("estimator", "param_grid", "cv", "max_iter")


@st.composite
def fits(draw: Any, name: str) -> Fit:
    """Draw a call that is odd in at most two ways; most parameters keep their default."""
    choices, target = ESTIMATORS[name]
    odd = frozenset(draw(st.lists(st.sampled_from(ODDITIES), max_size=2)))
    chosen = draw(
        st.lists(
            st.sampled_from(sorted(choices)),
            max_size=4 if "parameters" in odd else 1,
            unique=True,
        )
    )
    needed = [key for key in _NEEDED if key in choices]
    parameters = {key: draw(choices[key]) for key in dict.fromkeys([*needed, *chosen])}
    n = draw(st.sampled_from([0, 1, 2, 3, 40] if "shape" in odd else [6, 8, 12, 16]))
    X = draw(features(n, odd))
    if parameters.get("kernel") == "precomputed" and isinstance(X, np.ndarray):
        X = _gram(X)
    y = None if target is None else draw(target(n, odd))
    return Fit(name, parameters, X, y, draw(weights(n, odd)))


def _gram(X: Any) -> Any:
    if X.dtype.kind not in "fiu":
        return X
    with np.errstate(all="ignore"):
        return X.astype(np.float64) @ X.astype(np.float64).T
