"""LIBSVM's models as estimators and back: `from_libsvm` and `to_libsvm`.

LIBSVM numbers classes as they occur in the data, and the first class of a pair is positive. Here
classes ascend, so the machines of a model are put into another order.
"""

from __future__ import annotations

from dataclasses import replace
from os import PathLike, fspath
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier

from maxmargin.errors import InvalidInputError, ModelFileError
from maxmargin.estimators import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from maxmargin.files import replacing
from maxmargin.kernels import RBF, Kernel, Linear, Polynomial, Precomputed, Sigmoid
from maxmargin.machines.training import aligned
from maxmargin.persist.format.parameters import require_fitted
from maxmargin.persist.format.proofs import unproved
from maxmargin.persist.libsvm.header import Header, header_text, joined, read_header, whole_labels
from maxmargin.persist.libsvm.pairs import Pairs, read_vectors, vector_lines
from maxmargin.persist.libsvm.scaling import unscaled
from maxmargin.streams.base import positive_whole

__all__ = ["from_libsvm", "to_libsvm"]

_ESTIMATORS: dict[str, type[Any]] = {
    "c_svc": SVC,
    "nu_svc": NuSVC,
    "one_class": OneClassSVM,
    "epsilon_svr": SVR,
    "nu_svr": NuSVR,
}
#: LIBSVM's kernels: the class, its name as a parameter, and the lines with its parameters.
_KERNELS: dict[str, tuple[type[Kernel], str, tuple[str, ...]]] = {
    "linear": (Linear, "linear", ()),
    "polynomial": (Polynomial, "poly", ("degree", "gamma", "coef0")),
    "rbf": (RBF, "rbf", ("gamma",)),
    "sigmoid": (Sigmoid, "sigmoid", ("gamma", "coef0")),
    "precomputed": (Precomputed, "precomputed", ()),
}
_KEYS = (
    *("svm_type", "kernel_type", "degree", "gamma", "coef0", "nr_class", "total_sv", "rho"),
    *("label", "probA", "probB", "prob_density_marks", "nr_sv"),
)
_NO_PROOF = "A model from LIBSVM comes without its data and so without a proof: fit it here."


def from_libsvm(
    path: str | PathLike[str], *, n_features: int | None = None, zero_based: bool = False
) -> Any:
    r"""Load a model that LIBSVM's `svm-train` wrote.

    Labels and values are those of `svm-predict`. What the file does not hold has its default: C
    and nu, which points of the training data the support vectors are (`support_` counts them),
    and the certificate.

    Parameters
    ----------
    path : str or path
        The file.
    n_features : int, optional
        Columns of the data to predict; by default the largest index of a support vector. With a
        precomputed kernel the number of training points.
    zero_based : bool
        Whether indices begin at 0 instead of 1.

    Returns
    -------
    SVC, NuSVC, OneClassSVM, SVR or NuSVR
        Fitted.

    Raises
    ------
    ModelFileError
        If the file is not a model.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from maxmargin.persist import from_libsvm
    >>> text = "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0\n"
    >>> text += "label 1 -1\nnr_sv 1 1\nSV\n0.5 1:1\n-0.5 1:-1\n"
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "train.model")
    ...     _ = path.write_text(text)
    ...     machine = from_libsvm(path)
    >>> machine.predict([[3.0], [-2.0]]), machine.decision_function([[3.0]])
    (array([ 1, -1]), array([3.]))
    """
    asked = None if n_features is None else positive_whole(n_features, "n_features")
    try:
        return _estimator(*read_header(path, "SV", _KEYS), asked, 0 if zero_based else 1)
    except ModelFileError as error:
        raise ModelFileError(f"{fspath(path)} cannot be loaded: {error}") from None


def _estimator(header: Header, text: bytes, n_features: int | None, first_index: int) -> Any:
    kind = _ESTIMATORS[header.word("svm_type", _ESTIMATORS)]
    kernel_kind, name, keys = _KERNELS[header.word("kernel_type", _KERNELS)]
    parameters: dict[str, Any] = {
        key: header.whole(key, 1) if key == "degree" else header.real(key) for key in keys
    }
    model = kind(kernel=name, **parameters)
    try:
        model.kernel_ = kernel_kind(**parameters)
    except InvalidInputError as error:
        raise ModelFileError(f"its kernel is impossible: {error}") from None
    first_index = 0 if name == "precomputed" else first_index
    machines, labels = _read_machines(model, header, text, first_index)
    model.n_iter_ = 0
    if labels:
        order = np.argsort(labels)
        machines = machines.reordered(order)
        model.classes_ = np.array(labels)[order]
        model.class_weight_ = np.ones(len(labels))
        model._pairwise = True
        # Of classes with equal votes LIBSVM takes the first in its own order.
        model._preference = np.argsort(order)
        model._sigmoids = machines.sigmoids
        if machines.sigmoids is not None:
            model.probability = True
        model.n_iter_ = np.zeros(len(machines.intercepts), dtype=np.int32)
    _set_vectors(model, machines, n_features)
    model.fit_status_ = 0
    model.fit_time_ = 0.0
    model._dual_coef_ = machines.coefficients
    model._intercept_ = machines.intercepts
    model._n_support = machines.n_support.astype(np.int32)
    model._machines = unproved(model, _NO_PROOF)
    if isinstance(model, OneClassSVM):
        model._scale = 0.0
    model._publish()
    return model


