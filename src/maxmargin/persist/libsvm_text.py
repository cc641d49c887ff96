"""LIBSVM's model files, as `svm_save_model` writes and `svm_load_model` reads them.

Values of support vectors are written in full, where LIBSVM itself keeps eight digits of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInputError, ModelFileError
from maxmargin.files import replacing
from maxmargin.kernels import RBF, Kernel, Linear, Polynomial, Precomputed, Sigmoid
from maxmargin.persist.model_text import Header, numbers_of, read_text, reals, shortest
from maxmargin.streams.text import NO_QUERY, Format, FormatError, formatted, parse
from maxmargin.typing import Floats, Integers

__all__ = ["CLASSIFIERS", "LibsvmModel", "read_model", "serials", "write_model"]

CLASSIFIERS = ("c_svc", "nu_svc")
_TYPES = (*CLASSIFIERS, "one_class", "epsilon_svr", "nu_svr")
_KERNELS: dict[str, type[Kernel]] = {
    "linear": Linear,
    "polynomial": Polynomial,
    "rbf": RBF,
    "sigmoid": Sigmoid,
    "precomputed": Precomputed,
}
_KEYS = (
    *("svm_type", "kernel_type", "degree", "gamma", "coef0", "nr_class", "total_sv", "rho"),
    *("label", "probA", "probB", "prob_density_marks", "nr_sv"),
)
_SMALLEST_LABEL = -(2**31)
_ENTRIES = 1 << 18


@dataclass(frozen=True, eq=False)
class LibsvmModel:
    """A model as its file has it.

    Attributes
    ----------
    svm_type : str
        c_svc, nu_svc, one_class, epsilon_svr or nu_svr.
    kernel : Kernel
        One of the five that LIBSVM has.
    rho : ndarray of shape (n_machines,)
        Subtracted from the values; one a pair of classes in the order of the labels.
    coefficients : ndarray of shape (n_classes - 1, n_vectors)
        A vector of class c has in row r its coefficient against the r-th of the other classes.
    vectors : csr_array of shape (n_vectors, n_features)
        With a precomputed kernel column 0 holds the serial number of each.
    labels, n_support : list of int, optional
        Of the classes.
    sigmoids : ndarray of shape (2, n_machines), optional
        probA and probB.
    """

    svm_type: str
    kernel: Kernel
    rho: Floats
    coefficients: Floats
    vectors: sparse.csr_array
    labels: list[int] | None = None
    n_support: list[int] | None = None
    sigmoids: Floats | None = None


def read_model(path: str | PathLike[str], *, zero_based: bool = False) -> LibsvmModel:
    """Read and check a file."""
    header, text = read_text(path, b"SV", _KEYS)
    svm_type = header.word("svm_type", _TYPES)
    kernel = _kernel(header)
    n_classes = header.whole("nr_class", 2)
    n_vectors = header.whole("total_sv", 0)
    n_machines = n_classes * (n_classes - 1) // 2
    rho = np.array(header.reals("rho", n_machines))
    labels = n_support = sigmoids = None
    if svm_type in CLASSIFIERS:
        labels = header.wholes("label", n_classes, _SMALLEST_LABEL)
        n_support = header.wholes("nr_sv", n_classes, 0)
        if len(set(labels)) != n_classes or sum(n_support) != n_vectors:
            raise ModelFileError("its lines label, nr_sv and total_sv contradict each other.")
        if header.has("probA") and header.has("probB"):
            sigmoids = np.array([header.reals(key, n_machines) for key in ("probA", "probB")])
    elif n_classes != 2:
        header.refuse("nr_class", "must say 2 without classes")
    first = 0 if zero_based or isinstance(kernel, Precomputed) else 1
    coefficients, vectors = _vectors(text, n_classes - 1, n_vectors, first)
    return LibsvmModel(svm_type, kernel, rho, coefficients, vectors, labels, n_support, sigmoids)


def _kernel(header: Header) -> Kernel:
    kind = _KERNELS[header.word("kernel_type", _KERNELS)]
    try:
        if kind in (Linear, Precomputed):
            return kind()
        gamma = header.real("gamma")
        if kind is RBF:
            return RBF(gamma)
        coef0 = header.real("coef0")
        if kind is Sigmoid:
            return Sigmoid(gamma, coef0)
        return Polynomial(gamma, coef0, header.whole("degree", 1))
    except InvalidInputError as error:
        raise ModelFileError(f"its kernel is impossible: {error}") from None


def _vectors(
    text: bytes, n_rows: int, n_vectors: int, first_index: int
) -> tuple[Floats, sparse.csr_array]:
    """Return the coefficients and the support vectors, a line each."""
    lines = text.split(b"\n")
    while lines and not lines[-1].strip():
        lines.pop()
    if len(lines) != n_vectors:
        raise ModelFileError(f"it has {len(lines)} support vectors where it announces {n_vectors}.")
    heads: list[list[bytes]] = []
    if n_rows > 1:
        # The last coefficient stays with the entries, as the label of a row of data does.
        parts = [line.split(None, n_rows - 1) for line in lines]
        if any(len(part) != n_rows for part in parts):
            raise ModelFileError("it has a support vector without all its coefficients.")
        heads = [part[:-1] for part in parts]
        text = b"\n".join(part[-1] for part in parts)
    try:
        found = parse(text, Format(None, first_index, np.float64))
    except FormatError as fault:
        raise ModelFileError(f"its support vectors cannot be read: {fault.what}") from None
    if found.n_rows != n_vectors or b"#" in text or (found.queries != NO_QUERY).any():
        raise ModelFileError("its support vectors cannot be read: they are no rows of numbers.")
    coefficients = np.empty((n_rows, n_vectors))
    coefficients[-1] = found.labels
    for row in range(n_rows - 1):
        tokens = [head[row] for head in heads]
        coefficients[row] = numbers_of(tokens, "a support vector")
    return coefficients, found.matrix(found.widest)


def write_model(model: LibsvmModel, path: str | PathLike[str]) -> None:
    """Write a model in the place of the file."""
    with replacing(path) as new, new.open("wb") as file:
        file.write("".join(f"{line}\n" for line in _header_lines(model)).encode("ascii"))
        for block in _blocks(model):
            file.write(block)


def _header_lines(model: LibsvmModel) -> Iterator[str]:
    kernel: Any = model.kernel
    (name,) = (name for name, kind in _KERNELS.items() if kind is type(kernel))
    yield f"svm_type {model.svm_type}"
    yield f"kernel_type {name}"
    if isinstance(kernel, Polynomial):
        yield f"degree {kernel.degree}"
    if isinstance(kernel, Polynomial | RBF | Sigmoid):
        yield f"gamma {shortest(kernel.gamma)}"  # type: ignore[arg-type]
    if isinstance(kernel, Polynomial | Sigmoid):
        yield f"coef0 {shortest(kernel.coef0)}"
    yield f"nr_class {len(model.coefficients) + 1}"
    yield f"total_sv {model.coefficients.shape[1]}"
    yield f"rho {reals(model.rho)}"
    if model.labels is not None and model.n_support is not None:
        yield f"label {' '.join(map(str, model.labels))}"
        if model.sigmoids is not None:
            yield f"probA {reals(model.sigmoids[0])}"
            yield f"probB {reals(model.sigmoids[1])}"
        yield f"nr_sv {' '.join(map(str, model.n_support))}"
    yield "SV"


def _blocks(model: LibsvmModel) -> Iterator[bytes]:
    *others, last = model.coefficients
    first_index = 0 if isinstance(model.kernel, Precomputed) else 1
    longest = int(np.diff(model.vectors.indptr).max(initial=1))
    step = max(1, _ENTRIES // (longest + len(others)))
    for begin in range(0, len(last), step):
        part = slice(begin, begin + step)
        text = formatted(model.vectors[part], last[part], None, first_index)
        if others:
            heads = np.array([row[part] for row in others]).T
            lines = zip(heads, text.splitlines(keepends=True), strict=True)
            text = b"".join(f"{reals(head)} ".encode("ascii") + line for head, line in lines)
        yield text


def serials(model: LibsvmModel) -> Integers:
    """Return which training point each support vector of a precomputed kernel is, from 0."""
    vectors = model.vectors
    whole = (
        vectors.shape[1] <= 1
        and vectors.nnz == vectors.shape[0]
        and (vectors.data == np.floor(vectors.data)).all()
        and vectors.data.min(initial=1) >= 1
        and vectors.data.max(initial=1) < 2**31
    )
    if not whole:
        raise ModelFileError("its support vectors have no serial numbers.")
    found: Integers = vectors.data.astype(np.int64) - 1
    return found
