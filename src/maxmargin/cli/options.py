"""Options that commands share, packed into one argument each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from typing import Any, TypeVar

import click

from maxmargin.cli.formats import DATA_FORMATS
from maxmargin.cli.kernel_names import KernelName, complete_kernel, kernel_name
from maxmargin.cli.numbers import grid, number, number_or_word, seconds
from maxmargin.cli.source import Source

__all__ = [
    "MACHINES",
    "Costs",
    "MachineOptions",
    "cost_options",
    "data_options",
    "grid_options",
    "machine_options",
    "output_option",
]

MACHINES = ("svc", "nu-svc", "svr", "nu-svr", "one-class", "linear-svc", "linear-svr")
_SCALERS = ("standard", "minmax", "maxabs", "robust")
_LOSSES = ("hinge", "squared-hinge", "epsilon-insensitive", "squared-epsilon-insensitive")

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Command], Command]


@dataclass(frozen=True)
class MachineOptions:
    """What was said about the machine; None where nothing was. In a search, numbers are tuples."""

    machine: str | None = None
    kernel: Any = None
    C: Any = None
    gamma: Any = None
    degree: Any = None
    coef0: Any = None
    nu: Any = None
    epsilon: Any = None
    loss: str | None = None
    penalty: str | None = None
    multi_class: str | None = None
    bias: str | None = None
    no_intercept: bool = False
    intercept_scaling: float | None = None
    scale: str | None = None
    pca: int | None = None
    class_weight: str | None = None
    probability: str | None = None
    tol: float | None = None
    max_iter: int | None = None
    time_limit: float | None = None
    cache_size: float | None = None
    jobs: int | None = None

    @property
    def kernels(self) -> tuple[KernelName, ...]:
        """The kernels that were named."""
        if self.kernel is None:
            return ()
        return self.kernel if isinstance(self.kernel, tuple) else (self.kernel,)

    @property
    def compares_text(self) -> bool:
        """Whether they compare strings, or say that some do and others do not."""
        on_text = {kernel.compares_text for kernel in self.kernels}
        if len(on_text) > 1:
            raise click.UsageError("Kernels on text and on numbers cannot be compared in one run.")
        return True in on_text


@dataclass(frozen=True)
class Costs:
    """What decisions cost."""

    prior: float = 0.5
    cost_fn: float = 1.0
    cost_fp: float = 1.0
    positive: str | None = None


def _packed(kind: type[Any], name: str, options: list[Decorator[Any]]) -> Decorator[Any]:
    """Return a decorator that adds options and hands them over as one object."""
    names = [field.name for field in fields(kind) if not field.name.startswith("_")]

    def decorate(command: Any) -> Any:
        @wraps(command)
        def run(*args: Any, **given: Any) -> Any:
            packed = kind(**{key: given.pop(key) for key in names if key in given})
            return command(*args, **{name: packed}, **given)

        decorated: Any = run
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


def _columns(text: Any) -> Any:
    if isinstance(text, tuple):
        return text
    return tuple(part.strip() for part in str(text).split(",") if part.strip())


_DATA = click.Path(exists=True, dir_okay=False, allow_dash=True)

data_options: Decorator[Any] = _packed(
    Source,
    "source",
    [
        click.argument("data", type=_DATA),
        click.option("--format", type=click.Choice(DATA_FORMATS), help="Of DATA, if not by name."),
        click.option(
            "--target", metavar="COLUMN", help="Name or number (from 0, or from the end: -1)."
        ),
        click.option("--no-target", is_flag=True, help="DATA has no target."),
        click.option(
            "--features", type=_columns, default=(), metavar="A,B,...", help="Columns to use."
        ),
        click.option(
            "--drop", type=_columns, default=(), metavar="A,B,...", help="Columns to leave out."
        ),
        click.option(
            "--header/--no-header", default=None, help="Whether a CSV file begins with names."
        ),
        click.option("--separator", metavar="CHARACTER", help="Between cells of a CSV file."),
        click.option("--zero-based", is_flag=True, help="Indices of a LIBSVM file begin at 0."),
        click.option(
            "--dense/--sparse", default=None, help="How to hold data; by their zeros if not given."
        ),
    ],
)

_positive = number(above=0.0)
_gamma = number_or_word(("scale", "auto"), number(least=0.0))


def _parameters(several: bool) -> list[Decorator[Any]]:
    """Return the options of a kernel machine, each a number, or several in a search."""

    def kind(one: Callable[[Any], Any], *, logarithmic: bool) -> Callable[[Any], Any]:
        return grid(one, logarithmic=logarithmic) if several else one

    metavar = "GRID" if several else "NUMBER"
    return [
        click.option(
            "--kernel",
            type=kernel_name,
            multiple=several,
            metavar="KERNEL",
            shell_complete=complete_kernel,
            help="rbf (default), linear, poly, sigmoid, laplacian, chi2, precomputed; on text "
            "spectrum, mismatch, substrings, weighted-degree, subsequence. Parameters as in "
            "poly:degree=2,coef0=1." + (" May be given several times." if several else ""),
        ),
        click.option(
            "--C", "C", type=kind(_positive, logarithmic=True), metavar=metavar,
            help="Price of slack.",
        ),
        click.option(
            "--gamma", type=kind(_gamma, logarithmic=True), metavar=metavar,
            help="Of the kernel; or scale, auto.",
        ),
        click.option(
            "--degree", type=kind(number(least=0, whole=True), logarithmic=False), metavar=metavar,
            help="Of the polynomial kernel.",
        ),
        click.option(
            "--coef0", type=kind(number(), logarithmic=False), metavar=metavar,
            help="Of the polynomial and the tanh kernel.",
        ),
        click.option(
            "--nu", type=kind(_positive, logarithmic=False), metavar=metavar,
            help="Of nu-svc, nu-svr and one-class, in (0, 1].",
        ),
        click.option(
            "--epsilon", type=kind(number(least=0.0), logarithmic=True), metavar=metavar,
            help="Half the tube's width, of svr and linear-svr.",
        ),
    ]  # fmt: skip


_MACHINE = [
    click.option(
        "--machine", type=click.Choice(MACHINES), help="By default svc or svr, by the target."
    ),
]
_REST = [
    click.option("--loss", type=click.Choice(_LOSSES), help="Of a linear machine."),
    click.option("--penalty", type=click.Choice(["l2", "l1"]), help="Of linear-svc."),
    click.option(
        "--multi-class",
        type=click.Choice(["ovo", "ovr", "crammer-singer"]),
        help="How many classes become machines.",
    ),
    click.option(
        "--bias",
        type=click.Choice(["free", "regularised"]),
        help="Whether the intercept is penalised like the weights.",
    ),
    click.option("--no-intercept", is_flag=True, help="A linear machine through the origin."),
    click.option(
        "--intercept-scaling",
        type=_positive,
        metavar="NUMBER",
        help="The constant feature behind a linear machine's regularised bias.",
    ),
    click.option(
        "--scale",
        type=click.Choice(_SCALERS),
        is_flag=False,
        flag_value="standard",
        help="Scale the features first: standard if only --scale is given.",
    ),
    click.option(
        "--pca", type=number(least=1, whole=True), metavar="K", help="Reduce to K components."
    ),
    click.option(
        "--class-weight",
        metavar="balanced|A=1,B=5",
        help="Multiplies C class by class.",
    ),
    click.option(
        "--probability",
        type=click.Choice(["platt", "isotonic", "logistic"]),
        is_flag=False,
        flag_value="platt",
        help="Calibrate probabilities: platt if only --probability is given.",
    ),
    click.option("--tol", type=_positive, metavar="NUMBER", help="Accuracy at which to stop."),
    click.option(
        "--max-iter", type=number(least=1, whole=True), metavar="N", help="Steps at most."
    ),
    click.option(
        "--time-limit", type=seconds, metavar="TIME", help="At most so long: 90, 15m, 2h."
    ),
    click.option("--cache-size", type=_positive, metavar="MB", help="Memory for the kernel."),
    click.option("--jobs", type=int, metavar="N", help="Threads; all CPUs by default."),
]

machine_options: Decorator[Any] = _packed(
    MachineOptions, "wanted", [*_MACHINE, *_parameters(several=False), *_REST]
)
grid_options: Decorator[Any] = _packed(
    MachineOptions, "wanted", [*_MACHINE, *_parameters(several=True), *_REST]
)

cost_options: Decorator[Any] = _packed(
    Costs,
    "costs",
    [
        click.option(
            "--prior",
            type=click.FloatRange(0, 1, min_open=True, max_open=True),
            default=0.5,
            show_default=True,
            help="How often the positive class will occur.",
        ),
        click.option(
            "--cost-fn", type=_positive, default="1", metavar="NUMBER", help="Of missing it."
        ),
        click.option(
            "--cost-fp", type=_positive, default="1", metavar="NUMBER", help="Of naming it falsely."
        ),
        click.option("--positive", metavar="LABEL", help="Which it is; the last by default."),
    ],
)


def output_option(text: str, *, required: bool = False) -> Decorator[Any]:
    """Return the option -o."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False, allow_dash=not required),
        required=required,
        help=text,
    )
