"""Whole fits with the Gaussian kernel: maxmargin against its peers.

::

    problems      the data, C and gamma of each problem
    libraries     how each library fits and predicts, and where it keeps its machines
    machines      dual coefficients and offsets of all pairs of classes, in one layout
    child         one fit in a process of its own: python -m benchmarks.engine.child
    certificate   the certificate of a fit: python -m benchmarks.engine.certificate
    measure       starting those two
    growth        fit time against the number of points
    summary       records, medians, ratios and slopes
    report        the section of benchmarks/README.md
    picture       the growth picture
    __main__      the command: python -m benchmarks.engine
"""
