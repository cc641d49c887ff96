"""The program around the commands: errors in one sentence, exit codes, completion."""

from __future__ import annotations

import traceback
import warnings
from typing import Any
from zipfile import BadZipFile

import click
from click.shell_completion import get_completion_class

from maxmargin import __version__
from maxmargin.cli.commands import COMMANDS
from maxmargin.cli.session import INTERRUPTED, Session
from maxmargin.errors import MaxMarginError

__all__ = ["main"]

_EXPECTED = (MaxMarginError, ValueError, TypeError, OSError, MemoryError, BadZipFile)


class _Interruption(click.ClickException):
    """Ctrl-C, where nothing was left to save."""

    exit_code = INTERRUPTED


class Program(click.Group):
    """A group of commands whose errors are sentences."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Remember the words, for those who want to do the same again."""
        ctx.ensure_object(Session).arguments = list(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command and turn what it raises into a sentence and an exit code."""
        session = ctx.ensure_object(Session)
        with warnings.catch_warnings():
            session.listen()
            try:
                super().invoke(ctx)
            except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
                raise
            except KeyboardInterrupt:
                self._trace(session)
                raise _Interruption("Interrupted.") from None
            except Exception as error:
                self._trace(session)
                raise click.ClickException(_sentence(error)) from None
        ctx.exit(session.exit_code)

    @staticmethod
    def _trace(session: Session) -> None:
        if session.debug:
            click.echo(traceback.format_exc(), err=True)


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else error.strerror
    if isinstance(error, MemoryError):
        return f"The memory does not suffice. {error}".strip()
    text = str(error).strip()
    if "Traceback" in text:
        # scikit-learn's searches quote the errors of their fits.
        text = text.splitlines()[-1].partition(": ")[2] or text.splitlines()[-1]
    text = " ".join(text.split())
    if isinstance(error, _EXPECTED) and text:
        return text
    return f"{type(error).__name__}: {text} (this should not happen: --debug shows where)"


def _print_completion(ctx: click.Context, parameter: click.Parameter, shell: str | None) -> None:
    del parameter
    if shell is None or ctx.resilient_parsing:
        return
    found = get_completion_class(shell)
    assert found is not None
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
    """Support vector machines that prove how good each answer is.

    DATA is a CSV, Parquet, .npz or LIBSVM file, or - for standard input. MODEL is a file that
    train, tune or convert wrote, or one of LIBSVM or LIBLINEAR.

    Exit codes: 0 all is well; 1 something is wrong with the data or the model; 2 with the command
    line; 3 a model was made but its fit did not converge; 130 interrupted, with the best model so
    far saved where a line says so.
    """


for command in COMMANDS:
    main.add_command(command)
