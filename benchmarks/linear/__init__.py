"""Linear machines: maxmargin against LIBLINEAR, alone and inside scikit-learn.

A library stops by a rule of its own, so that its time says little without what it reached. Here
the peers run first; each answer's primal value is held against the best known dual value, which
gives its relative gap; then maxmargin is asked for that gap.

::

    problems      the data, loss and C of each problem
    libraries     how each library fits, predicts and shows its machines
    machines      the weights and biases of all classes, in one layout
    values        primal and dual values of a machine
    reference     the best known dual values: python -m benchmarks.linear.reference
    child         one fit in a process of its own: python -m benchmarks.linear.child
    certificate   what a fit's answer is worth: python -m benchmarks.linear.certificate
    measure       starting those three, in turns
    results       what linear.json holds
    summary       medians and ratios of the results
    report        the section of benchmarks/README.md
    __main__      the command: python -m benchmarks.linear
"""
