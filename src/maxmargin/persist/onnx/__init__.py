"""Models as ONNX graphs, by skl2onnx (extra "onnx").

::

    conversion     to_onnx, and the estimators as skl2onnx's converters
    machines       labels and scores of each estimator, with its kernel
    probabilities  calibrated scores, and the coupling of pairs
    graph          nodes and constants
"""

from maxmargin.persist.onnx.conversion import register_converters, to_onnx

__all__ = ["register_converters", "to_onnx"]
