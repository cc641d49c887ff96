"""Data sets of your own: where is maxmargin worse than scikit-learn, slower, or not certified?

::

    data        the files of a folder, as X and y
    settings    the grid: kernels x C x scaling
    objective   the primal value of a fitted model, from its published attributes
    worker      fits in processes of their own, ended when their time is up
    report      the table of what was found
"""
