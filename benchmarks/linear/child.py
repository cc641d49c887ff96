"""One fit and one prediction, timed, in a process of its own.

Called as: python -m benchmarks.linear.child PROBLEM.npz LIBRARY TOLERANCE RESULT.json MACHINES.npz
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks import datasets, memory
from benchmarks.linear import libraries

WARM_UP_ROWS = 20


def warm_up(library: libraries.Library, X: Any, y: Any, task: libraries.Task) -> None:
    """Fit a few rows of each class, so that modules are imported and threads started."""
    rows = np.concatenate([np.flatnonzero(y == c)[:WARM_UP_ROWS] for c in np.unique(y)])
    few = library.prepare(X[rows])
    library.predict(library.fit(few, y[rows], replace(task, tolerance=1e-3)).model, few)


def main(
    problem_file: str, library_name: str, tolerance: str, result_file: str, machines_file: str
) -> None:
    library = libraries.BY_NAME[library_name]
    data = datasets.read(Path(problem_file))
    task = libraries.Task.of(data, float(tolerance) if tolerance else None)
    y, y_test = data["y"], data.get("y_test")
    warm_up(library, data["X"], y, task)
    start = perf_counter()
    X = library.prepare(data["X"])
    prepare = perf_counter() - start
    X_test = library.prepare(data["X_test"])
    rows_predicted = data["X_test"].shape[0]
    del data

    memory.warm()
    fit = memory.measured(lambda: library.fit(X, y, task))
    fitted = fit.value
    start = perf_counter()
    labels = library.predict(fitted.model, X_test)
    predict = perf_counter() - start

    library.machines(fitted.model).save(Path(machines_file))
    result = {
        "prepare_s": prepare,
        "fit_s": fit.seconds,
        "whole_s": prepare + fit.seconds,
        "predict_s": predict,
        "rows_predicted": rows_predicted,
        "memory_mib": fit.added_mib,
        "memory_total_mib": fit.peak_mib,
        "has_warned": fitted.has_warned,
        "test_error": None if y_test is None else float(np.mean(np.asarray(labels) != y_test)),
        **library.remarks(fitted.model),
    }
    Path(result_file).write_text(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
