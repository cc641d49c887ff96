"""The best known dual value of every machine of a problem, by maxmargin's most accurate solver.

Called as: python -m benchmarks.linear.reference PROBLEM.npz SECONDS RESULT.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.linear.values import dual_value, machines_of, primal_value, relative_gap
from maxmargin import Stop, solve_all

GAP = 1e-8
# Up to this many features a matrix of features times features is cheap to factorise.
FEW_FEATURES = 1000


def solver_for(n_features: int, loss: str) -> str:
    if n_features > FEW_FEATURES:
        return "coordinate-descent"
    return "linear-interior-point" if loss == "hinge" else "primal-newton"


def main(problem_file: str, seconds: str, result_file: str) -> None:
    problems = list(machines_of(problem_file))
    X, loss = problems[0].X, problems[0].loss
    stop = Stop(gap=GAP, max_iter=10**6, time_limit=float(seconds))
    solutions = solve_all(problems, solver_for(X.shape[1], loss), stop=stop)
    duals, gaps = [], []
    for problem, solution in zip(problems, solutions, strict=True):
        duals.append(dual_value(problem, solution.dual))
        gaps.append(relative_gap(primal_value(problem, solution.w, solution.b), duals[-1]))
    result = {
        "duals": duals,
        "relative_gap": max(gaps),
        "endings": sorted({solution.ending.value for solution in solutions}),
    }
    Path(result_file).write_text(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
