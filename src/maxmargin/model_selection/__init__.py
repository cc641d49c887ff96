"""Whole families of machines for little more than one: grids, paths over C, weights of kernels.

::

    search          SVMSearchCV: a grid with shared kernel matrices and warm starts
    runner          its threads, and what ends them
    schedule        which cells go together
    cells           from a grid to groups that differ in their prices
    folds           rows of a split, transformers included
    matrices        shared matrices within a budget of memory
    scoring         the record of a cell
    progress        the bar over cells
    linear          linear_path: linear machines along C
    kernel_weights  learn_weights: which of several kernels, and how much of each
    path            svm_path: the exact solutions of a kernel machine at every C
    trace           from one breakpoint of that path to the next
    start           where it starts, and starts again
    direction       which way it goes from a breakpoint
    legs            how far it can go that way
    position        where it stands
    elbow           the points on the margin and their equations
"""

from maxmargin.model_selection.kernel_weights import LearnedWeights, learn_weights
from maxmargin.model_selection.linear import LinearPath, linear_path
from maxmargin.model_selection.path import PathEvent, SVMPath, svm_path
from maxmargin.model_selection.search import SVMSearchCV

__all__ = [
    "LearnedWeights",
    "LinearPath",
    "PathEvent",
    "SVMPath",
    "SVMSearchCV",
    "learn_weights",
    "linear_path",
    "svm_path",
]
