"""Linear machines: maxmargin against LIBLINEAR, alone and inside scikit-learn.

Each library has its own stopping rule, so its time means little without the accuracy it reached.
Here the peers run first. Comparing the primal value of each solution with the best known dual value
gives its relative gap; then maxmargin is asked for that gap.

::

    problems      the data, loss and C of each problem
    libraries     how each library fits and predicts, and where it keeps its machines
    machines      the weights and biases of all classes, in one layout
    values        primal and dual values of a machine
    reference     the best known dual values: python -m benchmarks.linear.reference
    child         one fit in a process of its own: python -m benchmarks.linear.child
    certificate   the gap of a fit: python -m benchmarks.linear.certificate
    measure       starting those three
    summary       records, medians and ratios
    report        the section of benchmarks/README.md
    __main__      the command: python -m benchmarks.linear
"""
