"""Kernels: immutable values that measure the similarity of points, computed in blocks.

::

    base            Kernel: block, diag, resolve, validate; checks of parameters
    data            the data that kernels accept, checked once
    dense           Linear, Polynomial, RBF, Sigmoid, Laplacian, Chi2
    sequence_base   SequenceKernel: what the kernels on sequences share
    sequences       CommonSubstrings, Spectrum, Mismatch, WeightedDegree, Subsequence
    substrings      the suffix matrix and the longest common substring
    encoding        sequences of tokens as sequences of whole numbers
    columns         On: a kernel on columns of a data frame
    precomputed     Precomputed: a Gram matrix as a kernel
    callables       Function: a Python function as a kernel
    algebra         Sum, Product, Scaled
    median          the median heuristic for gamma
    feature_maps    phi with k(x, z) = phi(x)'phi(z)
    rounding        bounds on the rounding errors of kernel values
    semidefinite    is this Gram matrix positive semidefinite?
    blocks          the native core: kernels on rows of numbers
    comparisons     the native core: kernels on sequences
    blas_threads    SciPy's BLAS limited to one thread while the core uses its own
"""

from maxmargin.kernels.algebra import Product, Scaled, Sum
from maxmargin.kernels.base import Kernel
from maxmargin.kernels.callables import Function
from maxmargin.kernels.columns import On
from maxmargin.kernels.dense import RBF, Chi2, Laplacian, Linear, Polynomial, Sigmoid
from maxmargin.kernels.feature_maps import FeatureMap, feature_map, has_feature_map
from maxmargin.kernels.precomputed import Precomputed
from maxmargin.kernels.semidefinite import Semidefiniteness, is_positive_semidefinite
from maxmargin.kernels.sequence_base import SequenceKernel
from maxmargin.kernels.sequences import (
    CommonSubstrings,
    Mismatch,
    Spectrum,
    Subsequence,
    WeightedDegree,
)
from maxmargin.kernels.substrings import longest_common_substring, suffix_matrix

__all__ = [
    "RBF",
    "Chi2",
    "CommonSubstrings",
    "FeatureMap",
    "Function",
    "Kernel",
    "Laplacian",
    "Linear",
    "Mismatch",
    "On",
    "Polynomial",
    "Precomputed",
    "Product",
    "Scaled",
    "Semidefiniteness",
    "SequenceKernel",
    "Sigmoid",
    "Spectrum",
    "Subsequence",
    "Sum",
    "WeightedDegree",
    "feature_map",
    "has_feature_map",
    "is_positive_semidefinite",
    "longest_common_substring",
    "suffix_matrix",
]
