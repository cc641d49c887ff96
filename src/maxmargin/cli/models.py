"""Files of models, data in their columns, and what is known about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline

from maxmargin import CalibratedSVC, SVMSearchCV, persist
from maxmargin.cli.data import Data, Layout, read_data
from maxmargin.cli.options import STDIO, DataOptions
from maxmargin.cli.output import Session
from maxmargin.errors import InvalidInputError
from maxmargin.estimators.base import KernelEstimator
from maxmargin.files import require_folder
from maxmargin.machines.machine import HasMachines
from maxmargin.persist.chains import chain
from maxmargin.persist.onnx.conversion import require_skl2onnx
from maxmargin.persist.saving import ModelFormat, format_of_file, format_of_name, save_as

__all__ = [
    *("LARGEST_GAP", "Model", "certificate_facts", "load_model", "model_format"),
    *("over_machines", "parts_of"),
    *("require_place", "save_model", "shortfall", "support_facts"),
]

#: The largest relative gap, if tol is smaller, of a fit that converged.
LARGEST_GAP = 1e-2

_NUMBERS = ("relative_gap", "kkt_violation", "feasibility", "primal", "dual")


def model_format(path: str) -> str | None:
    """Return the format of a model's file, None if it does not look like one."""
    return None if path == STDIO or not Path(path).is_file() else format_of_file(path)


def load_model(path: str) -> Model:
    """Load a model of this library, of LIBSVM or of LIBLINEAR."""
    return Model(persist.load(path), path, model_format(path) or "maxmargin")


def require_place(path: str) -> None:
    """Refuse a file that no model can be saved in, before it is fitted."""
    if format_of_name(path) == "onnx":
        require_skl2onnx()
    require_folder(path)


def save_model(
    session: Session, fitted: Any, path: str, kind: ModelFormat | None = None, *, proof: bool = True
) -> ModelFormat:
    """Save a model in the format that is given or that the name says, and return that.

    The steps before a machine of LIBSVM or LIBLINEAR go to a file of ranges.
    """
    kind = kind or format_of_name(path, fitted)
    ranges = str(Path(path).with_suffix(".range")) if kind.endswith("-model") else None
    if ranges is None or not chain(fitted)[0]:
        save_as(kind, fitted, path, proof=proof)
        return kind
    save_as(kind, fitted, path, ranges=ranges)
    session.note(
        f"The scaling is in {ranges}: scale data for {path} with svm-scale -r {ranges} DATA."
    )
    return kind


@dataclass(frozen=True)
class Model:
    """A fitted model, its file, and the file's format."""

    fitted: Any
    path: str
    format: str

    @property
    def layout(self) -> Layout:
        """The columns that the model expects."""
        names = getattr(self.fitted, "feature_names_in_", None)
        *_, machine = parts_of(self.fitted)
        kernel = getattr(machine, "kernel_", None)
        return Layout(
            None if names is None else [str(name) for name in names],
            getattr(self.fitted, "n_features_in_", None),
            kernel is not None and kernel.compares_sequences,
        )

    def read(self, source: DataOptions, *, with_target: bool) -> tuple[Any, Data]:
        """Return the fitted model, and data in its columns."""
        is_ours = self.format == "maxmargin"
        layout = self.layout if is_ours else replace(self.layout, n_features=None)
        data = read_data(source, layout, with_target=with_target)
        if with_target:
            data = replace(data, y=self._labels(data.required_y()))
        fitted, X = (self.fitted, data.X) if is_ours else self._aligned(data.X)
        if sparse.issparse(X) and not _takes_sparse(fitted):
            X = X.toarray()
        return fitted, replace(data, X=X)

    def _aligned(self, X: Any) -> tuple[Any, Any]:
        """Return a model of LIBSVM or LIBLINEAR and points with equal numbers of features.

        Their files leave out trailing features that are zero in all support vectors.
        """
        X = X.copy() if sparse.issparse(X) else np.asarray(X)
        d, width = self.fitted.n_features_in_, X.shape[1]
        if width < d and sparse.issparse(X):
            X.resize((X.shape[0], d))
        if width > d and self.format == "libsvm-model":
            return persist.from_libsvm(self.path, n_features=width), X
        return self.fitted, X[:, :d]

    def _labels(self, y: Any) -> Any:
        """Return the target with labels of the same type as the model's."""
        classes = getattr(self.fitted, "classes_", None)
        if classes is None or classes.dtype.kind == y.dtype.kind:
            return y
        if classes.dtype.kind in "UO":
            return y.astype(str)
        if y.dtype.kind in "US":
            raise InvalidInputError(
                f"The target holds text, such as {y[0]!r}, where the model's classes are "
                f"{', '.join(map(str, classes[:5]))}: name the target with --target."
            )
        return y


