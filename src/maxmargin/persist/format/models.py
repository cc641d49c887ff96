"""Models in files of the library's own: `save` and `load`."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any

from maxmargin.errors import ModelFileError
from maxmargin.persist.format import composed, machines, transformers
from maxmargin.persist.format.container import read, write
from maxmargin.persist.format.schema import MODEL, register
from maxmargin.persist.format.tree import Arrays, Node, flattened

__all__ = ["load", "save"]

for _module in (machines, composed, transformers):
    register(*_module.SCHEMAS)


def save(model: Any, path: str | PathLike[str], *, proof: bool = True) -> None:
    """Save a fitted model in a file without code.

    The file takes the place of an old one as a whole: a process that is killed at any moment
    leaves the old file or the new one.

    Parameters
    ----------
    model : estimator
        An estimator of the library, `SVMSearchCV` and `CalibratedSVC` included, or a `Pipeline`
        that ends in one after scikit-learn's scalers or PCA. Kernels that are functions are code
        and cannot be saved; callbacks and splitters are left out.
    path : str or path
        The file; its format is in docs/reference/format.md, its usual suffix .safetensors.
    proof : bool
        Whether `certificate_`, `slack_` and `margin_` are saved too. If they have not been
        computed yet, that can take as long as the fit.

    Raises
    ------
    ModelFileError
        If the model is not fitted or not of a kind that a file can hold.

    See Also
    --------
    load : Load the model again.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import maxmargin
    >>> machine = maxmargin.SVC(kernel="linear").fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> with TemporaryDirectory() as folder:
    ...     maxmargin.save(machine, Path(folder, "machine.safetensors"))
    ...     again = maxmargin.load(Path(folder, "machine.safetensors"))
    >>> again.predict([[0.5], [2.5]]), again.certificate_.holds(1e-6)
    (array([0, 1]), True)
    """
    arrays: Arrays = {}
    document = flattened(MODEL.encode(model), arrays, proof=proof)
    write(path, document, arrays)


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
    ...         print(str(error).replace(folder, ".").partition(" (")[0])
    ./note.txt cannot be loaded: it is not a whole file of safetensors
    """
    try:
        document, arrays = read(path)
        model = MODEL.decode(Node(document, arrays))
        if arrays:
            raise ModelFileError(f"the array {min(arrays)[:80]!r} belongs to nothing.")
    except ModelFileError as error:
        raise ModelFileError(f"{fspath(path)} cannot be loaded: {error}") from None
    return model
