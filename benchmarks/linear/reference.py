"""The best known dual value of every machine of a problem, by maxmargin's most accurate solver.

Called as: python -m benchmarks.linear.reference PROBLEM.npz SECONDS RESULT.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.linear.values import dual_value, machines_of, primal_value, relative_gap
from maxmargin.solvers.linear_engine import LinearEngine, LinearProgram, Method

GAP = 1e-8
#: Up to here a matrix of features times features is cheap to factorise.
FEW_FEATURES = 1000


def method_for(n_features: int, loss: str) -> Method:
    if n_features > FEW_FEATURES:
        return "coordinate-descent"
    return "interior-point" if loss == "hinge" else "newton"


def main(problem_file: str, seconds: str, result_file: str) -> None:
    problems = list(machines_of(problem_file))
    X, loss = problems[0].X, problems[0].loss
    answers = LinearEngine(X).solve(
        [LinearProgram.of(problem.dual()) for problem in problems],
        method_for(X.shape[1], loss),
        gap=GAP,
        max_iterations=10**6,
        seconds=float(seconds),
    )
    duals, gaps = [], []
    for problem, answer in zip(problems, answers, strict=True):
        duals.append(dual_value(problem, answer.multipliers))
        gaps.append(relative_gap(primal_value(problem, answer.weights, answer.bias), duals[-1]))
    result = {
        "duals": duals,
        "relative_gap": max(gaps),
        "endings": sorted({answer.ending for answer in answers}),
    }
    Path(result_file).write_text(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
