"""What similarity means: kernels as values, computed in blocks.

::

    base            the interface: block, diag, resolve, validate
    dense           Linear, Polynomial, RBF, Sigmoid, Laplacian, Chi2
    precomputed     a Gram matrix as a kernel
    callables       a Python function as a kernel
    algebra         sums, products, positive scalings
    feature_maps    phi with k(x, z) = phi(x)'phi(z)
    semidefinite    is this Gram matrix positive semidefinite?
    blocks          the bridge to the compiled core
"""

from maxmargin.kernels.algebra import Product, Scaled, Sum
from maxmargin.kernels.base import Kernel
from maxmargin.kernels.callables import Function
from maxmargin.kernels.dense import RBF, Chi2, Laplacian, Linear, Polynomial, Sigmoid
from maxmargin.kernels.feature_maps import FeatureMap, feature_map, has_feature_map
from maxmargin.kernels.precomputed import Precomputed
from maxmargin.kernels.semidefinite import Semidefiniteness, is_positive_semidefinite

__all__ = [
    "RBF",
    "Chi2",
    "FeatureMap",
    "Function",
    "Kernel",
    "Laplacian",
    "Linear",
    "Polynomial",
    "Precomputed",
    "Product",
    "Scaled",
    "Semidefiniteness",
    "Sigmoid",
    "Sum",
    "feature_map",
    "has_feature_map",
    "is_positive_semidefinite",
]
