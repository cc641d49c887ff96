"""``python -m maxmargin``: the command line."""

from maxmargin.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    main(prog_name="maxmargin")
