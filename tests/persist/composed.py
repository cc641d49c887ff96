"""Fitted models that hold others, and models of what is not rows of numbers; points to predict."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import (
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from maxmargin import SVC, SVR, CalibratedSVC, LinearSVC, NuSVC, OneClassSVM, OnlineSVC, SVMSearchCV
from maxmargin.kernels import (
    RBF,
    CommonSubstrings,
    Linear,
    Mismatch,
    On,
    Polynomial,
    Spectrum,
    Subsequence,
    WeightedDegree,
)
from maxmargin.metrics import get_scorer, make_dcf_scorer

from .fitted import LABELS, NAMES, NEW, TARGETS, X, _fit

SOME = slice(None, None, 3)
ROWS, Y = X[SOME], LABELS[SOME]
TWO = LABELS[SOME] > 0
GRID = {"C": np.logspace(-1, 1, 3), "gamma": [0.1, 1.0]}
MIXED_GRID = [
    {"scale": ["passthrough", MinMaxScaler()], "machine__C": [1, 10]},
    {"machine__kernel": [Linear(), Linear() + RBF(0.5)], "machine__class_weight": [{0: 2.0}]},
]
SPLITS = [(np.arange(0, 40), np.arange(40, 50)), (np.arange(10, 50), np.arange(10))]
STEPS = Pipeline([("scale", StandardScaler()), ("machine", SVC())])
DCF = make_dcf_scorer("min_dcf", prior=0.2, cost_fp=3.0)

LETTERS = "ACGT"
DRAWS = np.random.default_rng(3)
WORDS = ["".join(DRAWS.choice(list(LETTERS), size)) for size in DRAWS.integers(0, 12, 40)]
WORDS[0] = "naïve 象"
SIDE = np.array([word.count("A") > word.count("T") for word in WORDS])
SENTENCES = [[word[i : i + 2] for i in range(0, len(word), 2)] for word in WORDS]
FRAME = pd.DataFrame({"word": WORDS, "length": [len(word) for word in WORDS], "half": SIDE * 0.5})
BY_COLUMNS = On("word", Spectrum(2)) + 0.5 * On(["length", "half"], RBF(0.1)) * On(
    "length", Linear()
)


def _searched(estimator: Any, grid: Any, y: Any = Y, **settings: Any) -> Any:
    return _fit(SVMSearchCV(estimator, grid, **{"cv": 3, **settings}), ROWS, y)


def _calibrated(estimator: Any = None, y: Any = Y, **settings: Any) -> Any:
    return _fit(CalibratedSVC(estimator, **settings), ROWS, y)


def _on_words(kernel: Any) -> Any:
    return _fit(SVC(kernel=kernel), WORDS, SIDE)


SEARCHES: dict[str, Any] = {
    "search": lambda: _searched(SVC(), GRID),
    "search, named classes": lambda: _searched(SVC(), GRID, NAMES[SOME], return_train_score=True),
    "search, no refit": lambda: _searched(SVC(), GRID, refit=False),
    "search, several scores": lambda: _searched(
        SVC(), GRID, TWO, scoring=["accuracy", "roc_auc"], refit="roc_auc"
    ),
    "search, costs": lambda: _searched(
        SVC(), GRID, TWO, scoring={"dcf": DCF, "eer": get_scorer("neg_eer")}, refit="dcf"
    ),
    "search, one cost": lambda: _searched(SVC(), GRID, TWO, scoring=DCF),
    "search, pipeline": lambda: _searched(STEPS, {"machine__C": [0.1, 10.0]}),
    "search, mixed grid": lambda: _searched(STEPS, MIXED_GRID),
    "search, regression": lambda: _searched(SVR(), {"C": [1, 10]}, TARGETS[SOME], cv=2),
    "search, linear": lambda: _searched(LinearSVC(), {"C": (0.1, 1.0)}),
    "search, ranges": lambda: _searched(
        SVC(kernel="poly"), {"degree": range(1, 3)}, cv=ShuffleSplit(2, random_state=0)
    ),
    "search, kernels": lambda: _searched(
        NuSVC(nu=0.2), {"kernel": [RBF("scale"), Polynomial(1.0, 0.0, 2)]}, cv=SPLITS
    ),
    "search, calibrated": lambda: _searched(
        CalibratedSVC(SVC(), cv=2), {"estimator__C": [1.0, 2.0], "method": ["platt", "isotonic"]}
    ),
}
CALIBRATIONS: dict[str, Any] = {
    "platt": lambda: _calibrated(y=TWO),
    "isotonic": lambda: _calibrated(SVC(C=2.0), TWO, method="isotonic", keep_scores=True),
    "logistic": lambda: _calibrated(
        NuSVC(nu=0.3), TWO, method="logistic", prior=0.2, cost_fn=10.0, cv=StratifiedKFold(3)
    ),
    "platt, pairs": lambda: _calibrated(prior=[0.5, 0.25, 0.25], keep_scores=True),
    "isotonic, pairs": lambda: _calibrated(method="isotonic", prior=np.array([0.5, 0.3, 0.2])),
    "logistic, pairs": lambda: _calibrated(y=NAMES[SOME], method="logistic"),
    "logistic, rest": lambda: _calibrated(SVC(multi_class="ovr"), method="logistic"),
    "isotonic, linear": lambda: _calibrated(LinearSVC(), method="isotonic", cv=2),
    "platt, online": lambda: _calibrated(OnlineSVC(random_state=0, max_iter=20, tol=None)),
    "platt, pipeline": lambda: _calibrated(make_pipeline(StandardScaler(), SVC())),
    "platt, search": lambda: _calibrated(SVMSearchCV(SVC(), {"C": [1.0, 2.0]}, cv=2), TWO),
    "platt, repeated": lambda: _calibrated(SVC(), TWO, cv=PredefinedSplit(np.arange(50) % 3)),
    "in a pipeline": lambda: _fit(
        make_pipeline(StandardScaler(), CalibratedSVC(SVC(), method="isotonic")), ROWS, Y
    ),
    "search in a pipeline": lambda: _fit(
        make_pipeline(StandardScaler(), SVMSearchCV(SVC(), GRID, cv=2)), ROWS, Y
    ),
    "frame": lambda: _fit(
        CalibratedSVC(SVC(), cv=RepeatedStratifiedKFold(n_splits=2, n_repeats=1)),
        pd.DataFrame(ROWS, columns=list("abcd")),
        Y,
    ),
}
SEQUENCES: dict[str, Any] = {
    "substrings": lambda: _on_words(CommonSubstrings(max_length=4)),
    "distinct substrings": lambda: _on_words(CommonSubstrings("distinct", 2, normalize=True)),
    "spectrum": lambda: _on_words(Spectrum(2, up_to=True)),
    "mismatch": lambda: _on_words(Mismatch(3, 1)),
    "weighted degree": lambda: _on_words(WeightedDegree(3, 1, normalize=True)),
    "subsequence": lambda: _on_words(Subsequence(2, 0.7)),
    "sum": lambda: _on_words(Spectrum(2) + 0.5 * Spectrum(3) * Spectrum(1)),
    "bytes": lambda: _fit(SVC(kernel=Spectrum(2)), [w.encode() for w in WORDS], SIDE),
    "tokens": lambda: _fit(SVC(kernel=Spectrum(2)), SENTENCES, SIDE),
    "one class of words": lambda: _fit(OneClassSVM(kernel=Spectrum(2, normalize=True)), WORDS),
    "lengths of words": lambda: _fit(SVR(kernel=Spectrum(1)), WORDS, FRAME["length"] + 0.0),
    "columns": lambda: _fit(SVC(kernel=BY_COLUMNS), FRAME, SIDE),
    "words, calibrated": lambda: _fit(CalibratedSVC(SVC(kernel=Spectrum(2)), cv=2), WORDS, SIDE),
    "words, searched": lambda: _fit(
        SVMSearchCV(SVC(), {"kernel": [Spectrum(1), Spectrum(2)], "C": [1.0, 10.0]}, cv=2),
        WORDS,
        SIDE,
    ),
}
MAKERS = {**SEARCHES, **CALIBRATIONS, **SEQUENCES}
NEW_WORDS = ["", "ACCA", "GATTACA", "象 naïve", "TTTTTTTTTTTTTTTT", "CAT"]


@cache
def model(name: str) -> Any:
    """Return one of the models, which nobody may change."""
    return MAKERS[name]()


def points(name: str) -> Any:
    """Return points that the model of this name has not seen."""
    if name == "frame":
        return pd.DataFrame(NEW, columns=list("abcd"))
    if name not in SEQUENCES:
        return NEW
    if name == "bytes":
        return [word.encode() for word in NEW_WORDS]
    if name == "tokens":
        return [["AC", "CA"], [], ["GA", "TT", "AC", "A"], ["unknown"]]
    if name == "columns":
        lengths = [len(word) for word in NEW_WORDS]
        return pd.DataFrame({"word": NEW_WORDS, "length": lengths, "half": 0.25})
    return NEW_WORDS
