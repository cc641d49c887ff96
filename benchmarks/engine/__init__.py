"""Whole fits with the Gaussian kernel: maxmargin against its peers.

::

    problems      the data, C and gamma of each problem
    libraries     how each library fits, predicts and shows its machines
    machines      dual coefficients and offsets of all class pairs, in one layout
    child         one fit in a process of its own: python -m benchmarks.engine.child
    certificate   what a fit's answer is worth: python -m benchmarks.engine.certificate
    measure       the alternating repeats
    growth        fit time against the number of points
    results       what engine.json holds
    summary       medians, ratios and slopes of the results
    report        the section of benchmarks/README.md
    picture       the growth picture
    __main__      the command: python -m benchmarks.engine
"""
