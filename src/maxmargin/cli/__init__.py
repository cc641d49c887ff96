"""The command line: train, predict, tune, evaluate, inspect, convert, path, report, demo.

::

    program    what is typed: commands, options, help; errors and exit codes
    commands   what each command does, one file per command
    options    the options that commands share
    values     the types of options: numbers, grids, kernels
    output     what a run prints and writes
    data       from a data file to X and y
    tables     CSV and Parquet files (extra "cli")
    lines      what is wrong with the lines of a CSV file
    machines   from options to an estimator
    models     files of models, and what is known about them

`commands` and what they need are imported when a command runs, because scikit-learn and pandas are
slow to import.
"""

from maxmargin.cli.program import main

__all__ = ["main"]
