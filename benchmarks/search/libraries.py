"""The searches: ours, and scikit-learn's with the machines of two libraries."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from benchmarks import library

JOBS = 2
TOLERANCE = 1e-3


@dataclass(frozen=True)
class Library(library.Library):
    """A library, with the module of its SVC."""

    module: str

    def search(self, grid: dict[str, Any], cv: Any) -> Any:
        machine = import_module(self.module).SVC(tol=TOLERANCE)
        if self.is_ours:
            from maxmargin import SVMSearchCV

            return SVMSearchCV(machine, grid, cv=cv, n_jobs=JOBS)
        from sklearn.model_selection import GridSearchCV

        return GridSearchCV(machine, grid, cv=cv, n_jobs=JOBS)


LIBRARIES = (
    Library("maxmargin", "maxmargin", "maxmargin", "maxmargin"),
    Library("sklearn", "scikit-learn", "scikit-learn", "sklearn.svm"),
    Library("intelex", "scikit-learn-intelex", "scikit-learn-intelex", "sklearnex.svm"),
)

BY_NAME = {library.name: library for library in LIBRARIES}
