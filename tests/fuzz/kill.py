"""Kill processes while they save: ``python -m fuzz.kill --count 200``; every file left loads."""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

import numpy as np

import maxmargin

#: A process lives up to this many times as long as it takes to save a model.
LONGEST = 4.0


def _machines() -> list[maxmargin.SVR]:
    """Two machines that no half of a file can be mistaken for."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 200))
    return [
        maxmargin.SVR(C=C, epsilon=0.0).fit(X, X[:, 0] + rng.normal(size=400)) for C in (1.0, 2.0)
    ]


def _save_for_ever(machines: list[maxmargin.SVR], path: Path) -> NoReturn:
    while True:
        for machine in machines:
            maxmargin.save(machine, path)


def kill(count: int, seed: int) -> tuple[int, int]:
    """Kill this many processes; return how often each of the two models was left, always whole."""
    machines = _machines()
    points = np.random.default_rng(1).normal(size=(5, 200))
    expected = [machine.predict(points) for machine in machines]
    chance = random.Random(seed)
    left = [0, 0]
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.safetensors")
        maxmargin.save(machines[0], path)
        started = time.perf_counter()
        maxmargin.save(machines[0], path)
        usual = time.perf_counter() - started
        for _ in range(count):
            child = os.fork()
            if child == 0:
                _save_for_ever(machines, path)
            time.sleep(chance.random() * LONGEST * usual)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            found = maxmargin.load(path).predict(points)
            left[next(k for k in (0, 1) if np.array_equal(found, expected[k]))] += 1
        others = [file for file in Path(folder).iterdir() if file != path]
        assert all(file.name.startswith(".maxmargin-") for file in others)
        assert len(others) <= count
    return left[0], left[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    first, second = kill(asked.count, asked.seed)
    sys.stdout.write(
        f"{first + second} killed: {first} left the first model, {second} the second\n"
    )


if __name__ == "__main__":
    main()
