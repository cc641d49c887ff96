"""``maxmargin tune``: search a grid, save the best machine, report on it."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from maxmargin.cli.commands.report import require_report, write_report
from maxmargin.cli.fitting import data_line, fit, fit_lines, save_with_proof
from maxmargin.cli.grids import parameter_grid, without_grids
from maxmargin.cli.machines import (
    MACHINE_STEP,
    calibrated,
    estimator_of,
    guessed_machine,
    is_classifier_name,
)
from maxmargin.cli.options import (
    Costs,
    MachineOptions,
    cost_options,
    data_options,
    grid_options,
    output_option,
)
from maxmargin.cli.rows import as_lines, write_rows
from maxmargin.cli.scoring import Score, score_named
from maxmargin.cli.session import Session, with_session
from maxmargin.cli.source import Data, Source

__all__ = ["tune"]

_SHOWN = 10


@click.command()
@data_options
@output_option("Where to save the best model.", required=True)
@grid_options
@click.option("--folds", type=click.IntRange(2), default=5, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the folds.")
@click.option(
    "--scoring",
    metavar="NAME",
    help="accuracy, balanced_accuracy, f1, roc_auc, min_dcf, act_dcf, eer, r2, rmse or another "
    "scorer of scikit-learn; accuracy or r2 by default.",
)
@cost_options
@click.option(
    "--report",
    type=click.Path(dir_okay=False),
    help="Write an HTML report there (extra cli).",
)
@click.option(
    "--results", type=click.Path(dir_okay=False), help="Write every candidate there, CSV or JSON."
)
@click.option("--no-proof", is_flag=True, help="Do not certify: it can take as long as the fit.")
@with_session
def tune(
    session: Session,
    source: Source,
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
    """Search a grid by cross-validation, refit the best machine to all of DATA, and save it.

    A GRID is a list such as 1,10,100, or FROM:TO:COUNT such as 0.1:1000:9 or 2^-5:2^15:11. What is
    not given has a sensible default. Ctrl-C and --time-limit keep the best of what was reached.
    """
    if report is not None:
        require_report()
    data = source.read(text=wanted.compares_text)
    y = data.required_y()
    machine = guessed_machine(wanted, y)
    if machine == "one-class":
        raise click.UsageError("one-class has no score to be tuned by: choose nu yourself.")
    score = score_named(scoring, costs, y, is_classifier=is_classifier_name(machine))
    search = _search(session, wanted, machine, data, score, folds, seed)
    session.note(data_line(data, source.data, machine))
    n_candidates = _count(search.param_grid)
    session.note(
        f"Searching {n_candidates} candidate{'s' if n_candidates > 1 else ''} on {folds} folds, "
        f"scored by {score.name}"
    )
    found, seconds = fit(session, lambda: search.fit(data.X, y))
    ranking = _ranking(found, score)
    best = found.best_estimator_
    if wanted.probability is not None:
        best, _ = fit(session, lambda: calibrated(found.best_estimator_, wanted).fit(data.X, y))
    save_with_proof(session, best, output, proof=not no_proof)
    if results is not None:
        write_rows(ranking, results)
    proved = not (no_proof or session.interrupted)
    lines, facts = fit_lines(best, found.refit_time_, proof=proved)
    session.say(f"{n_candidates} candidates in {seconds:.1f} s:")
    for line in [*as_lines(ranking[:_SHOWN]), *lines]:
        session.say(line)
    session.say(f"Saved {output}")
    if report is not None:
        write_report(session, found, data, report, costs, title=None)
    session.answer(
        {
            "command": "tune",
            "rows": data.n_rows,
            "features": data.n_features,
            "target": data.target or None,
            "machine": machine,
            "scoring": score.name,
            "folds": folds,
            "best_score": score.sign * float(found.best_score_),
            "best_parameters": _named(found.best_params_),
            "candidates": ranking,
            "search_seconds": round(seconds, 3),
            "converged": session.converged,
            **facts,
            "model": output,
            "report": report,
        }
    )


def _search(
    session: Session,
    wanted: MachineOptions,
    machine: str,
    data: Data,
    score: Score,
    folds: int,
    seed: int,
) -> Any:
    """Return the search, not fitted."""
    from sklearn.model_selection import KFold, StratifiedKFold

    from maxmargin import SVMSearchCV

    # The limit is that of the search; a bar is shown over its cells, not over each.
    fixed = without_grids(wanted)
    estimator = estimator_of(fixed, machine, data, verbose=False)
    splitter = StratifiedKFold if is_classifier_name(machine) else KFold
    return SVMSearchCV(
        estimator,
        parameter_grid(wanted, machine, estimator, data),
        scoring=score.scorer,
        cv=splitter(folds, shuffle=True, random_state=seed),
        n_jobs=wanted.jobs,
        time_limit=wanted.time_limit,
        cache_size=wanted.cache_size,
        verbose=int(session.is_watched),
    )


def _count(grids: Any) -> int:
    return sum(int(np.prod([len(values) for values in grid.values()])) for grid in grids)


def _named(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name.removeprefix(f"{MACHINE_STEP}__"): value for name, value in parameters.items()}


def _ranking(search: Any, score: Score) -> list[dict[str, Any]]:
    """Return one row a candidate, the best first."""
    table = search.cv_results_
    means, spreads = table["mean_test_score"], table["std_test_score"]
    names = sorted({name for parameters in table["params"] for name in _named(parameters)})
    shown = [name for name in names if name != "kernel" or len(search.param_grid) > 1]
    rows = []
    for rank, place in enumerate(np.argsort(-np.nan_to_num(means, nan=-np.inf), kind="stable"), 1):
        parameters = _named(table["params"][place])
        row: dict[str, Any] = {
            "rank": rank,
            score.name: score.sign * float(means[place]),
            "std": float(spreads[place]),
        }
        row.update({name: _plain(parameters.get(name)) for name in shown})
        rows.append(row)
    return rows


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, int | float | str) else repr(value)
