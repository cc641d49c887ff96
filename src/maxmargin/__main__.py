"""``maxmargin`` and ``python -m maxmargin``: the command line."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the program; Ctrl-C while it is still being imported is no traceback either."""
    try:
        from maxmargin.cli import main as program

        program(prog_name="maxmargin")
    except KeyboardInterrupt:
        sys.stderr.write("Error: Interrupted.\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
