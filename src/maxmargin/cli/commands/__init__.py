"""What each command does: one module per command, with a function `run`.

::

    train, tune         fit a machine and save it
    predict, evaluate   use a model on new data
    inspect, report     describe a model
    convert             models and data from one format to another
    path                the machines at every C
    demo                the library at work
"""

from importlib import import_module
from typing import Any

from maxmargin.cli.output import Session

__all__ = ["run_command"]


def run_command(name: str, session: Session, **given: Any) -> None:
    """Import a command and run it."""
    import_module(f"{__name__}.{name}").run(session, **given)
