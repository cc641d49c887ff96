"""Whole families of machines for little more than one: grids, and weights of kernels.

::

    search          SVMSearchCV: a grid with shared kernel matrices and warm starts
    runner          its threads, and what ends them
    schedule        which cells go together
    cells           from a grid to groups that differ in their penalties
    folds           rows of a split, transformers included
    matrices        shared matrices within a budget of memory
    warm_starts     where the final machine starts
    scoring         the record of a cell
    kernel_weights  learn_weights: which of several kernels, and how much of each
"""

from maxmargin.model_selection.kernel_weights import LearnedWeights, learn_weights
from maxmargin.model_selection.search import SVMSearchCV

__all__ = ["LearnedWeights", "SVMSearchCV", "learn_weights"]
