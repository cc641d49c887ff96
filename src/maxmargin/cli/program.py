"""The program as it is typed: commands, arguments, options, help; errors and exit codes.

What a command does is in the module of its name in `commands`. It is imported when the command
runs, so that help and completion do not wait for scikit-learn.
"""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable
from typing import Any
from zipfile import BadZipFile

import click
import numpy as np
from click.shell_completion import get_completion_class

from maxmargin import __version__
from maxmargin.cli import options as shared
from maxmargin.cli.commands import run_command
from maxmargin.cli.output import INTERRUPTED, Session
from maxmargin.cli.values import Grid, Number
from maxmargin.errors import MaxMarginError

__all__ = ["main"]

_EXPECTED = (MaxMarginError, ValueError, TypeError, OSError, BadZipFile)


class Program(click.Group):
    """A group of commands whose errors are sentences."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Remember the words, which a report shows."""
        ctx.ensure_object(Session).arguments = list(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command, and turn what it raises into a sentence and an exit code."""
        session = ctx.ensure_object(Session)
        with warnings.catch_warnings():
            session.watch_warnings()
            try:
                super().invoke(ctx)
            except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
                raise
            except (Exception, KeyboardInterrupt) as error:
                if session.debug:
                    click.echo(traceback.format_exc(), err=True)
                is_interrupt = isinstance(error, KeyboardInterrupt)
                kind = _Interrupted if is_interrupt else click.ClickException
                raise kind(_sentence(error)) from None
        ctx.exit(session.exit_code)


class _Interrupted(click.ClickException):
    exit_code = INTERRUPTED


def _sentence(error: BaseException) -> str:
    """Return what is wrong in one line."""
    text = str(error).strip()
    if isinstance(error, KeyboardInterrupt):
        return "Interrupted."
    if isinstance(error, MemoryError):
        return f"There is not enough memory. {text}".strip()
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else error.strerror
    if "Traceback" in text:
        # scikit-learn's searches quote the errors of their fits.
        text = text.splitlines()[-1].partition(": ")[2] or text.splitlines()[-1]
    text = " ".join(text.split())
    if isinstance(error, _EXPECTED) and text:
        return text
    return f"{type(error).__name__}: {text} (this should not happen: --debug shows where)"


def _print_completion(ctx: click.Context, _: click.Parameter, shell: str | None) -> None:
    found = None if shell is None else get_completion_class(shell)
    if found is not None and not ctx.resilient_parsing:
        click.echo(found(ctx.command, {}, "maxmargin", "_MAXMARGIN_COMPLETE").source())
        ctx.exit()


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="maxmargin")
@click.option(
    "--completion",
    type=click.Choice(["bash", "zsh", "fish"]),
    is_eager=True,
    expose_value=False,
    callback=_print_completion,
    help="Print the script that completes commands and options in a shell.",
)
def main() -> None:
    """Support vector machines that prove how good each solution is.

    DATA is a CSV, Parquet, .npz or LIBSVM file, or - for standard input. MODEL is a file written
    by train, tune or convert, or by LIBSVM or LIBLINEAR.

    Exit codes: 0 all is well; 1 something is wrong with the data or the model; 2 with the command
    line; 3 a model was saved, but it did not reach its tolerance or the optimum, and a warning says
    by how much; 130 interrupted, with the best model so far saved if a line says so.
    """


def _command(*options: Callable[[Any], Any]) -> Callable[[Callable[[], None]], None]:
    """Return a decorator that makes a command with these options.

    The decorated function has the command's name and help.
    """

    def decorate(described: Callable[[], None]) -> None:
        name = described.__name__

        @click.option("--json", is_flag=True, help="Print one JSON object.")
        @click.option("--quiet", is_flag=True, help="Print results only.")
        @click.option("--debug", is_flag=True, help="Show where an error comes from.")
        @click.pass_obj
        def run(session: Session, /, json: bool, quiet: bool, debug: bool, **given: Any) -> None:
            session.json, session.quiet, session.debug = json, quiet, debug
            session.command = name
            run_command(name, session, **given)

        decorated: Any = run
        for option in reversed(options):
            decorated = option(decorated)
        main.command(name, help=described.__doc__)(decorated)

    return decorate


_C = Number(0, min_open=True)
_FILE = click.Path(dir_okay=False)
_FILE_OR_DASH = click.Path(dir_okay=False, allow_dash=True)

_model = click.argument("model", type=click.Path(exists=True, dir_okay=False))
_data = (
    click.argument("data", type=click.Path(exists=True, dir_okay=False, allow_dash=True)),
    shared.takes(shared.DataOptions, "source"),
)
_machine = shared.takes(shared.MachineOptions, "wanted")
_grids = shared.takes(shared.MachineOptions, "wanted", shared.SEARCHED)
_costs = shared.takes(shared.Costs, "costs")
_save = click.option(
    "-o", "--output", type=_FILE, required=True, help="Where to save the (best) model."
)
_no_proof = click.option(
    "--no-proof", is_flag=True, help="Do not certify: it can take as long as the fit."
)


def _output(text: str, default: str | None = None) -> Callable[[Any], Any]:
    return click.option("-o", "--output", type=_FILE_OR_DASH, default=default, help=text)


@_command(*_data, _save, _machine, _no_proof)
def train() -> None:
    """Fit a machine to DATA, prove how good it is, and save it.

    The machine is a classifier, or a regression if the target holds numbers that are not whole or
    that hardly repeat. Ctrl-C and --time-limit save the best model so far.
    """


@_command(
    *_data,
    _save,
    _grids,
    click.option("--folds", type=click.IntRange(2), default=5, show_default=True),
    click.option("--seed", type=int, default=0, show_default=True, help="Shuffles the folds."),
    click.option(
        "--scoring",
        metavar="NAME",
        help="accuracy, balanced_accuracy, f1, roc_auc, min_dcf, act_dcf, eer, r2, rmse or another "
        "scorer of scikit-learn; accuracy or r2 by default.",
    ),
    _costs,
    click.option("--report", type=_FILE, help="Write an HTML report there (extra cli)."),
    click.option("--results", type=_FILE, help="Write every candidate there, CSV or JSON."),
    _no_proof,
)
def tune() -> None:
    """Search a grid by cross-validation, refit the best machine to all of DATA, and save it.

    A GRID is a list such as 1,10,100, or FROM:TO:COUNT such as 0.1:1000:9 or 2^-5:2^15:11. What is
    not given has a sensible default. Ctrl-C and --time-limit keep the best candidate so far.
    """


@_command(
    _model,
    *_data,
    _output("A file instead of standard output; .json for JSON.", default=shared.STDIO),
    click.option("--scores", is_flag=True, help="Add the decision values."),
    click.option("--proba", is_flag=True, help="Add the probabilities of the classes."),
)
def predict() -> None:
    """Print what MODEL predicts for each row of DATA.

    One prediction per line; with --scores or --proba, or in a .csv file, columns under a header.
    Columns of DATA are found by the names that the model was trained with.
    """


@_command(_model, *_data, _costs)
def evaluate() -> None:
    """Compare what MODEL predicts for DATA with its target.

    Classes: accuracy, balanced accuracy, F1, AUC, the confusion matrix, and for two classes the
    costs of decisions. Numbers: errors and R2. Outliers: their number, and accuracy if the target
    is known.
    """


@_command(_model)
def inspect() -> None:
    """Print MODEL's kernel, parameters, support vectors and certificate."""


@_command(
    *_data,
    click.argument("output", type=_FILE_OR_DASH),
    click.option(
        "--to",
        type=click.Choice([*shared.MODEL_FORMATS, *shared.DATA_FORMATS]),
        help="Format of OUTPUT, if not by its name.",
    ),
)
def convert() -> None:
    """Write DATA, which may also be a model, to OUTPUT in another format.

    Models: .safetensors (this library), .onnx (write only), .model (LIBSVM, or LIBLINEAR for linear
    machines). Data: .csv, .tsv, .parquet, .npz, and LIBSVM by any other name.
    """


@_command(
    *_data,
    _output("The whole table, CSV or JSON; - for CSV on standard output."),
    _machine,
    click.option("--at", type=Grid(_C, np.geomspace), help="Values of C, each with a certificate."),
    click.option("--events", is_flag=True, help="Which point changes its set, and where."),
    click.option("--C-min", "c_min", type=Number(0), default=0.0, help="Where the path begins."),
    click.option("--C-max", "c_max", type=_C, help="Where the path ends; 100 by default."),
)
def path() -> None:
    """Follow the exact solutions of a two-class kernel machine as C grows.

    The table has a row for each breakpoint, where a point reaches or leaves its margin; between
    them the machine changes linearly. With --at the rows are at those C and carry a certificate;
    with --events they are the points that change. --machine linear-svc fits linear machines at
    each C of --at, for any number of classes.
    """


@_command(
    _model,
    *_data,
    _output("The page; MODEL's name with .html by default."),
    click.option("--title", help="Title of the page."),
    _costs,
)
def report() -> None:
    """Write one self-contained HTML page about MODEL and its predictions for DATA.

    Data and machine, curves, confusion matrix, costs and calibration, support vectors, certificate,
    and how to make it again. Pictures need matplotlib (extra cli).
    """


@_command(click.argument("folder", type=click.Path(file_okay=False), default="maxmargin-demo"))
def demo() -> None:
    """Solve, certify and draw small problems; pictures go to FOLDER (extra cli).

    Every solver separates two interleaved half circles, and certificates compare their solutions;
    one solver is stopped early, which its certificate shows.
    """
