"""Kernel machines of any size, by decomposition in compiled code.

::

    decomposition  Decomposition: the solver
    batch          quadratic programs over shared points as one call of the compiled core
    starts         where they start
    parts          folds that leave points out of a fit
    rows           the sources of kernel rows, and their precision
    resident       Gram matrices in memory, for searches
    stripes        a Gram matrix of expensive kernels, stripe by stripe
    memory         how many rows may be kept
    merging        duplicate points
    refine         small problems to the accuracy of rounding
    multiples      the best multiple of an unfinished point
    rescue         restart from an interior point if steps make no progress
"""

from maxmargin.solvers.kernel.decomposition import Decomposition

__all__ = ["Decomposition"]
