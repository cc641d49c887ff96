"""``maxmargin tune``: search a grid, save the best machine, report on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import click
import numpy as np
from scipy import sparse
from sklearn import metrics
from sklearn.base import clone
from sklearn.model_selection import KFold, ParameterGrid, StratifiedKFold

from maxmargin import SVMSearchCV
from maxmargin.cli.commands.report import write_report
from maxmargin.cli.commands.train import data_line, finish, fit
from maxmargin.cli.data import Data, read_training
from maxmargin.cli.machines import (
    calibrated,
    estimator_of,
    is_classifier_name,
    machine_name,
    split,
)
from maxmargin.cli.models import require_place
from maxmargin.cli.options import FLAGS, SEARCHED, Costs, DataOptions, MachineOptions
from maxmargin.cli.output import Session, as_lines, write_rows
from maxmargin.cli.values import KernelName
from maxmargin.errors import InvalidInputError
from maxmargin.files import require_folder
from maxmargin.kernels import RBF
from maxmargin.metrics import get_scorer, get_scorer_names, make_dcf_scorer
from maxmargin.pages.page import require_extra

__all__ = ["run"]

_N_SHOWN = 10

# The values of parameters that are not given.
_C = (0.1, 1.0, 10.0, 100.0, 1000.0)
_LINEAR_C = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)
_NU = (0.1, 0.2, 0.3, 0.4, 0.5)
_DEGREE = (2, 3)
#: Multiples of the gamma that "scale" chooses.
_GAMMA = (1 / 16, 1 / 4, 1.0, 4.0, 16.0)
#: Multiples of the target's standard deviation.
_EPSILON = (0.01, 0.1)

_OF_KERNELS = ("gamma", "degree", "coef0")

_SHORT_NAMES = {
    "mae": "mean_absolute_error",
    "mse": "mean_squared_error",
    "rmse": "root_mean_squared_error",
}


def run(
    session: Session,
    source: DataOptions,
    output: str,
    wanted: MachineOptions,
    folds: int,
    seed: int,
    scoring: str | None,
    costs: Costs,
    report: str | None,
    results: str | None,
    no_proof: bool,
) -> None:
    """Tune a machine."""
    require_place(output)
    for path in (report, results):
        require_folder(path or output)
    if report is not None:
        require_extra()
    data = read_training(source, text=wanted.compares_text)
    y = data.required_y()
    machine = machine_name(wanted, y)
    if machine == "one-class":
        raise click.UsageError("one-class has no score to be tuned by: choose nu yourself.")
    score = _score_named(scoring, costs, y, is_classifier=is_classifier_name(machine))
    shared = replace(wanted, kernel=(), **dict.fromkeys(SEARCHED))
    estimator = estimator_of(shared, machine, data, verbose=False)
    splitter = StratifiedKFold if is_classifier_name(machine) else KFold
    search = SVMSearchCV(
        estimator,
        _parameter_grid(wanted, machine, estimator, data),
        scoring=score.scorer,
        cv=splitter(folds, shuffle=True, random_state=seed),
        n_jobs=wanted.n_jobs,
        time_limit=wanted.time_limit,
        cache_size=wanted.cache_size,
        verbose=int(session.shows_progress),
    )
    n_candidates = len(ParameterGrid(search.param_grid))
    candidates = f"{n_candidates} candidate{'s' if n_candidates > 1 else ''}"
    session.note(data_line(data, source.data, machine))
    session.note(f"Searching {candidates} on {folds} folds, scored by {score.name}")
    found, seconds = fit(session, lambda: search.fit(data.X, y))
    ranking = _ranking(found, score)
    best = found.best_estimator_
    if wanted.probability is not None:
        best, _ = fit(session, lambda: calibrated(found.best_estimator_, wanted).fit(data.X, y))
    session.say(f"{candidates} in {seconds:.1f} s:", *as_lines(ranking[:_N_SHOWN]))
    facts = finish(session, best, data, output, found.refit_time_, certify=not no_proof)
    if results is not None:
        write_rows(ranking, results)
    if report is not None:
        # The page is about the model that was saved.
        beside = {} if wanted.probability is None else {"search": found}
        write_report(
            session,
            best if beside else found,
            data,
            report,
            costs,
            evaluation="out-of-fold",
            **beside,
        )
    session.answer(
        machine=machine,
        scoring=score.name,
        folds=folds,
        best_score=score.sign * float(found.best_score_),
        best_parameters=_named(found.best_params_),
        candidates=ranking,
        search_seconds=round(seconds, 3),
        report=report,
        **facts,
    )


def _parameter_grid(
    wanted: MachineOptions, name: str, estimator: Any, data: Data
) -> list[dict[str, list[Any]]]:
    """Return one grid per kernel for a machine of this name, as scikit-learn takes them."""
    steps, machine = split(estimator)
    known = machine.get_params(deep=False)
    if wanted.kernel and "kernel" not in known:
        raise click.UsageError(f"--kernel has no meaning for --machine {name}.")
    default = (KernelName("rbf"),) if "kernel" in known else (None,)
    grids = []
    for kernel in wanted.kernel or default:
        of_kernel = kernel.options if kernel else ()
        varied = [p for p in SEARCHED if p in known and (p in of_kernel or p not in _OF_KERNELS)]
        for given in sorted(wanted.parameters.keys() & SEARCHED.keys() - set(varied)):
            whose = f"the kernel {kernel}" if given in known else f"--machine {name}"
            raise click.UsageError(f"{FLAGS[given]} has no meaning for {whose}.")
        grid = {p: _values(p, wanted, kernel, steps, data) for p in varied}
        if kernel is not None:
            grid["kernel"] = (kernel.value,)
        prefix = "" if steps is None else "machine__"
        grids.append({prefix + p: list(values) for p, values in grid.items() if values})
    return grids


def _values(
    parameter: str, wanted: MachineOptions, kernel: KernelName | None, steps: Any, data: Data
) -> tuple[Any, ...]:
    """Return the values of a parameter, none if the machine's default is kept."""
    if kernel is not None and parameter in kernel.parameters:
        return (kernel.parameters[parameter],)
    if parameter in wanted.parameters:
        return tuple(wanted.parameters[parameter])
    if parameter == "C":
        return _LINEAR_C if kernel is None else _C
    if parameter == "epsilon":
        return _multiples(_EPSILON, float(np.std(data.required_y())) or 1.0)
    if parameter == "gamma" and kernel is not None and kernel.name != "poly":
        X = data.X if steps is None else clone(steps).fit_transform(data.X)
        X = X if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
        return _multiples(_GAMMA, RBF("scale").resolve(X).gamma)
    return {"nu": _NU, "degree": _DEGREE}.get(parameter, ())


