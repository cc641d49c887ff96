"""What similarity means: kernels as values, computed in blocks.

::

    base            the interface: block, diag, resolve, validate
    dense           Linear, Polynomial, RBF, Sigmoid, Laplacian, Chi2
    sequence_base, sequences  CommonSubstrings, Spectrum, Mismatch, WeightedDegree, Subsequence
    substrings      the suffix matrix and the longest common substring
    columns         On: a kernel on columns of a frame
    precomputed     a Gram matrix as a kernel
    callables       a Python function as a kernel
    algebra         sums, products, positive scalings
    feature_maps    phi with k(x, z) = phi(x)'phi(z)
    semidefinite    is this Gram matrix positive semidefinite?
    encoding        sequences of tokens as codes
    blocks, comparisons  the bridges to the compiled core
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
