"""`OnlineSVC` and `OnlineOneClassSVM`: all that is needed to go on learning."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.errors import InvalidInputError, ModelFileError
from maxmargin.estimators import OnlineOneClassSVM, OnlineSVC
from maxmargin.persist.labels import (
    describe_features,
    describe_labels,
    restore_features,
    restore_labels,
)
from maxmargin.persist.parameters import (
    describe_parameters,
    require_fitted,
    restore_parameters,
)
from maxmargin.persist.reading import Reader
from maxmargin.persist.registry import Kind
from maxmargin.persist.writing import Writer

__all__ = ["KINDS"]

_WORD = 2**128


def _describe(model: Any, out: Writer) -> None:
    require_fitted(model)
    describe_parameters(model, out)
    describe_features(model, out)
    learner = model._learner
    out.array("vectors", learner.vectors.reshape(-1, learner.vectors.shape[-1]))
    out.array("numbers", learner.numbers.view(np.float64).reshape(len(learner.numbers), -1))
    out.value("n_iterations", int(model.n_iter_))
    _describe_generator(model._generator, out.child("generator"))


def _describe_classifier(model: Any, out: Writer) -> None:
    _describe(model, out)
    describe_labels(model.classes_, out)
    out.value("alpha", float(model.alpha_))
    out.array("class_weights", model.class_weight_, np.float64)
    out.array("class_totals", model._class_totals, np.float64)


def _describe_generator(generator: np.random.Generator, out: Writer) -> None:
    state: Any = generator.bit_generator.state
    if state["bit_generator"] != "PCG64":
        raise ModelFileError(
            f"random_state draws from {state['bit_generator']}, which is not saved: fit with a "
            "seed."
        )
    out.json("state", str(state["state"]["state"]))
    out.json("increment", str(state["state"]["inc"]))
    out.value("has_half", bool(state["has_uint32"]))
    out.value("half", int(state["uinteger"]))


def _restore(model: Any, held: Reader) -> Any:
    """Set what both machines have, with weights that follow from the learner."""
    n_features = restore_features(model, held)
    # Made for one feature: its arrays are those of the file.
    learner = model._new_learner(1)
    n_machines, n_vectors, _ = learner.vectors.shape
    fields = learner.numbers.dtype
    vectors = held.array("vectors", "float64", (n_machines * n_vectors, n_features))
    learner.vectors = np.ascontiguousarray(vectors).reshape(n_machines, n_vectors, n_features)
    numbers = held.array("numbers", "float64", (n_machines, len(fields.names)))
    learner.numbers = np.ascontiguousarray(numbers).view(fields)[:, 0]
    counts = [
        learner.numbers[name] for name in ("seen", "norm", "size", "bias_squares", "bias_touched")
    ]
    held.require(all((count >= 0).all() for count in counts), "numbers", "are negative")
    model._learner = learner
    model._generator = _restore_generator(held.child("generator"))
    model.n_iter_ = held.whole("n_iterations")
    try:
        with np.errstate(all="ignore"):
            model._publish()
    except InvalidInputError as error:
        held.refuse("numbers", f"are impossible: {str(error).rstrip('.')}")
    return model


def _restore_generator(held: Reader) -> np.random.Generator:
    bits = np.random.PCG64(0)
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": _word(held, "state"), "inc": _word(held, "increment")},
        "has_uint32": int(held.flag("has_half")),
        "uinteger": held.whole("half", most=2**32 - 1),
    }
    return np.random.Generator(bits)


def _word(held: Reader, name: str) -> int:
    digits = held.text(name)
    fine = digits.isascii() and digits.isdigit() and len(digits) <= 39 and int(digits) < _WORD
    held.require(fine, name, "is not a whole number of 128 bits")
    return int(digits)


def _restore_classifier(held: Reader) -> Any:
    model = restore_parameters(OnlineSVC, held)
    model.classes_ = restore_labels(held)
    k = len(model.classes_)
    model.alpha_ = held.real("alpha", least=0.0)
    model.class_weight_ = held.array("class_weights", "float64", (k,))
    model._class_totals = held.array("class_totals", "float64", (k,))
    return _restore(model, held)


def _restore_outlier(held: Reader) -> Any:
    return _restore(restore_parameters(OnlineOneClassSVM, held), held)


KINDS = (
    Kind(OnlineSVC, _describe_classifier, _restore_classifier),
    Kind(OnlineOneClassSVM, _describe, _restore_outlier),
)
