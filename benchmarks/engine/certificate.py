"""The certificate of each of a library's machines, in float64.

Called as: python -m benchmarks.engine.certificate PROBLEM.npz MACHINES.npz RESULT.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks import datasets
from benchmarks.engine.machines import Machines
from maxmargin import RBF, Points, SoftMargin, Solution


def main(problem_file: str, machines_file: str, result_file: str) -> None:
    data = datasets.read(Path(problem_file))
    y, C = data["y"], float(data["C"])
    points = Points(data["X"], RBF(float(data["gamma"])))
    dual, gaps, violations = 0.0, [], []
    for rows, labels, multipliers, b in Machines.load(Path(machines_file)).pairs(y):
        problem = SoftMargin(points.take(rows), labels, C=C)
        # The offset of the dual's equality constraint is minus b.
        found = Solution(problem, multipliers, [-b]).certificate
        dual += found.dual
        gaps.append(found.relative_gap)
        violations.append(found.kkt_violation)
    result = {
        "dual": dual,
        "relative_gap": max(gaps),
        "kkt_violation": max(violations),
        "machines": len(gaps),
    }
    Path(result_file).write_text(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
