"""The commands, one a file."""

from maxmargin.cli.commands import (
    convert,
    demo,
    evaluate,
    inspect,
    path,
    predict,
    report,
    train,
    tune,
)

__all__ = ["COMMANDS"]

COMMANDS = (
    train.train,
    predict.predict,
    tune.tune,
    evaluate.evaluate,
    inspect.inspect,
    convert.convert,
    path.path,
    report.report,
    demo.demo,
)
