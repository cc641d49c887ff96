"""Runs in processes of their own, in turns and with a time limit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from benchmarks.datasets import ROOT
from benchmarks.results import Record

Candidate = TypeVar("Candidate")


def run(module: str, arguments: list[str], result: Path, limit: float | None) -> Record:
    """Return what the module wrote into the result file, with status "done".

    Otherwise the status is "timed out" or "failed", with a message.
    """
    result.unlink(missing_ok=True)
    command = [sys.executable, "-m", module, *arguments]
    start = perf_counter()
    try:
        # run() ends the process when the limit has passed.
        ended = subprocess.run(
            command, cwd=ROOT, timeout=limit, capture_output=True, text=True, check=False
        )
    except subprocess.TimeoutExpired:
        return {"status": "timed out", "message": f"Not done after {limit:g} s, start included."}
    if ended.returncode != 0 or not result.exists():
        lines = ended.stderr.strip().splitlines() or ["no message"]
        return {"status": "failed", "message": f"{lines[-1]} (exit code {ended.returncode})"}
    whole = perf_counter() - start
    return {"status": "done", "process_s": whole, **json.loads(result.read_text())}


def in_turns(
    candidates: Iterable[Candidate], fit: Callable[[Candidate], Record], repeats: Iterable[int]
) -> Iterator[Record]:
    """Run every candidate once, then again in another order; drop one that does not finish."""
    working = list(candidates)
    for repeat in repeats:
        shift = repeat % max(1, len(working))
        for candidate in working[shift:] + working[:shift]:
            busy = os.getloadavg()[0]
            record = fit(candidate)
            if record["status"] != "done":
                working.remove(candidate)
            yield {"repeat": repeat, "load_before": busy, **record}
