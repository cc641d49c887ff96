"""What a library's answer is worth: our certificate of each of its machines, in float64.

Called as: python -m benchmarks.engine.certificate PROBLEM.npz MACHINES.npz RESULT.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import maxmargin
from benchmarks import datasets
from benchmarks.engine.machines import Machines
from maxmargin.kernels import RBF
from maxmargin.problems import SoftMargin


def main(problem_file: str, machines_file: str, result_file: str) -> None:
    data = datasets.read(Path(problem_file))
    X, y, C = data["X"], data["y"], float(data["C"])
    kernel = RBF(float(data["gamma"]))
    dual, gaps, violations = 0.0, [], []
    for rows, labels, multipliers, b in Machines.load(Path(machines_file)).pairs(y):
        problem = SoftMargin(X[rows], labels, C=C, kernel=kernel)
        # The offset of the dual's sum is minus b.
        found = maxmargin.certify(problem, maxmargin.Solution(problem, multipliers, [-b]))
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
