"""The command line: train, predict, tune, evaluate, inspect, convert, path, report, demo.

::

    commands        one file a command
    program         the program around them: errors, exit codes, completion
    session         how one run talks: results, notes, warnings, JSON
    options         options that commands share
    numbers         numbers and grids as they are typed
    kernel_names    kernels as they are typed
    formats         which format a file has
    source          where data come from, and what they are turned into
    tables          CSV and Parquet files (extra "cli")
    arrays          .npz files
    machines        from options to an estimator
    grids           what is searched unless told otherwise
    scoring         scorers by name, with prior and costs
    fitting         a fit that is watched, interrupted and saved
    models          files of models, and data in their columns
    facts           what is known about a fitted model
    measures        how good its predictions are
    rows            tables to files and to the terminal

Everything that is slow to import is imported by the command that needs it.
"""

from maxmargin.cli.program import main

__all__ = ["main"]
