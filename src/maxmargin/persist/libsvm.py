"""LIBSVM's models as estimators and back: `from_libsvm` and `to_libsvm`."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.errors import ModelFileError
from maxmargin.estimators import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from maxmargin.estimators.proof import Proof
from maxmargin.estimators.training import aligned
from maxmargin.kernels import RBF, Kernel, Linear, Polynomial, Precomputed, Sigmoid
from maxmargin.persist.class_order import Machines
from maxmargin.persist.labels import whole_labels
from maxmargin.persist.libsvm_text import (
    CLASSIFIERS,
    LibsvmModel,
    read_model,
    serials,
    write_model,
)
from maxmargin.persist.parameters import require_fitted
from maxmargin.streams.base import positive_whole

__all__ = ["from_libsvm", "to_libsvm"]

_ESTIMATORS: dict[str, type[Any]] = {
    "c_svc": SVC,
    "nu_svc": NuSVC,
    "one_class": OneClassSVM,
    "epsilon_svr": SVR,
    "nu_svr": NuSVR,
}
_KERNELS: dict[type[Kernel], str] = {
    Linear: "linear",
    Polynomial: "poly",
    RBF: "rbf",
    Sigmoid: "sigmoid",
    Precomputed: "precomputed",
}
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
        held = read_model(path, zero_based=zero_based)
        return _estimator(held, asked)
    except ModelFileError as error:
        raise ModelFileError(f"{fspath(path)} cannot be loaded: {error}") from None


def _estimator(held: LibsvmModel, n_features: int | None) -> Any:
    kernel: Any = held.kernel
    parameters = {
        name: getattr(kernel, name) for name in ("gamma", "coef0", "degree") if name in vars(kernel)
    }
    model = _ESTIMATORS[held.svm_type](kernel=_KERNELS[type(kernel)], **parameters)
    precomputed = isinstance(kernel, Precomputed)
    support = serials(held) if precomputed else np.arange(held.vectors.shape[0])
    width = int(support.max(initial=0)) + 1 if precomputed else max(1, held.vectors.shape[1])
    if n_features is not None and n_features < width:
        raise ModelFileError(f"n_features is {n_features}, but the model has {width} features.")
    width = width if n_features is None else n_features
    vectors = held.vectors.copy()
    if not precomputed:
        vectors.resize((len(support), width))
    n_support = np.array([len(support)] if held.n_support is None else held.n_support)
    machines = Machines(
        held.coefficients, -held.rho + 0.0, n_support, support, vectors, held.sigmoids
    )
    if held.labels is not None:
        machines = _sort_classes(model, held.labels, machines)
        model.n_iter_ = np.zeros(len(machines.intercepts), dtype=np.int32)
    else:
        model.n_iter_ = 0
    _keep(model, kernel, machines, width)
    return model


def _sort_classes(model: Any, labels: list[int], machines: Machines) -> Machines:
    """Set what only classifiers have; return the machines of classes that ascend."""
    order = np.argsort(labels)
    model.classes_ = np.array(labels)[order]
    model.class_weight_ = np.ones(len(labels))
    model._pairwise = True
    # Of classes with equal votes LIBSVM takes the first in its own order.
    model._preference = np.argsort(order)
    machines = machines.reordered(order)
    model._sigmoids = machines.sigmoids
    if machines.sigmoids is not None:
        model.probability = True
    return machines


def _keep(model: Any, kernel: Kernel, machines: Machines, width: int) -> None:
    precomputed = isinstance(kernel, Precomputed)
    model.kernel_ = kernel
    model.n_features_in_ = width
    model.shape_fit_ = (width if precomputed else max(1, len(machines.support)), width)
    model.fit_status_ = 0
    model.fit_time_ = 0.0
    model._sparse = not precomputed
    model._dual_coef_ = machines.coefficients
    model._intercept_ = machines.intercepts
    model._n_support = machines.n_support.astype(np.int32)
    model.support_ = (machines.support if precomputed else np.arange(len(machines.support))).astype(
        np.int32
    )
    model.support_vectors_ = np.empty((0, 0)) if precomputed else aligned(machines.vectors)
    model._proof = Proof.missing(_NO_PROOF)
    if isinstance(model, OneClassSVM):
        model._scale = 0.0
    model._publish()


def to_libsvm(model: Any, path: str | PathLike[str]) -> None:
    """Save a fitted model in a file that LIBSVM's `svm-predict` reads.

    Every number is written in full, so decision values agree up to rounding.

    Parameters
    ----------
    model : SVC, NuSVC, OneClassSVM, SVR or NuSVR
        With one machine a pair of classes, whole numbers for labels, and a kernel that LIBSVM has:
        linear, polynomial, Gaussian, tanh or precomputed.
    path : str or path
        The file, which is replaced as a whole.

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
    svm_type = {kind: name for name, kind in _ESTIMATORS.items()}.get(type(model))
    if svm_type is None:
        raise ModelFileError(
            f"LIBSVM has no {type(model).__name__}: it has SVC, NuSVC, OneClassSVM, SVR and NuSVR."
        )
    require_fitted(model)
    kernel = model.kernel_
    if type(kernel) not in _KERNELS:
        raise ModelFileError(
            f"LIBSVM has no kernel {kernel!r}: it has linear, poly, rbf, sigmoid and precomputed."
        )
    machines = _machines(model)
    labels = n_support = None
    if svm_type in CLASSIFIERS:
        labels = _labels(model)
        preference = model._preference
        if preference is not None:
            machines = machines.reordered(preference)
            labels = [labels[c] for c in preference]
        n_support = machines.n_support.tolist()
    write_model(
        LibsvmModel(
            svm_type,
            kernel,
            -machines.intercepts + 0.0,
            machines.coefficients,
            machines.vectors,
            labels,
            n_support,
            machines.sigmoids,
        ),
        path,
    )


def _machines(model: Any) -> Machines:
    if isinstance(model.kernel_, Precomputed):
        serial = np.asarray(model.support_, np.float64)[:, None] + 1.0
        vectors = sparse.csr_array(serial)
    else:
        vectors = sparse.csr_array(model.support_vectors_, dtype=np.float64)
    sigmoids = model._sigmoids if isinstance(model, SVC | NuSVC) else None
    return Machines(
        model._dual_coef_,
        model._intercept_,
        model._n_support,
        model.support_,
        vectors,
        sigmoids,
    )


def _labels(model: Any) -> list[int]:
    if not model._pairwise:
        raise ModelFileError(
            "LIBSVM has one machine a pair of classes: fit with multi_class='ovo'."
        )
    return whole_labels(model.classes_, "LIBSVM")
