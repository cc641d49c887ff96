"""Models in files of the library's own: `save` and `load`."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any

from maxmargin.errors import ModelFileError
from maxmargin.persist import (
    calibrations,
    kernel_machines,
    linear_machines,
    online_machines,
    searches,
    transformers,
)
from maxmargin.persist.container import read, write
from maxmargin.persist.reading import Reader
from maxmargin.persist.registry import describe_model, register, restore_model
from maxmargin.persist.writing import Writer

__all__ = ["load", "save"]

register(
    *kernel_machines.KINDS,
    *linear_machines.KINDS,
    *online_machines.KINDS,
    *calibrations.KINDS,
    *searches.KINDS,
    *transformers.KINDS,
)


def save(model: Any, path: str | PathLike[str], *, proof: bool = True) -> None:
    """Save a fitted model in a file without code.

    The file takes the place of an old one as a whole: a process that is killed at any moment
    leaves the old file or the new one.

    Parameters
    ----------
    model : estimator
        One of the library, with `SVMSearchCV` and `CalibratedSVC`, or a `Pipeline` of
        scikit-learn's scalers or PCA and one. Kernels that are functions are code and cannot be
        saved.
    path : str or path
        The file; its format is in docs/reference/format.md, its usual suffix .safetensors.
    proof : bool
        Whether `certificate_`, `slack_` and `margin_` are saved too. Making them, where that has
        not happened yet, can take as long as the fit.

    Raises
    ------
    ModelFileError
        If the model is not fitted or not of a kind that a file can hold.

    See Also
    --------
    load : The model again.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import maxmargin
    >>> machine = maxmargin.SVC(kernel="linear").fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> with TemporaryDirectory() as folder:
    ...     maxmargin.save(machine, Path(folder, "machine.safetensors"))
    ...     again = maxmargin.load(Path(folder, "machine.safetensors"))
    >>> again.predict([[0.5], [2.5]]), again.certificate_ == machine.certificate_
    (array([0, 1]), True)
    """
    out = Writer(with_proof=proof)
    describe_model(model, out)
    write(path, out.document, out.arrays)


def load(path: str | PathLike[str]) -> Any:
    """Load a model that `save` saved.

    Everything in the file is checked, and the sizes before anything of that size is allocated.
    Nothing in it is executed, so a file from a stranger does no harm beyond wrong predictions.

    Parameters
    ----------
    path : str or path
        The file.

    Raises
    ------
    ModelFileError
        If the file holds no model, is damaged, or was written by a later version of the format.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import maxmargin
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "note.txt")
    ...     _ = path.write_text("This is no model.")
    ...     try:
    ...         maxmargin.load(path)
    ...     except maxmargin.ModelFileError as error:
    ...         print(str(error).replace(folder, "."))
    ./note.txt cannot be loaded: it is not in the safetensors format, or is cut off in its header.
    """
    try:
        document, arrays = read(path)
        model = restore_model(Reader(document, arrays))
        if arrays:
            raise ModelFileError(f"the array {min(arrays)[:80]!r} belongs to nothing.")
    except ModelFileError as error:
        raise ModelFileError(f"{fspath(path)} cannot be loaded: {error}") from None
    except RecursionError:
        raise ModelFileError(
            f"{fspath(path)} cannot be loaded: its values are nested too deeply."
        ) from None
    return model
