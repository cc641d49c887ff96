"""The gap of a library's solution: its primal values against the best known dual values.

Called as:
python -m benchmarks.linear.certificate PROBLEM.npz MACHINES.npz REFERENCE.json RESULT.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.linear.machines import Machines
from benchmarks.linear.values import machines_of, primal_value, relative_gap


def main(problem_file: str, machines_file: str, reference_file: str, result_file: str) -> None:
    duals = json.loads(Path(reference_file).read_text())["duals"]
    found = Machines.load(Path(machines_file))
    primals = [
        primal_value(problem, w, float(b))
        for problem, w, b in zip(
            machines_of(problem_file), found.weights, found.biases, strict=True
        )
    ]
    result = {
        "primal": sum(primals),
        "relative_gap": relative_gap(sum(primals), sum(duals)),
        "worst_gap": max(map(relative_gap, primals, duals)),
        "machines": len(primals),
    }
    Path(result_file).write_text(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
