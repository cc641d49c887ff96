"""One fit and one prediction, timed, in a process of its own.

Called as: python -m benchmarks.engine.child PROBLEM.npz LIBRARY RESULT.json MACHINES.npz
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks import datasets, memory
from benchmarks.engine import libraries

WARM_UP_ROWS = 20


def warm_up(library: libraries.Library, X: Any, y: Any, gamma: float) -> None:
    """Fit a few rows of each class, so that modules are imported and threads started."""
    rows = np.concatenate([np.flatnonzero(y == c)[:WARM_UP_ROWS] for c in np.unique(y)])
    few = library.prepare(X[rows])
    library.predict(library.fit(few, library.prepare_labels(y[rows]), 1.0, gamma), few)


def main(problem_file: str, library_name: str, result_file: str, machines_file: str) -> None:
    library = libraries.BY_NAME[library_name]
    data = datasets.read(Path(problem_file))
    C, gamma = float(data["C"]), float(data["gamma"])
    warm_up(library, data["X"], data["y"], gamma)
    X, y = library.prepare(data["X"]), library.prepare_labels(data["y"])
    X_test, y_test = library.prepare(data["X_test"]), data.get("y_test")
    rows_predicted = data["X_test"].shape[0]
    del data

    memory.warm()
    fit = memory.measured(lambda: library.fit(X, y, C, gamma))
    start = perf_counter()
    labels = library.predict(fit.value, X_test)
    predict = perf_counter() - start

    machines = library.machines(fit.value)
    machines.save(Path(machines_file))
    result = {
        "fit_s": fit.seconds,
        "predict_s": predict,
        "rows_predicted": rows_predicted,
        "memory_mib": fit.added_mib,
        "memory_total_mib": fit.peak_mib,
        "support_vectors": len(machines.support),
        "test_error": None if y_test is None else float(np.mean(np.asarray(labels) != y_test)),
    }
    Path(result_file).write_text(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
