"""The real data sets: where they are and how they are loaded."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

ROOT = Path(__file__).resolve().parent.parent


def folder() -> Path | None:
    """Return MAXMARGIN_DATA if it is set, else ../shared/data beside the repository, or None."""
    named = os.environ.get("MAXMARGIN_DATA")
    place = Path(named) if named else ROOT.parent / "shared" / "data"
    return place if place.is_dir() else None


def load(name: str) -> dict[str, Any]:
    """Load one data set, for example "classification/a9a": X, y, perhaps X_test, y_test."""
    place = folder()
    if place is None:
        raise FileNotFoundError("Set MAXMARGIN_DATA to the folder of the data sets.")
    return read(place / f"{name}.npz")


def read(path: Path) -> dict[str, Any]:
    """Read arrays; a sparse one is stored as its data, indices, indptr and shape."""
    arrays = np.load(path)
    sparse_names = [key.removesuffix("_shape") for key in arrays.files if key.endswith("_shape")]
    loaded: dict[str, Any] = {
        key: arrays[key] for key in arrays.files if key.rsplit("_", 1)[0] not in sparse_names
    }
    for key in sparse_names:
        # Some peers take 32-bit indices only.
        places = [arrays[f"{key}_{part}"].astype(np.int32) for part in ("indices", "indptr")]
        parts = (arrays[f"{key}_data"], *places)
        loaded[key] = sparse.csr_array(parts, shape=tuple(arrays[f"{key}_shape"]))
    return loaded


def write(path: Path, arrays: dict[str, Any]) -> None:
    """Write arrays so that `read` finds them again."""
    parts: dict[str, Any] = {}
    for key, array in arrays.items():
        if sparse.issparse(array):
            for part in ("data", "indices", "indptr", "shape"):
                parts[f"{key}_{part}"] = np.asarray(getattr(array, part))
        else:
            parts[key] = np.asarray(array)
    np.savez(path, **parts)
