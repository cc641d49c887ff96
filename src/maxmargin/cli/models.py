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
from maxmargin.errors import InvalidInputError, ModelFileError
from maxmargin.estimators.base import KernelEstimator
from maxmargin.machines.machine import HasMachines

__all__ = ["Model", "certificate_facts", "load_model", "model_format", "parts_of", "support_facts"]

_NUMBERS = ("relative_gap", "kkt_violation", "feasibility", "primal", "dual")


def model_format(path: str) -> str | None:
    """Return the format of a model's file, None if it does not look like one."""
    place = Path(path)
    if path == STDIO or not place.is_file():
        return None
    if place.suffix.lower() == ".onnx":
        return "onnx"
    with place.open("rb") as file:
        beginning = file.read(16)
    if beginning.startswith(b"svm_type"):
        return "libsvm-model"
    if beginning.startswith(b"solver_type"):
        return "liblinear-model"
    # The format of safetensors: eight bytes of length, then a JSON object.
    is_container = beginning[8:9] == b"{" or place.suffix == ".safetensors"
    return "maxmargin" if is_container else None


def load_model(path: str) -> Model:
    """Load a model of this library, of LIBSVM or of LIBLINEAR."""
    kind = model_format(path) or "maxmargin"
    if kind == "onnx":
        raise ModelFileError(
            f"{path} is an ONNX graph, which is written but not read here: use onnxruntime."
        )
    readers = {"libsvm-model": persist.from_libsvm, "liblinear-model": persist.from_liblinear}
    return Model(readers.get(kind, persist.load)(path), path, kind)


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
    return {**facts, "machines": machines}


def support_facts(machine: Any, certificate: dict[str, Any]) -> dict[str, Any]:
    """Return the numbers of support vectors; nothing for a linear machine.

    The certificate tells which of them are free and which bounded.
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
    return facts
