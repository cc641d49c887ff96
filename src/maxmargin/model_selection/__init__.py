"""Whole families of machines for little more than one, and weights for several kernels.

::

    linear            linear_path: linear machines along C
    kernel_weights    learn_weights: which of several kernels, and how much of each
"""

from maxmargin.model_selection.kernel_weights import LearnedWeights, learn_weights
from maxmargin.model_selection.linear import LinearPath, linear_path

__all__ = ["LearnedWeights", "LinearPath", "learn_weights", "linear_path"]
