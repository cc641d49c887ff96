"""Whole families of machines for little more than one: paths over C.

::

    linear    linear_path: linear machines along C
"""

from maxmargin.model_selection.linear import LinearPath, linear_path

__all__ = ["LinearPath", "linear_path"]
