"""``maxmargin train``: fit a machine to data and save it."""

from __future__ import annotations

from typing import Any

import click

from maxmargin.cli.fitting import data_line, fit, fit_lines, save_with_proof
from maxmargin.cli.machines import calibrated, estimator_of, guessed_machine
from maxmargin.cli.options import MachineOptions, data_options, machine_options, output_option
from maxmargin.cli.session import Session, with_session
from maxmargin.cli.source import Source

__all__ = ["train"]


@click.command()
@data_options
@output_option("Where to save the model.", required=True)
@machine_options
@click.option("--no-proof", is_flag=True, help="Do not certify: it can take as long as the fit.")
@with_session
def train(
    session: Session, source: Source, output: str, wanted: MachineOptions, no_proof: bool
) -> None:
    """Fit a machine to DATA, prove how good it is, and save it.

    The machine is a classifier unless the target holds numbers that are not whole, or that hardly
    repeat. Ctrl-C and --time-limit save the best model so far.
    """
    data = source.read(text=wanted.compares_text)
    machine = guessed_machine(wanted, data.y)
    if machine != "one-class":
        data.required_y()
    estimator = estimator_of(wanted, machine, data, verbose=session.is_watched)
    if wanted.probability is not None:
        estimator = calibrated(estimator, wanted)
    session.note(data_line(data, source.data, machine))
    targets: tuple[Any, ...] = () if machine == "one-class" else (data.y,)
    model, seconds = fit(session, lambda: estimator.fit(data.X, *targets))
    save_with_proof(session, model, output, proof=not no_proof)
    proved = not (no_proof or session.interrupted)
    lines, facts = fit_lines(model, seconds, proof=proved)
    for line in lines:
        session.say(line)
    session.say(f"Saved {output}")
    session.answer(
        {
            "command": "train",
            "rows": data.n_rows,
            "features": data.n_features,
            "feature_names": data.names,
            "target": data.target or None,
            "machine": machine,
            "converged": session.converged,
            **facts,
            "model": output,
        }
    )
