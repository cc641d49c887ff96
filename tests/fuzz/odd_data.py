"""Data as nobody should give it: shapes, types, layouts, weights and labels, drawn at random."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

__all__ = ["classes", "features", "numbers", "targets", "weights"]

#: Numbers that people have: small ones, equal ones, whole ones.
USUAL = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 0.5, 2.0, 3.0]), st.floats(-10, 10, allow_subnormal=False)
)
#: Numbers that nobody should have.
EXTREME = st.one_of(
    st.sampled_from([1e-320, 1e-300, -1e-160, 1e-20, 1e20, -1e60, 1e154, 1e160, -1e300, 1.7e308]),
    st.sampled_from([5e7, 5e7 + 1e-7, 1.0 + 2**-52, -0.0, np.nan, np.inf, -np.inf]),
    st.floats(allow_nan=False, allow_infinity=False),
)

_TYPES = (np.float64, np.float32, np.float16, np.int64, np.int8, np.uint8, np.bool_, ">f8")
_FORMATS = ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")


@st.composite
def numbers(draw: Any, shape: Any, *, odd: bool) -> Any:
    """Draw an array of usual numbers, or of some that are not."""
    values = draw(hnp.arrays(np.float64, shape, elements=USUAL))
    if not odd:
        return values
    scale = draw(st.sampled_from([1.0, 1e-8, 1e8, 1e-150, 1e150]))
    shift = draw(st.sampled_from([0.0, 1e6, -3e10]))
    values = values * scale + shift
    places = st.integers(0, values.size - 1)
    for place in draw(st.lists(places, max_size=3)) if values.size else ():
        values.flat[place] = draw(EXTREME)
    return values


def _laid_out(X: Any, way: str, kind: Any, form: str) -> Any:
    """Return the same numbers in another type or layout."""
    with np.errstate(all="ignore"):
        match way:
            case "type":
                return np.nan_to_num(X).astype(kind) if kind not in _TYPES[:3] else X.astype(kind)
            case "fortran":
                return np.asfortranarray(X)
            case "strided":
                return np.repeat(X, 2, axis=0)[::2]
            case "reversed":
                return np.ascontiguousarray(X[::-1])[::-1]
            case "read-only":
                X.flags.writeable = False
                return X
            case "frame":
                return pd.DataFrame(X, columns=[f"c{k}" for k in range(X.shape[1])])
            case "list":
                return X.tolist()
            case "object":
                return X.astype(object)
            case "complex":
                return X.astype(complex)
            case "text":
                return X.astype(str)
            case "sparse array" | "sparse matrix":
                csr = sparse.csr_array(X) if way == "sparse array" else sparse.csr_matrix(X)
                return csr.asformat(form)
            case "long indices":
                csr = sparse.csr_array(X)
                csr.indices, csr.indptr = csr.indices.astype("i8"), csr.indptr.astype("i8")
                return csr
            case "explicit zeros":
                csr = sparse.csr_array(X)
                csr.data[::2] = 0.0
                return csr
    return X


_WAYS = (
    *("type", "type", "fortran", "strided", "reversed", "read-only", "frame", "list", "object"),
    *("complex", "text", "sparse array", "sparse array", "sparse matrix", "long indices"),
    "explicit zeros",
)


@st.composite
def features(draw: Any, n: int, odd: frozenset[str]) -> Any:
    """Draw n rows; some of them equal, some columns constant."""
    d = draw(st.sampled_from([0, 1, 9] if "shape" in odd else [2, 3, 4, 1]))
    X = draw(numbers((n, d), odd="numbers" in odd))
    if n > 1 and draw(st.integers(0, 4)) == 0:
        X = X[np.arange(n) // 2]
    if d and draw(st.integers(0, 6)) == 0:
        X[:, 0] = X[0, 0] if n else 0.0
    if "layout" not in odd:
        return X
    way = draw(st.sampled_from(_WAYS))
    return _laid_out(X, way, draw(st.sampled_from(_TYPES)), draw(st.sampled_from(_FORMATS)))


_NAMES = (
    np.array([-1, 1, 3, 5]),
    np.array(["a", "b", "", "ä"]),
    np.array([0.0, 1.0, 2.0, 3.0]),
    np.array([0.5, 1.5, 2.5, 3.5]),
    np.array([2**62, -(2**62), 0, 1]),
    np.array([True, False, True, False]),
    np.array([1, "b", None, 2.5], dtype=object),
)


@st.composite
def classes(draw: Any, n: int, odd: frozenset[str]) -> Any:
    """Draw labels: two or three classes, as numbers unless they are odd."""
    k = draw(st.sampled_from([2, 2, 3]))
    codes = np.array(draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)), dtype=int)
    if "target" not in odd:
        # Two points of each class, in any order.
        codes[: 2 * k] = np.arange(len(codes[: 2 * k])) % k
        return codes
    y = draw(st.sampled_from(_NAMES))[codes]
    way = draw(st.sampled_from(["names", "names", "short", "column", "list", "none", "one"]))
    return {
        "names": y,
        "short": y[:-1],
        "column": y[:, None],
        "list": y.tolist(),
        "none": None,
        "one": np.zeros(n),
    }[way]


@st.composite
def targets(draw: Any, n: int, odd: frozenset[str]) -> Any:
    """Draw numbers to be predicted."""
    y = draw(numbers(n, odd="target" in odd))
    if "target" not in odd:
        return y
    way = draw(st.sampled_from(["as it is"] * 4 + ["short", "column", "list", "text", "none"]))
    return {
        "as it is": y,
        "short": y[:-1],
        "column": y[:, None],
        "list": y.tolist(),
        "text": y.astype(str),
        "none": None,
    }[way]


@st.composite
def weights(draw: Any, n: int, odd: frozenset[str]) -> Any:
    """Draw weights of the rows; mostly none."""
    if "weights" not in odd:
        plain = draw(st.integers(0, 3)) > 0
        return None if plain else draw(hnp.arrays(np.float64, n, elements=st.floats(0.1, 10)))
    match draw(st.sampled_from(["zeros", "odd", "odd", "equal", "short"])):
        case "zeros":
            return draw(hnp.arrays(np.float64, n, elements=st.sampled_from([0.0, 1.0, 2.0])))
        case "odd":
            odd_ones = [1.0, 1.0, 0.0, 1e-300, 1e-6, 1e12, 1e300, -1.0, np.nan, np.inf, 1e-320]
            return draw(hnp.arrays(np.float64, n, elements=st.sampled_from(odd_ones)))
        case "equal":
            return np.full(n, draw(st.sampled_from([1e-6, 2.0, 1e6, 0.0])))
    return np.ones(max(0, n - 1))
