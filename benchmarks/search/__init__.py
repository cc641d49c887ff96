"""Whole grids with cross-validation: SVMSearchCV against GridSearchCV.

::

    problems    data, grids and folds
    libraries   how each library searches
    child       one search, timed, in a process of its own
    report      the section of benchmarks/README.md
    __main__    the command
"""
