"""One search, timed, in a process of its own.

Called as: python -m benchmarks.search.child DATA.npz GRID LIBRARY RESULT.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sklearn.model_selection import StratifiedKFold

from benchmarks import datasets, memory
from benchmarks.search import libraries, problems

WARM_UP_ROWS = 400


def main(data_file: str, grid_name: str, library_name: str, result_file: str) -> None:
    grid, library = problems.BY_NAME[grid_name], libraries.BY_NAME[library_name]
    data = datasets.read(Path(data_file))
    X, y = data["X"], data["y"]
    folds = StratifiedKFold(grid.folds, shuffle=True, random_state=0)
    # Modules are imported, threads and worker processes started before the clock starts.
    library.search({"C": [1.0, 2.0]}, 2).fit(X[:WARM_UP_ROWS], y[:WARM_UP_ROWS])
    search = library.search({"C": grid.C, "gamma": grid.gamma}, folds)
    fit = memory.measured(lambda: search.fit(X, y))
    result = {
        "seconds": fit.seconds,
        "refit_s": search.refit_time_,
        "memory_mib": fit.added_mib,
        "mean_test_score": search.cv_results_["mean_test_score"].tolist(),
        "best_params": {name: float(value) for name, value in search.best_params_.items()},
        "best_score": float(search.best_score_),
    }
    Path(result_file).write_text(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
