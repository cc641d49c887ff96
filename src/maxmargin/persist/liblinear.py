"""LIBLINEAR's models as estimators and back: `from_liblinear` and `to_liblinear`."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike, fspath
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.errors import ModelFileError
from maxmargin.estimators import LinearSVC, LinearSVR
from maxmargin.estimators.proof import Proof
from maxmargin.files import replacing
from maxmargin.persist.labels import whole_labels
from maxmargin.persist.model_text import Header, numbers_of, read_text, reals, shortest
from maxmargin.persist.parameters import require_fitted
from maxmargin.typing import Floats

__all__ = ["from_liblinear", "to_liblinear"]

_KEYS = ("solver_type", "nr_class", "label", "nr_feature", "bias", "rho")
_CRAMMER_SINGER = "MCSVM_CS"

#: LIBLINEAR's solvers and the parameters of the machine that each fits.
_CLASSIFIERS: dict[str, dict[str, str]] = {
    "L2R_L2LOSS_SVC_DUAL": {"loss": "squared_hinge"},
    "L2R_L2LOSS_SVC": {"loss": "squared_hinge"},
    "L2R_L1LOSS_SVC_DUAL": {"loss": "hinge"},
    "L1R_L2LOSS_SVC": {"loss": "squared_hinge", "penalty": "l1"},
    _CRAMMER_SINGER: {"loss": "squared_hinge", "multi_class": "crammer_singer"},
}
_REGRESSORS: dict[str, dict[str, str]] = {
    "L2R_L2LOSS_SVR": {"loss": "squared_epsilon_insensitive"},
    "L2R_L2LOSS_SVR_DUAL": {"loss": "squared_epsilon_insensitive"},
    "L2R_L1LOSS_SVR_DUAL": {"loss": "epsilon_insensitive"},
}
_OTHERS = ("L2R_LR", "L1R_LR", "L2R_LR_DUAL", "ONECLASS_SVM")
_NO_PROOF = "A model from LIBLINEAR comes without its data and so without a proof: fit it here."
_SMALLEST_LABEL = -(2**31)


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
        header, text = read_text(path, b"w", _KEYS)
        return _estimator(header, text)
    except ModelFileError as error:
        raise ModelFileError(f"{fspath(path)} cannot be loaded: {error}") from None


def _estimator(header: Header, text: bytes) -> Any:
    solver = header.word("solver_type", (*_CLASSIFIERS, *_REGRESSORS, *_OTHERS))
    if solver in _OTHERS:
        header.refuse("solver_type", f"says {solver}, a machine that this library does not have")
    n_classes = header.whole("nr_class", 2)
    n_features = header.whole("nr_feature", 1)
    bias = header.real("bias")
    single = n_classes == 2 and solver != _CRAMMER_SINGER
    weights = _weights(text, n_features + (bias >= 0), 1 if single else n_classes)
    options = {"fit_intercept": bias >= 0, "intercept_scaling": bias if bias > 0 else 1.0}
    if solver in _REGRESSORS:
        if n_classes != 2:
            header.refuse("nr_class", "must say 2 without classes")
        model: Any = LinearSVR(**_REGRESSORS[solver], **options)  # type: ignore[arg-type]
    else:
        model = LinearSVC(**_CLASSIFIERS[solver], **options)  # type: ignore[arg-type]
        labels = header.wholes("label", n_classes, _SMALLEST_LABEL)
        if len(set(labels)) != n_classes:
            header.refuse("label", "has a class twice")
        order = np.argsort(labels)
        model.classes_ = np.array(labels)[order]
        weights = _of_classes(weights, order)
    coefficients = weights[:, :n_features]
    model.coef_ = coefficients[0].copy() if solver in _REGRESSORS else coefficients.copy()
    model.intercept_ = weights[:, n_features] * bias if bias >= 0 else 0.0
    model.n_features_in_ = n_features
    model.n_iter_ = 0
    model.solver_ = "coordinate-descent"
    model.fit_time_ = 0.0
    model._proof = Proof.missing(_NO_PROOF)
    return model


def _weights(text: bytes, n_rows: int, n_machines: int) -> Floats:
    """Return one row of weights a machine, from one line a feature."""
    tokens = text.split()
    if len(tokens) != n_rows * n_machines:
        raise ModelFileError(
            f"it has {len(tokens)} weights where it announces {n_rows * n_machines}."
        )
    values = np.array(numbers_of(tokens, "its line w"))
    return np.ascontiguousarray(values.reshape(n_rows, n_machines).T)


def _of_classes(weights: Floats, order: Any) -> Floats:
    """Return the weights of classes that ascend; of two, those of the second one."""
    if len(weights) == 1:
        return weights if order[0] == 1 else -weights
    weights = weights[order]
    return weights[1:] - weights[:1] if len(weights) == 2 else weights


def to_liblinear(model: Any, path: str | PathLike[str]) -> None:
    """Save a fitted model in a file that LIBLINEAR's `predict` reads.

    Parameters
    ----------
    model : LinearSVC or LinearSVR
        With whole numbers for labels.
    path : str or path
        The file, which is replaced as a whole.

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
    if type(model) not in (LinearSVC, LinearSVR):
        raise ModelFileError(
            f"LIBLINEAR has no {type(model).__name__}: it has LinearSVC and LinearSVR."
        )
    require_fitted(model)
    lines = _lines(model)
    with replacing(path) as new, new.open("w", encoding="ascii", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)


def _lines(model: Any) -> Iterator[str]:
    weights = model.coef_.toarray() if sparse.issparse(model.coef_) else np.atleast_2d(model.coef_)
    n_features = weights.shape[1]
    # The bias of the file is 1, so that its weight is the intercept as it is.
    has_bias = bool(np.ndim(model.intercept_))
    if has_bias:
        weights = np.column_stack([weights, model.intercept_])
    solver, labels, weights = _form(model, weights)
    yield f"solver_type {solver}"
    yield f"nr_class {2 if labels is None else len(labels)}"
    if labels is not None:
        yield f"label {' '.join(map(str, labels))}"
    yield f"nr_feature {n_features}"
    yield f"bias {shortest(1.0 if has_bias else -1.0)}"
    yield "w"
    for row in weights.T:
        # LIBLINEAR's own lines end with a blank too.
        yield f"{reals(row)} "


def _form(model: Any, weights: Floats) -> tuple[str, list[int] | None, Floats]:
    """Return the solver that fits such a machine, the labels, and the weights in their order."""
    if isinstance(model, LinearSVR):
        return _named(_REGRESSORS, {"loss": model.loss}), None, weights
    labels = whole_labels(model.classes_, "LIBLINEAR")
    if model.multi_class == "crammer_singer":
        if len(labels) > 2:
            return _CRAMMER_SINGER, labels, weights
        return _CRAMMER_SINGER, labels[::-1], np.concatenate([weights, -weights]) / 2
    wanted = {"loss": model.loss}
    if model.penalty == "l1":
        wanted["penalty"] = "l1"
    # LIBLINEAR's values are those of the first class, ours of the second.
    return _named(_CLASSIFIERS, wanted), labels[::-1] if len(labels) == 2 else labels, weights


def _named(solvers: dict[str, dict[str, str]], wanted: dict[str, str]) -> str:
    return next(name for name, parameters in solvers.items() if parameters == wanted)
