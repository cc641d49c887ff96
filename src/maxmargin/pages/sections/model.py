"""What is inside a model: support vectors, parameters, how to make it again."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

import numpy as np
import scipy
import sklearn

import maxmargin
from maxmargin.estimators.linear_base import LinearEstimator
from maxmargin.estimators.online_base import OnlineMachine
from maxmargin.pages.evidence import Evidence
from maxmargin.pages.source import Source, changed
from maxmargin.pages.subject import Task
from maxmargin.pages.verdict import ROUNDING
from maxmargin.pages.words import number_text, rounded
from maxmargin.solvers import SOLVERS

__all__ = ["again_section", "parameters_section", "support_section"]

# Characters of a parameter's value; a longer one is cut.
_LONGEST_VALUE = 100


def support_section(evidence: Evidence) -> dict[str, Any]:
    """Count support vectors by what they are."""
    subject, machine, optimality = evidence.subject, evidence.subject.machine, evidence.optimality
    weights = machine.coef_ if isinstance(machine, LinearEstimator) else None
    if subject.solution is not None:
        weights = subject.solution.weights
    by_class: list[tuple[Any, int]] = []
    if subject.has_support_vectors and subject.task in (Task.TWO_CLASSES, Task.CLASSES):
        by_class = list(zip(subject.classes.tolist(), machine.n_support_, strict=True))
    machines = () if optimality.certificate is None else optimality.certificate.machines
    one, slack = machines[0] if len(machines) == 1 else None, optimality.slack
    inside = outside = None
    if one is not None and slack is not None and subject.task is Task.TWO_CLASSES:
        # Rows nearer to the margin than the violation cannot be told from those on it.
        nearest = max(one.kkt_violation, ROUNDING)
        inside = np.count_nonzero((slack > nearest) & (slack <= 1.0))
        outside = np.count_nonzero(slack > 1.0)
    return {
        "weights": None if weights is None else np.asarray(weights),
        "by_class": by_class,
        "one": one,
        "inside": inside,
        "outside": outside,
    }


def parameters_section(evidence: Evidence) -> dict[str, Any]:
    """Return every parameter of the machine and of what is around it."""
    subject = evidence.subject
    held = vars(subject.machine)
    found = {"kernel_": subject.kernel, "solver_": held.get("solver_")}
    found["n_iter_"] = f"{np.sum(held['n_iter_']):,}" if "n_iter_" in held else None
    own = [(k, rounded(_text(v)), "found by the fit") for k, v in found.items() if v is not None]
    steps, searched = dict(subject.preparation), _searched(subject.search)
    of_machine = {name for step, name in searched if step not in steps}
    tables = {f"Parameters of {subject.name}": _settings(subject.machine, of_machine) + own}
    if subject.calibrated is not None:
        tables["Parameters of CalibratedSVC"] = _settings(subject.calibrated)
    for key, step in steps.items():
        mine = {name for owner, name in searched if owner == key}
        tables[f"Parameters of the step {key!r}"] = _settings(step, mine)
    return {"tables": tables}


def _searched(search: Any) -> set[tuple[str, str]]:
    """Return the parameters that varied in a search, each with the name of its step."""
    if search is None:
        return set()
    seen: dict[str, set[str]] = {}
    for point in search.cv_results_["params"]:
        for name, value in point.items():
            seen.setdefault(name, set()).add(repr(value))
    # A parameter that only some candidates have varied, too.
    n_points = len(search.cv_results_["params"])
    found = Counter(name for point in search.cv_results_["params"] for name in point)
    varied = [name for name, values in seen.items() if len(values) > 1 or found[name] < n_points]
    chosen = [name.split("__") for name in varied if name in search.best_params_]
    return {("".join(parts[-2:-1]), parts[-1]) for parts in chosen}


def _settings(estimator: Any, searched: Collection[str] = ()) -> list[tuple[str, str, str]]:
    """Return parameters with their values, and who chose them."""
    given, params = changed(estimator), estimator.get_params(deep=False)
    return [
        (k, _text(v), "chosen by the search" if k in searched else "given" if k in given else "")
        for k, v in params.items()
    ]


def _text(value: Any) -> str:
    text = number_text(value) if isinstance(value, float) else " ".join(str(value).split())
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}..."


def again_section(evidence: Evidence) -> dict[str, Any]:
    """Return Python lines that make the report again, and the versions behind it."""
    subject = evidence.subject
    machine, solution = subject.machine, subject.solution
    is_training = evidence.origin.rows == "training row"
    X, y = ("X", "y") if is_training else ("X_train", "y_train")
    source = Source()
    source.use("maxmargin.pages", "report")
    if solution is None:
        lines = [f"model = {source.expression(subject.model)}", f"model.fit({X}, {y})"]
        if subject.search_is_given:
            chosen_by = f"search = {source.expression(subject.search)}"
            lines = [chosen_by, f"search.fit({X}, {y})", *lines]
    else:
        source.use("maxmargin", "solve")
        solver = f", solver={solution.solver!r}" if solution.solver in SOLVERS else ""
        lines = [f"problem = {source.problem(machine, X, y)}", f"model = solve(problem{solver})"]
    rows = [] if solution is not None and evidence.origin.are_all else ["X", "y"]
    options = [f"{name}={source.expression(value)}" for name, value in evidence.arguments.items()]
    options += ["search=search"] if subject.search_is_given else []
    lines.append(f'report({", ".join(["model", *rows, *options])}).save("report.html")')
    return {
        "lines": "\n".join([*source.imports(), "", *lines]),
        "is_training": is_training,
        "has_omissions": source.has_omissions,
        "is_random": isinstance(machine, OnlineMachine) and machine.random_state is None,
        "versions": {
            "maxmargin": maxmargin.__version__,
            "scikit-learn": sklearn.__version__,
            "SciPy": scipy.__version__,
            "NumPy": np.__version__,
            "Python": platform.python_version(),
            "system": f"{platform.system()} {platform.machine()}",
            "made on": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        },
    }
