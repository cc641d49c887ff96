"""Models in the text files of LIBSVM and LIBLINEAR.

::

    kernel_models  from_libsvm, to_libsvm
    linear_models  from_liblinear, to_liblinear
    scaling        the scaling before a machine, as svm-scale's file of ranges
    pairs          LIBSVM's machines, one per pair of classes, and their lines
    header         the lines with which both kinds of files begin
"""

from maxmargin.persist.libsvm.kernel_models import from_libsvm, to_libsvm
from maxmargin.persist.libsvm.linear_models import from_liblinear, to_liblinear

__all__ = ["from_liblinear", "from_libsvm", "to_liblinear", "to_libsvm"]