def _takes_sparse(fitted: Any) -> bool:
    """Return whether a model was fitted to sparse data."""
    parts = list(parts_of(fitted))
    centring = ("with_mean", "with_centering")
    if any(getattr(part, name, False) for part in parts for name in centring):
        return False
    vectors = getattr(parts[-1], "support_vectors_", None)
    return vectors is None or sparse.issparse(vectors)


def parts_of(model: Any) -> Iterator[Any]:
    """Return a model and the fitted models inside it, the machine last."""
    yield model
    if isinstance(model, SVMSearchCV):
        yield from parts_of(model.best_estimator_)
    elif isinstance(model, Pipeline):
        yield from (step for _, step in model.steps[:-1] if not isinstance(step, str))
        yield from parts_of(model.steps[-1][1])
    elif isinstance(model, CalibratedSVC):
        yield from parts_of(model.estimator_)


def certificate_facts(machine: Any) -> dict[str, Any]:
    """Return what is proved, or why nothing is."""
    if not isinstance(machine, HasMachines):
        return {"missing": f"A {type(machine).__name__} comes without a certificate."}
    try:
        found = machine.certificate_
    except (InvalidInputError, AttributeError, MemoryError) as error:
        return {"missing": str(error)}
    machines = [
        {"classes": list(part.classes)}
        | {name: getattr(part, name) for name in (*_NUMBERS, "n_free", "n_bounded")}
        for part in found.machines
    ]
    facts = {name: getattr(found, name) for name in (*_NUMBERS, "claim")}
    convex = all(part.convexity.holds for part in found.machines)
    return {**facts, "convex": convex, "machines": machines}


def shortfall(machine: Any, certificate: dict[str, Any]) -> str:
    """Return a sentence on a fit whose certificate is poor, or nothing.

    The tolerance of a kernel machine is about the KKT conditions, which can hold up to it while the
    objective is far from the optimum. An indefinite kernel has no such gap.
    """
    limit = max(LARGEST_GAP, getattr(machine, "tol", None) or 0.0)
    gap = abs(certificate.get("relative_gap", 0.0))
    if gap <= limit or not certificate["convex"]:
        return ""
    return (
        f"The fit did not reach the optimum: its relative gap is {gap:.3g}, more than {limit:g}. "
        "Scale the features (--scale), or lower --C."
    )


def over_machines(support: dict[str, Any]) -> str:
    """Return what counts of free and bounded points are sums over, if there are several machines.

    They need not add up to the number of support vectors, because a point can be one of several
    machines.
    """
    n = support["n_machines"]
    if n == 1:
        return ""
    return f", counted once in each of {n} machines"


def support_facts(machine: Any, certificate: dict[str, Any]) -> dict[str, Any]:
    """Return the numbers of support vectors; nothing for a linear machine.

    The certificate tells which of them are free and which bounded. A point can be a support vector
    of several machines, so these two are sums over the machines.
    """
    if not isinstance(machine, KernelEstimator):
        return {}
    n_support, n_points = len(machine.support_), int(machine.shape_fit_[0])
    facts: dict[str, Any] = {"n_support": n_support, "n_points": n_points}
    facts["fraction"] = n_support / n_points
    if is_classifier(machine):
        counts = zip(machine.classes_.tolist(), machine.n_support_.tolist(), strict=True)
        facts["by_class"] = {str(label): count for label, count in counts}
    if "machines" in certificate:
        facts["free"] = sum(part["n_free"] for part in certificate["machines"])
        facts["bounded"] = sum(part["n_bounded"] for part in certificate["machines"])
        facts["n_machines"] = len(certificate["machines"])
    return facts
