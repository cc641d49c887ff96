"""Claims of the pages that no example on them shows, each next to its test."""

import inspect
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

import maxmargin
from maxmargin import CalibratedSVC, errors
from maxmargin.solvers import SOLVERS

ESTIMATORS = [
    kind
    for name in maxmargin.__all__
    if inspect.isclass(kind := getattr(maxmargin, name)) and issubclass(kind, BaseEstimator)
]


def says(root: Path, page: str, sentence: str) -> bool:
    return sentence in " ".join((root / "docs" / page).read_text(encoding="utf-8").split())


def test_every_machine_and_every_search_takes_a_time_limit(root):
    assert says(
        root, "tutorials/big-data.md", "Every machine and every search takes a `time_limit`"
    )
    assert len(ESTIMATORS) >= 10
    for kind in ESTIMATORS:
        # A calibration has that of its machine.
        own = maxmargin.SVC if kind is CalibratedSVC else kind
        assert "time_limit" in inspect.signature(own).parameters, kind


def test_errors_derive_from_one_class(root):
    assert says(root, "getting-started.md", "files derive from `maxmargin.MaxMarginError`")
    found = [kind for _, kind in inspect.getmembers(errors, inspect.isclass)]
    kinds = [kind for kind in found if not issubclass(kind, Warning)]
    ours = [kind for kind in kinds if kind.__module__ == errors.__name__]
    assert len(ours) >= 6
    assert all(issubclass(kind, maxmargin.MaxMarginError) for kind in ours)


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_an_estimator_that_is_not_fitted_raises_the_error_of_scikit_learn(kind, root):
    assert says(
        root, "getting-started.md", "an estimator that is not fitted raises `NotFittedError`"
    )
    needed = {"estimator": maxmargin.SVC(), "param_grid": {"C": [1.0]}}
    known = inspect.signature(kind).parameters
    model = kind(**{name: value for name, value in needed.items() if name in known})
    with pytest.raises(NotFittedError):
        model.predict([[0.0]])


def test_the_page_of_the_solvers_lists_all_of_them(root):
    page = (root / "docs" / "theory" / "solvers.md").read_text(encoding="utf-8")
    assert says(root, "theory/solvers.md", "All solvers return a `Solution`")
    for name in SOLVERS:
        assert f'| `"{name}"`' in page, name
