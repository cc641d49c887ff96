"""`save` and `load`: the name of a file says its format."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

from maxmargin.errors import ModelFileError
from maxmargin.estimators import LinearSVC, LinearSVR
from maxmargin.files import replacing
from maxmargin.persist.format import read_model, write_model
from maxmargin.persist.libsvm import from_liblinear, from_libsvm, to_liblinear, to_libsvm
from maxmargin.persist.libsvm.scaling import machine_of
from maxmargin.persist.onnx import to_onnx

__all__ = ["ModelFormat", "format_of_file", "format_of_name", "load", "save", "save_as"]

ModelFormat = Literal["maxmargin", "libsvm-model", "liblinear-model", "onnx"]


def save(model: Any, path: str | PathLike[str], *, proof: bool = True) -> None:
    """Save a fitted model in a file without code.

    The file takes the place of an old one as a whole: a process that is killed at any moment
    leaves the old file or the new one. The same model gives the same bytes.

    Parameters
    ----------
    model : estimator
        An estimator of the library, `SVMSearchCV` and `CalibratedSVC` included, or a `Pipeline`
        that ends in one after scikit-learn's scalers or PCA. Kernels that are functions are code
        and cannot be saved; callbacks and splitters are left out.
    path : str or path
        The file. Its suffix says the format: .safetensors, or none, is the library's own, which
        docs/reference/format.md describes; .onnx an ONNX graph, as by `persist.to_onnx`, which
        `load` does not read; .model LIBSVM's or, for linear machines, LIBLINEAR's. Other suffixes
        are refused.
    proof : bool
        Whether `certificate_`, `slack_` and `margin_` are saved too, in the library's own format.
        If they have not been computed yet, that can take as long as the fit.

    Raises
    ------
    ModelFileError
        If the model is not fitted or not of a kind that such a file can hold.

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
    save_as(format_of_name(path, model), model, path, proof=proof)


def save_as(
    format: ModelFormat,  # noqa: A002
    model: Any,
    path: str | PathLike[str],
    *,
    proof: bool = True,
    ranges: str | PathLike[str] | None = None,
) -> None:
    """Save a fitted model in a format, whatever the name of the file."""
    if format == "maxmargin":
        write_model(model, path, proof=proof)
    elif format == "onnx":
        graph = to_onnx(model)
        with replacing(path) as new:
            new.write_bytes(graph.SerializeToString())
    else:
        (to_liblinear if format == "liblinear-model" else to_libsvm)(model, path, ranges=ranges)


def format_of_name(path: str | PathLike[str], model: Any = None) -> ModelFormat:
    """Return the format that the name of a file says, for a model if there are two."""
    suffix = Path(path).suffix.lower()
    if suffix in ("", ".safetensors"):
        return "maxmargin"
    if suffix == ".onnx":
        return "onnx"
    if suffix == ".model":
        is_linear = isinstance(machine_of(model), LinearSVC | LinearSVR)
        return "liblinear-model" if is_linear else "libsvm-model"
    raise ModelFileError(
        f"{fspath(path)} ends in {Path(path).suffix}, which is not a format of models: use "
        ".safetensors (this library's own), .onnx, or .model (LIBSVM's and LIBLINEAR's)."
    )


def load(path: str | PathLike[str]) -> Any:
    """Load a model that `save` saved, or that LIBSVM or LIBLINEAR trained.

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
    format = format_of_file(path)  # noqa: A001
    if format == "libsvm-model":
        return from_libsvm(path)
    if format == "liblinear-model":
        return from_liblinear(path)
    try:
        if format == "onnx":
            raise ModelFileError(
                "it is an ONNX graph, which is written but not read here: run it with onnxruntime, "
                "and save the model as .safetensors, too."
            )
        return read_model(path)
    except ModelFileError as error:
        raise ModelFileError(f"{fspath(path)} cannot be loaded: {error}") from None


def format_of_file(path: str | PathLike[str]) -> ModelFormat | None:
    """Return the format of a file by how it begins, None if it does not look like a model."""
    with Path(path).open("rb") as file:
        beginning = file.read(16)
    if beginning.startswith(b"svm_type"):
        return "libsvm-model"
    if beginning.startswith(b"solver_type"):
        return "liblinear-model"
    # The format of safetensors: eight bytes of length, then a JSON object.
    if beginning[8:9] == b"{":
        return "maxmargin"
    suffix = Path(path).suffix.lower()
    return "onnx" if suffix == ".onnx" else "maxmargin" if suffix == ".safetensors" else None
