"""The options that commands share, declared as dataclasses that commands receive whole."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from functools import wraps
from io import BytesIO
from pathlib import Path
from typing import Any

import click
import numpy as np

from maxmargin.cli import values
from maxmargin.errors import InvalidInputError
from maxmargin.metrics import DEFAULT_PRIOR

__all__ = [
    "DATA_FORMATS",
    "FLAGS",
    "MODEL_FORMATS",
    "SEARCHED",
    "STDIO",
    "Costs",
    "DataOptions",
    "MachineOptions",
    "data_format",
    "takes",
]

DATA_FORMATS = ("csv", "tsv", "parquet", "npz", "libsvm")
MODEL_FORMATS = ("maxmargin", "libsvm-model", "liblinear-model", "onnx")

#: Stands for standard input or output.
STDIO = "-"

_BY_SUFFIX = {".csv": "csv", ".tsv": "tsv", ".parquet": "parquet", ".pq": "parquet", ".npz": "npz"}
_COMPRESSED = (".gz", ".bz2", ".xz")

_MACHINES = ["svc", "nu-svc", "svr", "nu-svr", "one-class", "linear-svc", "linear-svr"]
_LOSSES = ["hinge", "squared-hinge", "epsilon-insensitive", "squared-epsilon-insensitive"]
_POSITIVE = values.Number(0, min_open=True)


def _option(kind: Any, text: str, default: Any = None, *, flag: str = "", **more: Any) -> Any:
    """Declare a field that holds the value of an option.

    Its type is `kind`, or a choice from this list; it is typed as `flag` or as the field's name.
    """
    kind = click.Choice(kind) if isinstance(kind, list) else kind
    more.update(type=kind, help=text, default=default)
    return field(default=default, metadata={"flag": flag, "click": more})


def takes(
    table: type[Any], name: str, spacings: Mapping[str, Callable[..., Any]] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator: the command has the options of a dataclass and receives an instance.

    Fields that are not declared as options are arguments of the command. Those with a spacing take
    a `Grid` of values.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def run(*args: Any, **given: Any) -> Any:
            packed = table(**{entry.name: given.pop(entry.name) for entry in fields(table)})
            return command(*args, **{name: packed}, **given)

        for entry in reversed([entry for entry in fields(table) if entry.metadata]):
            settings = dict(entry.metadata["click"])
            if spacings and entry.name in spacings:
                settings["type"] = values.Grid(settings["type"], spacings[entry.name])
            run = click.option(_flag(entry), entry.name, **settings)(run)
        return run

    return decorate


def _flag(entry: Field[Any]) -> str:
    return entry.metadata["flag"] or "--" + entry.name.replace("_", "-")


def data_format(path: str, given: str | None = None) -> str:
    """Return the format of a data file: the given one, by its name, or else LIBSVM's."""
    if given is not None:
        return given
    if path == STDIO:
        raise InvalidInputError(
            f"The format of standard input is not known: give --format {', '.join(DATA_FORMATS)}."
        )
    name = Path(path.lower())
    name = name.with_suffix("") if name.suffix in _COMPRESSED else name
    return _BY_SUFFIX.get(name.suffix, "libsvm")


@dataclass(frozen=True)
class DataOptions:
    """Which file holds the data, and which of its columns are used."""

    data: str
    format: str | None = _option([*DATA_FORMATS], "Format of DATA, if not by its name.")
    target: str | None = _option(
        None, "Name or number of the target (from 0, or from the end: -1).", metavar="COLUMN"
    )
    no_target: bool = _option(bool, "DATA has no target.", False, is_flag=True)
    features: tuple[str, ...] = _option(values.names, "Columns to use.", (), metavar="A,B,...")
    drop: tuple[str, ...] = _option(values.names, "Columns to leave out.", (), metavar="A,B,...")
    header: bool | None = _option(
        bool, "Whether a CSV file begins with column names.", flag="--header/--no-header"
    )
    separator: str | None = _option(
        None, "What separates the cells of a CSV file.", metavar="CHARACTER"
    )
    zero_based: bool = _option(bool, "Indices of a LIBSVM file begin at 0.", False, is_flag=True)
    dense: bool | None = _option(
        bool, "How to store the data, if not by the number of zeros.", flag="--dense/--sparse"
    )

    @property
    def kind(self) -> str:
        """The format of the file."""
        return data_format(self.data, self.format)

    @property
    def name(self) -> str:
        """What messages call the file."""
        return "Standard input" if self.data == STDIO else self.data

    def content(self) -> str | BytesIO:
        """Return what readers take: the path, or all of standard input."""
        return BytesIO(sys.stdin.buffer.read()) if self.data == STDIO else self.data


