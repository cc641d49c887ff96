"""Fits in a process of their own, which is ended when the time of a fit is up."""

from __future__ import annotations

import multiprocessing
import warnings
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.heldout import settings
from benchmarks.heldout.data import Data, load, standardised
from benchmarks.heldout.objective import primal
from benchmarks.heldout.settings import Setting
from benchmarks.results import Record

#: Fits shorter than this are repeated, so often; the time is their median.
SHORT_SECONDS = 1.0
REPEATS = 3
#: For everything but the fit: reading the data, the objective, the certificate.
OTHER_SECONDS = 600.0


def _certificate(fitted: Any) -> Record:
    machines = fitted.certificate_.machines
    return {
        "certified_primal": float(sum(one.primal for one in machines)),
        "certified_dual": float(sum(one.dual for one in machines)),
        "relative_gap": float(fitted.certificate_.relative_gap),
        "kkt_violation": float(fitted.certificate_.kkt_violation),
        "convex": all(one.convexity.holds for one in machines),
    }


def fit(library: str, setting: Setting, data: Data, link: Connection) -> Record:
    """Return what there is to say about one fit; tell the parent when it starts and ends."""
    gamma = settings.gamma_of(data.X)
    machine = settings.estimator(library, setting, data, gamma)
    times: list[float] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        link.send("started")
        while not times or (len(times) < REPEATS and sum(times) < SHORT_SECONDS):
            start = perf_counter()
            machine.fit(data.X, data.y)
            times.append(perf_counter() - start)
            if len(times) == 1:
                link.send("fitted")
    record: Record = {
        "fit_s": median(times),
        "primal": primal(machine, data, setting, gamma),
        "fit_status": int(machine.fit_status_),
        "warnings": sorted({str(one.message) for one in caught}),
    }
    if library == "maxmargin":
        record |= _certificate(machine)
    return record


def _prepared(path: str, rows: int, scaling: str) -> Data:
    data = load(Path(path), rows)
    return standardised(data) if scaling == "standardised" else data


def _serve(library: str, link: Connection) -> None:
    # A first fit, so that modules are imported and threads started before the clock.
    few = Data(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1]), False)
    settings.estimator(library, Setting("raw", "rbf", 1.0), few, 1.0).fit(few.X, few.y)
    name: tuple[str, int, str] | None = None
    data: Data | None = None
    while True:
        try:
            path, rows, setting = link.recv()
        except EOFError:
            return
        try:
            if name != (path, rows, setting.scaling) or data is None:
                name = (path, rows, setting.scaling)
                data = _prepared(*name)
            link.send({"status": "done", **fit(library, setting, data, link)})
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            link.send({"status": "failed", "message": message})


class Worker:
    """A process that fits with one library; started when it is needed, and again if it ended."""

    def __init__(self, library: str, limit: float) -> None:
        self.library, self.limit = library, limit
        self._process: Any = None
        self._link: Any = None

    def fit(self, path: Path, rows: int, setting: Setting) -> Record:
        """Return the record of a fit: status "done", "failed" or "timed out"."""
        if self._process is None:
            context = multiprocessing.get_context("spawn")
            self._link, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(self.library, theirs), daemon=True)
            self._process.start()
            theirs.close()
        self._link.send((str(path), rows, setting))
        limit = OTHER_SECONDS
        while True:
            if not self._link.poll(limit):
                self.end()
                return {"status": "timed out", "message": f"Not done after {limit:g} s."}
            try:
                said = self._link.recv()
            except EOFError:
                self._process.join()
                code = self._process.exitcode
                self.end()
                return {"status": "failed", "message": f"The process ended with code {code}."}
            if isinstance(said, dict):
                return said
            limit = self.limit if said == "started" else OTHER_SECONDS

    def end(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._link.close()
            self._process = None
