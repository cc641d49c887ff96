"""Models in files: the library's own format, LIBSVM's, LIBLINEAR's and ONNX.

::

    models           save, load
    registry         which classes they know, and how others are added
    kernel_machines  SVC, NuSVC, SVR, NuSVR, OneClassSVM
    linear_machines  LinearSVC, LinearSVR
    online_machines  OnlineSVC, OnlineOneClassSVM
    calibrations     CalibratedSVC
    searches         SVMSearchCV
    transformers     scikit-learn's scalers, PCA and pipelines
    proofs, labels, points, parameters, kernels    the parts of a model
    settings         what a parameter can be, with splitters and scorers
    values           plain values
    writing, reading one object of a description, and its arrays
    container        the file itself: safetensors
    libsvm           from_libsvm, to_libsvm
    libsvm_text      LIBSVM's file itself
    class_order      machines with their classes in another order
    liblinear        from_liblinear, to_liblinear
    model_text       what both files share
    onnx             to_onnx (extra "onnx")
    onnx_graph       the graphs that it makes

Data in LIBSVM's format is read and written by `maxmargin.streams`.
"""

from maxmargin.errors import ModelFileError
from maxmargin.persist.liblinear import from_liblinear, to_liblinear
from maxmargin.persist.libsvm import from_libsvm, to_libsvm
from maxmargin.persist.models import load, save
from maxmargin.persist.onnx import to_onnx

__all__ = [
    "ModelFileError",
    "from_liblinear",
    "from_libsvm",
    "load",
    "save",
    "to_liblinear",
    "to_libsvm",
    "to_onnx",
]
