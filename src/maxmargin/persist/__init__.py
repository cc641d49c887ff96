"""Models in files: the library's own format, LIBSVM's, LIBLINEAR's and ONNX.

::

    format   save, load: one declared schema per kind of model, in safetensors files
    libsvm   from_libsvm, to_libsvm, from_liblinear, to_liblinear
    onnx     to_onnx (extra "onnx")

Data in LIBSVM's format is read and written by `maxmargin.streams`.
"""

from maxmargin.errors import ModelFileError
from maxmargin.persist.format import load, save
from maxmargin.persist.libsvm import from_liblinear, from_libsvm, to_liblinear, to_libsvm
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
