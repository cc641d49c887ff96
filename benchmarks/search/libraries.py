"""Who searches: our search, and scikit-learn's over two libraries' machines."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from typing import Any

JOBS = 2
TOLERANCE = 1e-3


@dataclass(frozen=True)
class Library:
    """name: on the command line; title: in the tables; package: whose version is reported."""

    name: str
    title: str
    package: str
    module: str

    @property
    def version(self) -> str:
        return version(self.package)

    @property
    def is_ours(self) -> bool:
        return self.package == "maxmargin"

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