@dataclass(frozen=True)
class MachineOptions:
    """The machine, its parameters (tuples in a search) and the steps around it."""

    machine: str | None = _option(_MACHINES, "By default svc or svr, depending on the target.")
    kernel: tuple[values.KernelName, ...] = _option(
        values.kernel,
        "rbf (default), linear, poly, sigmoid, laplacian, chi2, precomputed; on text spectrum, "
        "mismatch, substrings, weighted-degree, subsequence. Parameters as in "
        "poly:degree=2,coef0=1. A search compares several.",
        default=(),
        multiple=True,
        shell_complete=values.kernels_like,
    )
    C: float | tuple[float, ...] | None = _option(_POSITIVE, "Penalty C of margin violations.")
    gamma: float | str | tuple[float | str, ...] | None = _option(
        values.Gamma(0), "Parameter of the kernel: a number, scale, auto or median."
    )
    degree: float | tuple[float, ...] | None = _option(
        values.Whole(0), "Degree of the polynomial kernel."
    )
    coef0: float | tuple[float, ...] | None = _option(
        click.FLOAT, "Constant of the poly and sigmoid kernels."
    )
    nu: float | tuple[float, ...] | None = _option(
        values.Number(0, 1, min_open=True), "Parameter of nu-svc, nu-svr and one-class."
    )
    epsilon: float | tuple[float, ...] | None = _option(
        values.Number(0), "Half the width of the tube of svr and linear-svr."
    )
    loss: str | None = _option(_LOSSES, "Loss of a linear machine.")
    penalty: str | None = _option(["l2", "l1"], "Penalty of linear-svc.")
    multi_class: str | None = _option(
        ["ovo", "ovr", "crammer-singer"], "How more than two classes are separated."
    )
    bias: str | None = _option(
        ["free", "regularised"], "Whether the intercept is penalised like the weights."
    )
    fit_intercept: bool | None = _option(
        bool, "Whether a linear machine has an intercept.", flag="--intercept/--no-intercept"
    )
    intercept_scaling: float | None = _option(
        _POSITIVE, "The constant feature behind a linear machine's regularised intercept."
    )
    scale: str | None = _option(
        ["standard", "minmax", "maxabs", "robust"],
        "Scale the features first; --scale alone means standard.",
        is_flag=False,
        flag_value="standard",
    )
    pca: int | None = _option(
        click.IntRange(1), "Reduce the features to K components.", metavar="K"
    )
    class_weight: str | tuple[tuple[str, float], ...] | None = _option(
        values.class_weight, "Factors of C, class by class.", metavar="balanced|A=1,B=5"
    )
    probability: str | None = _option(
        ["platt", "isotonic", "logistic"],
        "Calibrate probabilities; --probability alone means platt.",
        is_flag=False,
        flag_value="platt",
    )
    tol: float | None = _option(_POSITIVE, "Accuracy at which the solver stops.")
    max_iter: int | None = _option(values.Whole(1), "At most this many iterations.", metavar="N")
    time_limit: float | None = _option(
        values.Time(0, min_open=True), "At most this long: 90, 15m, 2h."
    )
    cache_size: float | None = _option(_POSITIVE, "Memory for kernel rows.", metavar="MB")
    n_jobs: int | None = _option(int, "Threads; all CPUs by default.", flag="--jobs", metavar="N")

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the machine that were given and have the names of their fields."""
        found = {name: getattr(self, name) for name in FLAGS if name not in _NO_PARAMETERS}
        return {name: value for name, value in found.items() if value is not None}

    @property
    def compares_text(self) -> bool:
        """Whether the kernels compare strings."""
        on_text = {kernel.compares_text for kernel in self.kernel}
        if len(on_text) > 1:
            raise click.UsageError("Kernels on text and on numbers cannot be compared in one run.")
        return True in on_text


#: What is typed to set each field of `MachineOptions`.
FLAGS = {entry.name: _flag(entry) for entry in fields(MachineOptions)}

#: The parameters that a search varies, and how their ranges FROM:TO:COUNT are filled.
SEARCHED: dict[str, Callable[..., Any]] = {
    "C": np.geomspace,
    "gamma": np.geomspace,
    "degree": np.linspace,
    "coef0": np.linspace,
    "nu": np.linspace,
    "epsilon": np.geomspace,
}

#: What is not passed to the machine under the name of its field.
_NO_PARAMETERS = ("machine", "kernel", "scale", "pca", "class_weight", "probability")


@dataclass(frozen=True)
class Costs:
    """The costs of decisions between two classes."""

    prior: float = _option(
        values.Number(0, 1, min_open=True, max_open=True),
        "Probability of the positive class.",
        default=DEFAULT_PRIOR,
        show_default=True,
    )
    cost_fn: float = _option(_POSITIVE, "Cost of missing the positive class.", 1.0)
    cost_fp: float = _option(_POSITIVE, "Cost of predicting it falsely.", 1.0)
    positive: str | None = _option(
        None, "The positive class; the last by default.", metavar="LABEL"
    )

    @property
    def numbers(self) -> dict[str, Any]:
        """The prior and the costs, as functions of `maxmargin.metrics` take them."""
        return {"prior": self.prior, "cost_fn": self.cost_fn, "cost_fp": self.cost_fp}

    def positive_class(self, classes: Any) -> Any:
        """Return the class that --positive names, or the last."""
        if self.positive is None:
            return classes[-1]
        for label in classes:
            if str(label) == self.positive:
                return label
        raise InvalidInputError(
            f"--positive is {self.positive!r}, which is not a class: there are "
            f"{', '.join(map(str, classes))}."
        )
