"""Measurements against other libraries, for benchmarks/README.md.

::

    engine          whole fits with the Gaussian kernel
    linear          linear machines
    search          whole grids with cross-validation
    calibration     calibrated fits
    streams         two passes over a file in chunks
    kernel_blocks   blocks of kernel values
    sequences       Gram matrices of strings, and studies of what machines learn from strings
    commits         two commits of this library

    library         name, package and version of a library
    datasets        where the data sets are, and how they are loaded
    machine         the computer and the versions, in words
    memory          time and memory of a call
    processes       runs in processes of their own, in turns
    results         records of runs, and their medians
    ratios          means of ratios, and how tables show them
    page            the sections of the page
    command         the options that commands share
"""
