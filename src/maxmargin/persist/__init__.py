"""Models in files: the library's own format, LIBSVM's, LIBLINEAR's and ONNX.

::

    saving   save, load: in the format that the file's name says
    chains   models that hold others, as steps and a machine
    format   the library's own: one declared schema per kind of model, in safetensors files
    libsvm   from_libsvm, to_libsvm, from_liblinear, to_liblinear
    onnx     to_onnx (extra "onnx")

Data in LIBSVM's format is read and written by `maxmargin.streams`.
"""

from maxmargin.errors import ModelFileError
from maxmargin.persist.libsvm import from_liblinear, from_libsvm, to_liblinear, to_libsvm
from maxmargin.persist.onnx import to_onnx
from maxmargin.persist.saving import load, save

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
