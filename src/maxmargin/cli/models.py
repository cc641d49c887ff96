"""Files of models, and data in their columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from scipy import sparse

from maxmargin.cli.fitting import parts_of
from maxmargin.cli.formats import model_format
from maxmargin.cli.source import Data, Source
from maxmargin.errors import InvalidInputError, ModelFileError

__all__ = ["Model", "load_model"]


@dataclass(frozen=True)
class Model:
    """A fitted model and the file it comes from.

    Attributes
    ----------
    fitted : estimator
        The model.
    path, format : str
        Its file.
    """

    fitted: Any
    path: str
    format: str

    @property
    def machine(self) -> Any:
        """The machine inside it."""
        return list(parts_of(self.fitted))[-1]

    @property
    def names(self) -> list[str] | None:
        """The names of its columns, None if it has none."""
        found = getattr(self.fitted, "feature_names_in_", None)
        return None if found is None else [str(name) for name in found]

    @property
    def n_features(self) -> int | None:
        """How many columns it has."""
        found = getattr(self.fitted, "n_features_in_", None)
        return None if found is None else int(found)

    @property
    def compares_text(self) -> bool:
        """Whether it compares strings."""
        kernel = getattr(self.machine, "kernel_", None)
        return kernel is not None and kernel.compares_sequences

    def read(self, source: Source, *, judged: bool) -> tuple[Model, Data]:
        """Return data in the model's columns, and the model that takes them.

        The latter is another one only for a model of LIBSVM, which knows no feature beyond those
        of its support vectors.
        """
        width = self.n_features if self.format == "maxmargin" else None
        data = source.read_new(self.names, width, text=self.compares_text, judged=judged)
        if judged:
            data = replace(data, y=self._labels(data.required_y()))
        X, model = data.X, self
        if self.n_features is not None and self.format != "maxmargin":
            model, X = self._fitting(X)
        if sparse.issparse(X) and not model._takes_sparse:
            X = X.toarray()
        return model, replace(data, X=X)

    def _fitting(self, X: Any) -> tuple[Model, Any]:
        """Return a model and points of as many features as each other."""
        d, width = self.n_features, X.shape[1]
        assert d is not None
        if width < d and sparse.issparse(X):
            X = X.copy()
            X.resize((X.shape[0], d))
        if width <= d:
            return self, X
        if self.format == "liblinear-model":
            return self, X[:, :d]
        return load_model(self.path, n_features=width), X

    @property
    def _takes_sparse(self) -> bool:
        """Whether the model was made for sparse data."""
        parts = list(parts_of(self.fitted))
        if any(getattr(part, "with_mean", False) for part in parts):
            return False
        if any(getattr(part, "with_centering", False) for part in parts):
            return False
        vectors = getattr(self.machine, "support_vectors_", None)
        return vectors is None or bool(sparse.issparse(vectors))

    def _labels(self, y: Any) -> Any:
        """Return the target as the model's labels are written."""
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


def load_model(path: str, *, n_features: int | None = None) -> Model:
    """Load a model of this library, of LIBSVM or of LIBLINEAR."""
    from maxmargin import persist

    found = model_format(path)
    if found == "onnx":
        raise ModelFileError(
            f"{path} is an ONNX graph, which is made here but not read: use onnxruntime."
        )
    if found == "libsvm-model":
        return Model(persist.from_libsvm(path, n_features=n_features), path, found)
    if found == "liblinear-model":
        return Model(persist.from_liblinear(path), path, found)
    return Model(persist.load(path), path, "maxmargin")
