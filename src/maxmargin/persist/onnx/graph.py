"""Nodes and constants of an ONNX graph, in skl2onnx's container."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Graph"]

#: The numbers of types in ONNX's TensorProto.DataType.
_ELEMENTS = {"float32": 1, "int64": 7, "str": 8, "float64": 11}


@dataclass(frozen=True)
class Graph:
    """A graph that grows. Results have names; any other input of a node is a constant."""

    scope: Any
    container: Any
    dtype: Any

    def node(self, kind: str, *inputs: Any, out: str | None = None, **attributes: Any) -> str:
        """Add an operation and return the name of its result, which may be given."""
        name: str = self.scope.get_unique_variable_name(kind.lower()) if out is None else out
        names = [one if isinstance(one, str) else self._constant(one) for one in inputs]
        own = self.scope.get_unique_operator_name(kind)
        self.container.add_node(kind, names, [name], name=own, **attributes)
        return name

    def _constant(self, values: Any) -> str:
        """Add strings, whole numbers in 64 bits, or floats in the type of the data."""
        array = np.asarray(values)
        if array.dtype.kind in "UO":
            kind, content = "str", [str(one).encode("utf-8") for one in array.ravel()]
        else:
            array = array.astype(self.dtype if array.dtype.kind == "f" else np.int64)
            kind, content = array.dtype.name, array.ravel().tolist()
        name: str = self.scope.get_unique_variable_name("constant")
        self.container.add_initializer(name, _ELEMENTS[kind], array.shape, content)
        return name

    def cast(self, values: str, dtype: Any = None) -> str:
        """Add a change of type, by default to that of the data."""
        kind = np.dtype(self.dtype if dtype is None else dtype)
        return self.node("Cast", values, to=_ELEMENTS[kind.name])