def _multiples(factors: tuple[float, ...], unit: Any) -> tuple[float, ...]:
    return tuple(float(f"{factor * unit:.3g}") for factor in factors)


@dataclass(frozen=True)
class _Score:
    """A scorer, its name, and its sign: -1 for a cost, which is shown without its minus."""

    name: str
    scorer: Any
    sign: int = 1


def _score_named(name: str | None, costs: Costs, y: Any, *, is_classifier: bool) -> _Score:
    """Return the scorer of this name for the target y, by default accuracy or r2.

    Scorers whose names begin with neg_ are known without it, too.
    """
    name = (name or ("accuracy" if is_classifier else "r2")).replace("-", "_").lower()
    classes = np.unique(y)
    positive = costs.positive_class(classes) if is_classifier else None
    if name == "f1":
        of_two = {"pos_label": positive} if len(classes) == 2 else {"average": "macro"}
        return _Score(name, metrics.make_scorer(metrics.f1_score, **of_two))
    if name in ("min_dcf", "act_dcf", "dcf"):
        if len(classes) != 2:
            raise InvalidInputError(
                f"--scoring {name} is about two classes, but the target has {len(classes)}."
            )
        scorer = make_dcf_scorer(name, **costs.numbers, pos_label=positive)  # type: ignore[arg-type]
        return _Score(name, scorer, -1)
    negated = f"neg_{_SHORT_NAMES.get(name, name)}"
    if negated in (*get_scorer_names(), *metrics.get_scorer_names()):
        return _Score(name, get_scorer(negated), -1)
    return _Score(name, get_scorer(name))


def _ranking(search: Any, score: _Score) -> list[dict[str, Any]]:
    """Return one row per candidate, the best first."""
    table = search.cv_results_
    means, spreads = table["mean_test_score"], table["std_test_score"]
    candidates = [_named(parameters) for parameters in table["params"]]
    names = sorted({name for parameters in candidates for name in parameters})
    shown = [name for name in names if name != "kernel" or len(search.param_grid) > 1]
    order = np.argsort(-np.nan_to_num(means, nan=-np.inf), kind="stable")
    return [
        {
            "rank": rank,
            score.name: score.sign * float(means[k]),
            "std": float(spreads[k]),
            **{name: candidates[k].get(name) for name in shown},
        }
        for rank, k in enumerate(order, 1)
    ]


def _named(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name.removeprefix("machine__"): value for name, value in parameters.items()}
