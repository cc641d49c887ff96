"""LIBLINEAR's models as estimators and back: `from_liblinear` and `to_liblinear`."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.errors import ModelFileError
from maxmargin.estimators import LinearSVC, LinearSVR
from maxmargin.files import replacing
from maxmargin.persist.format.parameters import require_fitted
from maxmargin.persist.format.proofs import unproved
from maxmargin.persist.libsvm.header import (
    Header,
    header_text,
    joined,
    numbers_of,
    read_header,
    whole_labels,
)
from maxmargin.persist.libsvm.scaling import unscaled
from maxmargin.typing import Floats, Integers

__all__ = ["from_liblinear", "to_liblinear"]

_KEYS = ("solver_type", "nr_class", "label", "nr_feature", "bias", "rho")
_CRAMMER_SINGER = "MCSVM_CS"

#: LIBLINEAR's solvers: the estimator and the parameters of the machine that each fits.
_SOLVERS: dict[str, tuple[type[Any], dict[str, str]]] = {
    "L2R_L2LOSS_SVC_DUAL": (LinearSVC, {"loss": "squared_hinge"}),
    "L2R_L2LOSS_SVC": (LinearSVC, {"loss": "squared_hinge"}),
    "L2R_L1LOSS_SVC_DUAL": (LinearSVC, {"loss": "hinge"}),
    "L1R_L2LOSS_SVC": (LinearSVC, {"loss": "squared_hinge", "penalty": "l1"}),
    _CRAMMER_SINGER: (LinearSVC, {"multi_class": "crammer_singer"}),
    "L2R_L2LOSS_SVR": (LinearSVR, {"loss": "squared_epsilon_insensitive"}),
    "L2R_L2LOSS_SVR_DUAL": (LinearSVR, {"loss": "squared_epsilon_insensitive"}),
    "L2R_L1LOSS_SVR_DUAL": (LinearSVR, {"loss": "epsilon_insensitive"}),
}
_OTHERS = ("L2R_LR", "L1R_LR", "L2R_LR_DUAL", "ONECLASS_SVM")
_NO_PROOF = "A model from LIBLINEAR comes without its data and so without a proof: fit it here."


def from_liblinear(path: str | PathLike[str]) -> Any:
    r"""Load a model that LIBLINEAR's `train` wrote.

    Labels and values are those of LIBLINEAR's `predict`; of two classes the values have the sign of
    ``classes_[1]``. What the file does not hold has its default: C, epsilon and the certificate.

    Parameters
    ----------
    path : str or path
        The file. Models of logistic regression and of one class are refused.

    Returns
    -------
    LinearSVC or LinearSVR
        Fitted.

    Raises
    ------
    ModelFileError
        If the file is not such a model.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from maxmargin.persist import from_liblinear
    >>> text = "solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias 1\n"
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "train.model")
    ...     _ = path.write_text(text + "w\n0.5\n-2\n0.25\n")
    ...     machine = from_liblinear(path)
    >>> machine.coef_, machine.intercept_
    (array([[ 0.5, -2. ]]), array([0.25]))
    """
    try:
        return _estimator(*read_header(path, "w", _KEYS))
    except ModelFileError as error:
        raise ModelFileError(f"{fspath(path)} cannot be loaded: {error}") from None


def _estimator(header: Header, text: bytes) -> Any:
    solver = header.word("solver_type", (*_SOLVERS, *_OTHERS))
    if solver in _OTHERS:
        header.refuse("solver_type", f"says {solver}, a machine that this library does not have")
    kind, parameters = _SOLVERS[solver]
    n_classes, n_features = header.whole("nr_class", 2), header.whole("nr_feature", 1)
    bias = header.real("bias")
    single = n_classes == 2 and solver != _CRAMMER_SINGER
    weights = _weights(text, n_features + (bias >= 0), 1 if single else n_classes)
    model = kind(fit_intercept=bias >= 0, intercept_scaling=bias if bias > 0 else 1.0, **parameters)
    if kind is LinearSVC:
        labels = header.labels(n_classes)
        order = np.argsort(labels)
        model.classes_ = np.array(labels)[order]
        weights = _of_classes(weights, order)
    elif n_classes != 2:
        header.refuse("nr_class", "must say 2 without classes")
    coefficients = weights[:, :n_features].copy()
    model.coef_ = coefficients if kind is LinearSVC else coefficients[0]
    model.intercept_ = weights[:, n_features] * bias if bias >= 0 else 0.0
    model.n_features_in_ = n_features
    model.n_iter_ = 0
    model.solver_ = "coordinate-descent"
    model.fit_time_ = 0.0
    model._n_training_rows = 0
    model._machines = unproved(model, _NO_PROOF)
    return model


def _weights(text: bytes, n_rows: int, n_machines: int) -> Floats:
    """Return one row of weights per machine, from one line per feature."""
    words = text.split()
    if len(words) != n_rows * n_machines:
        raise ModelFileError(f"it has {len(words)} weights but announces {n_rows * n_machines}.")
    values = np.array(numbers_of(words, "its line w"))
    return np.ascontiguousarray(values.reshape(n_rows, n_machines).T)


def _of_classes(weights: Floats, order: Integers) -> Floats:
    """Return the weights of the classes in ascending order; of two classes, of the second."""
    if len(weights) == 1:
        return weights if order[0] == 1 else -weights
    weights = weights[order]
    return weights[1:] - weights[:1] if len(weights) == 2 else weights


def to_liblinear(
    model: Any,
    path: str | PathLike[str],
    *,
    ranges: str | PathLike[str] | None = None,
) -> None:
    """Save a fitted model in a file that LIBLINEAR's `predict` reads.

    Parameters
    ----------
    model : LinearSVC or LinearSVR
        With whole numbers for labels. Or a pipeline or search that ends in one, after scalers if
        `ranges` is given.
    path : str or path
        The file, which is replaced as a whole.
    ranges : str or path, optional
        A file for the scaling before the machine, which ``svm-scale -r`` applies to data.

    Raises
    ------
    ModelFileError
        If LIBLINEAR has no such model.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from maxmargin import LinearSVC
    >>> from maxmargin.persist import to_liblinear
    >>> machine = LinearSVC(fit_intercept=False).fit([[-1.0], [1.0]], [3, 7])
    >>> with TemporaryDirectory() as folder:
    ...     to_liblinear(machine, Path(folder, "train.model"))
    ...     print(Path(folder, "train.model").read_text().split("bias")[0])
    solver_type L2R_L2LOSS_SVC_DUAL
    nr_class 2
    label 7 3
    nr_feature 1
    <BLANKLINE>
    """
    model = unscaled(model, "LIBLINEAR", ranges)
    if type(model) not in (LinearSVC, LinearSVR):
        raise ModelFileError(
            f"LIBLINEAR has no {type(model).__name__}: it has LinearSVC and LinearSVR."
        )
    require_fitted(model)
    weights = model.coef_.toarray() if sparse.issparse(model.coef_) else np.atleast_2d(model.coef_)
    n_features = weights.shape[1]
    has_bias = bool(np.ndim(model.intercept_))
    if has_bias:
        weights = np.column_stack([weights, model.intercept_])
    labels = whole_labels(model.classes_, "LIBLINEAR") if isinstance(model, LinearSVC) else []
    solver = _solver(model)
    if len(labels) == 2:
        # LIBLINEAR's values are those of the first class, ours of the second.
        labels = labels[::-1]
        if solver == _CRAMMER_SINGER:
            weights = np.concatenate([weights, -weights]) / 2
    lines = {
        "solver_type": solver,
        "nr_class": len(labels) or 2,
        **({"label": joined(labels)} if labels else {}),
        "nr_feature": n_features,
        # The constant feature is 1, so that its weight is the intercept as it is.
        "bias": 1 if has_bias else -1,
    }
    with replacing(path) as new, new.open("wb") as file:
        file.write(header_text(lines, "w"))
        # LIBLINEAR's own lines end with a blank too.
        file.writelines(f"{joined(row)} \n".encode("ascii") for row in weights.T)


def _solver(model: Any) -> str:
    """Return the first solver that fits such a machine."""
    if isinstance(model, LinearSVC) and model.multi_class == "crammer_singer":
        return _CRAMMER_SINGER
    wanted = {"loss": model.loss}
    if isinstance(model, LinearSVC) and model.penalty == "l1":
        wanted["penalty"] = "l1"
    return next(name for name, found in _SOLVERS.items() if found == (type(model), wanted))