def _read_machines(
    model: Any, header: Header, text: bytes, first_index: int
) -> tuple[Pairs, list[int]]:
    """Return the machines of a file, and the labels of their classes."""
    n_classes, n_vectors = header.whole("nr_class", 2), header.whole("total_sv", 0)
    n_machines = n_classes * (n_classes - 1) // 2
    rho = np.array(header.reals("rho", n_machines))
    labels, n_support, sigmoids = [], [n_vectors], None
    if is_classifier(model):
        labels, n_support = header.labels(n_classes), header.wholes("nr_sv", n_classes, 0)
        if sum(n_support) != n_vectors:
            raise ModelFileError("its lines nr_sv and total_sv contradict each other.")
        if "probA" in header and "probB" in header:
            sigmoids = np.array([header.reals(key, n_machines) for key in ("probA", "probB")])
    elif n_classes != 2:
        header.refuse("nr_class", "must say 2 without classes")
    vectors = read_vectors(text, n_classes - 1, n_vectors, first_index)
    return Pairs(-rho + 0.0, *vectors, np.array(n_support), sigmoids), labels


def _set_vectors(model: Any, machines: Pairs, n_features: int | None) -> None:
    precomputed, n_vectors = isinstance(model.kernel_, Precomputed), machines.vectors.shape[0]
    support = machines.serials if precomputed else np.arange(n_vectors)
    needed = int(support.max(initial=0)) + 1 if precomputed else max(1, machines.vectors.shape[1])
    width = needed if n_features is None else n_features
    if width < needed:
        raise ModelFileError(f"n_features is {n_features}, but the model has {needed} features.")
    vectors = machines.vectors.copy()
    vectors.resize((n_vectors, width))
    model.support_ = support.astype(np.int32)
    model.support_vectors_ = np.empty((0, 0)) if precomputed else aligned(vectors)
    model._sparse = not precomputed
    model.n_features_in_ = width
    model._n_training_rows = width if precomputed else max(1, n_vectors)
    model.shape_fit_ = (model._n_training_rows, width)


def to_libsvm(
    model: Any,
    path: str | PathLike[str],
    *,
    ranges: str | PathLike[str] | None = None,
) -> None:
    """Save a fitted model in a file that LIBSVM's `svm-predict` reads.

    Every number is written in full, so decision values agree up to rounding.

    Parameters
    ----------
    model : SVC, NuSVC, OneClassSVM, SVR or NuSVR
        With one machine per pair of classes, whole numbers for labels, and a kernel that LIBSVM
        has: linear, polynomial, Gaussian, tanh or precomputed. Or a pipeline or search that ends in
        one, after scalers if `ranges` is given.
    path : str or path
        The file, which is replaced as a whole.
    ranges : str or path, optional
        A file for the scaling before the machine, which ``svm-scale -r`` applies to data.

    Raises
    ------
    ModelFileError
        If LIBSVM has no such model.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from maxmargin import SVC
    >>> from maxmargin.persist import to_libsvm
    >>> machine = SVC(kernel="linear").fit([[-1.0], [1.0]], [-1, 1])
    >>> with TemporaryDirectory() as folder:
    ...     to_libsvm(machine, Path(folder, "train.model"))
    ...     print(Path(folder, "train.model").read_text().splitlines()[-2:])
    ['0.5 1:-1', '-0.5 1:1']
    """
    model = unscaled(model, "LIBSVM", ranges)
    svm_type = {kind: name for name, kind in _ESTIMATORS.items()}.get(type(model))
    if svm_type is None:
        raise ModelFileError(
            f"LIBSVM has no {type(model).__name__}: it has SVC, NuSVC, OneClassSVM, SVR and NuSVR."
        )
    require_fitted(model)
    names = {kind: name for name, (kind, _, _) in _KERNELS.items()}
    kernel = model.kernel_
    if type(kernel) not in names:
        raise ModelFileError(
            f"LIBSVM has no kernel {kernel!r}: it has linear, poly, rbf, sigmoid and precomputed."
        )
    machines, labels = _machines_of(model)
    lines = {"svm_type": svm_type, "kernel_type": names[type(kernel)]}
    lines |= {key: joined([getattr(kernel, key)]) for key in _KERNELS[lines["kernel_type"]][2]}
    lines["nr_class"] = str(len(machines.coefficients) + 1)
    lines["total_sv"] = str(machines.coefficients.shape[1])
    lines["rho"] = joined(-machines.intercepts + 0.0)
    if labels:
        lines["label"] = joined(labels)
        if machines.sigmoids is not None:
            lines["probA"], lines["probB"] = map(joined, machines.sigmoids)
        lines["nr_sv"] = joined(machines.n_support.tolist())
    with replacing(path) as new, new.open("wb") as file:
        file.write(header_text(lines, "SV"))
        file.writelines(vector_lines(machines, 0 if isinstance(kernel, Precomputed) else 1))


def _machines_of(model: Any) -> tuple[Pairs, list[int]]:
    """Return the machines of a model, and its classes in the order that decides ties."""
    precomputed = isinstance(model.kernel_, Precomputed)
    vectors = model.support_[:, None] + 1.0 if precomputed else model.support_vectors_
    vectors = sparse.csr_array(vectors, dtype=np.float64)
    machines = Pairs(model._intercept_, model._dual_coef_, vectors, model._n_support)
    if not is_classifier(model):
        return machines, []
    if not model._pairwise:
        raise ModelFileError(
            "LIBSVM has one machine per pair of classes: fit with multi_class='ovo'."
        )
    machines = replace(machines, sigmoids=model._sigmoids)
    labels, order = whole_labels(model.classes_, "LIBSVM"), model._preference
    if order is None:
        return machines, labels
    return machines.reordered(order), [labels[c] for c in order]
