"""The library's own model files: one declared schema per kind of model.

::

    models        write_model, read_model
    machines      schemas of the library's estimators
    composed      schemas of CalibratedSVC and SVMSearchCV
    transformers  schemas of scikit-learn's transformers and pipelines
    schema        Schema, what schemas are made of, and which models there are
    parameters    the parameters of estimators, with kernels, biases and scorers
    proofs        certificates, slacks and margins
    data          class labels, features, matrices and support vectors
    tree          JSON and arrays by their places; values as JSON
    container     the file itself: safetensors
"""

from maxmargin.persist.format.models import read_model, write_model

__all__ = ["read_model", "write_model"]
