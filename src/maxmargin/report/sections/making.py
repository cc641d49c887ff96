"""How the model came to be, and how to make it and its report again."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from typing import Any

import numpy as np
import scipy
import sklearn

import maxmargin
from maxmargin.estimators.online_base import OnlineMachine
from maxmargin.report.judged import Judged
from maxmargin.report.markup import Cell, code, paragraph, table
from maxmargin.report.origin import Origin
from maxmargin.report.source import Source, changed
from maxmargin.report.subject import Subject
from maxmargin.report.words import counted, number, rounded, seconds

__all__ = ["parameters", "reproduction"]

_LONGEST = 100
_DEFAULTS = {"prior": 0.5, "cost_fn": 1.0, "cost_fp": 1.0}


def parameters(subject: Subject, judged: Judged) -> list[str]:
    """Return every parameter of the machine and of what is around it."""
    machine = subject.machine
    parts = [_settings(f"Parameters of {subject.name}", machine, _found(machine))]
    if subject.calibrated is not None:
        parts.append(_settings("Parameters of CalibratedSVC", subject.calibrated, {}))
    for name, step in subject.preparation:
        parts.append(_settings(f"Parameters of the step {name!r}", step, {}))
    rows = [
        [Cell(name, "text", names_row=True), Cell(value)]
        for name, value in _times(subject, judged).items()
    ]
    return [*parts, table("Times", [Cell("what", "text"), Cell("time")], rows)]


def reproduction(
    subject: Subject, origin: Origin, arguments: dict[str, Any], command: str | None
) -> list[str]:
    """Return a command or Python lines that make the report again, and the versions behind it."""
    parts = []
    if command is not None:
        parts += [paragraph("This report was made by"), code(command, "The command")]
    source = Source()
    source.use("maxmargin.report", "model_report")
    model = source.expression(subject.model)
    options = "".join(
        f", {name}={source.expression(value)}"
        for name, value in arguments.items()
        if value != _DEFAULTS.get(name)
    )
    trained = "X, y" if origin.is_training else "X_train, y_train"
    lines = [
        *source.imports(),
        "",
        f"model = {model}",
        f"model.fit({trained})",
        f'model_report(model, X, y{options}).save("report.html")',
    ]
    words = (
        "In Python it is made by the lines below, where X and y are the rows of this report"
        + ("" if origin.is_training else ", and X_train and y_train those that were trained on")
        + ". Weights of rows, if there were any, are to be given to fit too."
    )
    if source.has_omissions:
        words += " Three dots stand for what does not fit in a line: an object of your own, a list."
    parts += [paragraph(words), code("\n".join(lines), "Python lines")]
    if isinstance(subject.machine, OnlineMachine) and subject.machine.random_state is None:
        parts.append(
            paragraph("random_state is None: another fit learns the rows in another order.")
        )
    rows = [
        [Cell(name, "text", names_row=True), Cell(version, "text")]
        for name, version in _versions().items()
    ]
    return [*parts, table("Versions", [Cell("what", "text"), Cell("version", "text")], rows)]


def _settings(caption: str, estimator: Any, found: dict[str, str]) -> str:
    chosen = changed(estimator)
    rows = [
        [
            Cell(name, "text", names_row=True),
            Cell(_text(value), "words", note="chosen" if name in chosen else ""),
        ]
        for name, value in estimator.get_params(deep=False).items()
    ]
    rows += [
        [Cell(name, "text", names_row=True), Cell(value, "words", note="found by the fit")]
        for name, value in found.items()
    ]
    return table(caption, [Cell("parameter", "text"), Cell("value", "words")], rows)


def _found(machine: Any) -> dict[str, str]:
    """Return what the fit made of parameters that are words."""
    held = vars(machine)
    found = {}
    if "kernel_" in held:
        found["kernel_"] = rounded(_text(machine.kernel_))
    if "solver_" in held:
        found["solver_"] = _text(machine.solver_)
    if "n_iter_" in held:
        iterations = np.asarray(machine.n_iter_)
        found["n_iter_"] = f"{int(iterations.sum()):,}"
    return found


def _times(subject: Subject, judged: Judged) -> dict[str, str]:
    times = {}
    if subject.search is not None:
        results, n_folds = subject.search.cv_results_, int(subject.search.n_splits_)
        fits = n_folds * float(np.nansum(results["mean_fit_time"]))
        scoring = n_folds * float(np.nansum(results["mean_score_time"]))
        times["fits of the search"] = seconds(fits)
        times["scoring in the search"] = seconds(scoring)
        times["refit of the best"] = seconds(float(subject.search.refit_time_))
    # Machines from files of other programs do not know theirs.
    took = float(vars(subject.machine).get("fit_time_", 0.0))
    if took > 0:
        times["fit of the machine"] = seconds(took)
    rows = counted(judged.n_rows, "row")
    times[f"prediction of {rows} for this report"] = seconds(judged.seconds)
    return times


def _versions() -> dict[str, str]:
    return {
        "maxmargin": maxmargin.__version__,
        "scikit-learn": sklearn.__version__,
        "SciPy": scipy.__version__,
        "NumPy": np.__version__,
        "Python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "made on": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def _text(value: Any) -> str:
    text = number(value) if isinstance(value, float) else " ".join(str(value).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
