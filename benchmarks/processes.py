"""Starting a module in a process of its own, with a time limit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.datasets import ROOT


def run(module: str, arguments: list[str], result: Path, limit: float | None) -> dict[str, Any]:
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
