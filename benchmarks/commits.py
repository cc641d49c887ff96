"""Two commits of this library side by side: the same jobs in turns, and the ratio of the times.

    python -m benchmarks.commits BASE HEAD --problems a9a-1 letter --repeats 5

BASE and HEAD are folders with a `maxmargin` package each, its compiled module included (`pip
install --no-deps --target BASE ...`). Every measurement has a process of its own; if a ratio is
above one, HEAD is faster.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks import datasets, memory
from benchmarks.engine import problems as engine
from benchmarks.search import problems as search

WARM_UP_ROWS = 500
SMALL_REPEATS = 200


def kernel_fit(name: str) -> Callable[[], float]:
    def job() -> float:
        from maxmargin import SVC

        data = engine.prepared(engine.BY_NAME[name])
        X, y, C, gamma = (data[key] for key in ("X", "y", "C", "gamma"))
        return timed(lambda rows: SVC(C=C, gamma=gamma).fit(X[rows], y[rows]), len(y))

    return job


def linear_fit(name: str, loss: str, C: float) -> Callable[[], float]:
    def job() -> float:
        from maxmargin import LinearSVC

        data = datasets.load(f"classification/{name}")
        X, y = data["X"], data["y"]
        if name == "covtype":
            X, y = engine.standardised(data)["X"], np.where(y == 2, 1, -1)
        return timed(lambda rows: LinearSVC(loss=loss, C=C).fit(X[rows], y[rows]), len(y))

    return job


def grid(name: str) -> Callable[[], float]:
    def job() -> float:
        from maxmargin import SVC, SVMSearchCV

        chosen = search.BY_NAME[name]
        X, y = chosen.load()
        values = {"C": list(chosen.C), "gamma": list(chosen.gamma)}

        def fit(rows: slice) -> Any:
            return SVMSearchCV(SVC(), values, cv=chosen.folds).fit(X[rows], y[rows])

        return timed(fit, len(y))

    return job


def calibrated() -> float:
    from maxmargin import SVC, CalibratedSVC

    data = datasets.load("classification/a9a")
    X, y = data["X"].astype(np.float64), data["y"]
    return timed(
        lambda rows: CalibratedSVC(SVC(C=1, gamma=0.05), cv=5).fit(X[rows], y[rows]), len(y)
    )


def small(method: str, n: int, d: int) -> Callable[[], float]:
    """Median seconds of a small fit, or of a prediction for all its rows."""

    def job() -> float:
        from maxmargin import SVC

        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, d))
        y = (X[:, 0] + 0.5 * rng.normal(size=n) > 0).astype(int)
        model = SVC().fit(X, y)
        call = (lambda: SVC().fit(X, y)) if method == "fit" else (lambda: model.predict(X))
        times = []
        for _ in range(SMALL_REPEATS):
            start = perf_counter()
            call()
            times.append(perf_counter() - start)
        return statistics.median(times)

    return job


def timed(fit: Callable[[slice], Any], n: int) -> float:
    """Seconds of a fit to all rows; imports and threads are in place when the clock starts."""
    fit(slice(None, None, max(n // WARM_UP_ROWS, 1)))
    memory.warm()
    memory.give_back()
    start = perf_counter()
    fit(slice(None))
    return perf_counter() - start


JOBS: dict[str, Callable[[], float]] = {
    "mlpr": kernel_fit("fingerprint"),
    "a9a-1": kernel_fit("a9a-1"),
    "a9a-100": kernel_fit("a9a-100"),
    "covtype": kernel_fit("covtype"),
    "mnist-digits": kernel_fit("mnist-digits"),
    "letter": kernel_fit("letter"),
    "w8a": kernel_fit("w8a"),
    "ijcnn1": kernel_fit("ijcnn1"),
    "susy": kernel_fit("susy"),
    "mnist-parity": kernel_fit("mnist-parity"),
    "skin": kernel_fit("skin"),
    "grid-fingerprint": grid("fingerprint"),
    "grid-mnist": grid("mnist"),
    "calibration-a9a": calibrated,
    "linear-a9a-hinge": linear_fit("a9a", "hinge", 1.0),
    "linear-a9a-squared": linear_fit("a9a", "squared_hinge", 1.0),
    "linear-covtype": linear_fit("covtype", "hinge", 1.0),
    "fit-100x4": small("fit", 100, 4),
    "fit-1000x20": small("fit", 1000, 20),
    "predict-100x4": small("predict", 100, 4),
    "predict-1000x20": small("predict", 1000, 20),
}


def child(name: str, result: str, tree: str) -> None:
    import maxmargin

    # An editable install comes before PYTHONPATH.
    if Path(tree).resolve() not in Path(maxmargin.__file__).resolve().parents:
        sys.exit(
            f"maxmargin is {maxmargin.__file__}, not that of {tree}: use an environment of \
which it is no editable part."
        )
    Path(result).write_text(json.dumps({"seconds": JOBS[name]()}))


def run(tree: Path, name: str, folder: Path) -> float:
    result = folder / "result.json"
    result.unlink(missing_ok=True)
    path = os.pathsep.join([str(tree), str(Path(__file__).resolve().parent.parent)])
    command = [sys.executable, "-m", "benchmarks.commits", "--child", name, str(result), str(tree)]
    subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, check=True)
    return float(json.loads(result.read_text())["seconds"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("trees", nargs="*", type=Path, help="folders of both packages")
    parser.add_argument("--problems", nargs="*", default=list(JOBS), choices=list(JOBS))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(*arguments.child)
        return
    base, head = arguments.trees
    ratios = []
    print("| job | base s | head s | ratio |\n| --- | --- | --- | --- |", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.problems:
            times: dict[Path, list[float]] = {base: [], head: []}
            for repeat in range(arguments.repeats):
                for tree in (base, head) if repeat % 2 == 0 else (head, base):
                    times[tree].append(run(tree, name, Path(folder)))
            before, after = (statistics.median(times[tree]) for tree in (base, head))
            ratios.append(before / after)
            print(f"| {name} | {before:.4g} | {after:.4g} | {before / after:.2f} |", flush=True)
    print(f"\nGeometric mean {float(np.exp(np.mean(np.log(ratios)))):.3f}, least {min(ratios):.2f}")


if __name__ == "__main__":
    main()
