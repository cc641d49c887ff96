"""The commands, one a file."""

from maxmargin.cli.commands.convert import convert
from maxmargin.cli.commands.demo import demo
from maxmargin.cli.commands.evaluate import evaluate
from maxmargin.cli.commands.inspect import inspect
from maxmargin.cli.commands.path import path
from maxmargin.cli.commands.predict import predict
from maxmargin.cli.commands.report import report
from maxmargin.cli.commands.train import train
from maxmargin.cli.commands.tune import tune

__all__ = [
    "convert",
    "demo",
    "evaluate",
    "inspect",
    "path",
    "predict",
    "report",
    "train",
    "tune",
]
