"""The schemas of the library's estimators: kernel machines, linear ones and online ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin import estimators
from maxmargin.errors import ModelFileError
from maxmargin.persist.format.data import (
    CLASSES,
    FEATURES,
    SUPPORT_VECTORS,
    read_matrix,
    write_matrix,
)
from maxmargin.persist.format.parameters import FITTED_KERNEL, estimator_schema
from maxmargin.persist.format.proofs import PROOF
from maxmargin.persist.format.schema import (
    UNSET,
    Entry,
    array,
    field,
    flag,
    real,
    rule,
    text,
    whole,
)
from maxmargin.persist.format.tree import Node

__all__ = ["SCHEMAS"]

# Kernel machines --------------------------------------------------------------------------------


def _machines_of_classes(model: Any, node: Node) -> None:
    k, pairwise = node.sizes["classes"], model._pairwise
    node["pairwise"].require(pairwise or k > 2, "is false for two classes")
    node.sizes["machines"] = k * (k - 1) // 2 if pairwise else k
    node.sizes["rows"] = k - 1 if pairwise else k


def _check_counts(model: Any, node: Node) -> None:
    fits = model._n_support.sum(dtype=np.int64) == node.sizes["vectors"]
    node["n_support"].require(fits, "does not add up to the support vectors")


def _settle_classifier(model: Any, node: Node) -> None:
    order = model._preference
    fits = order is None or len(set(order.tolist())) == len(order)
    node["preference"].require(fits, "has a class twice")
    model.n_iter_ = model.n_iter_.astype(np.int32)
    model._publish()


def _settle_single(model: Any, _node: Node) -> None:
    model.n_iter_ = int(model.n_iter_[0])
    model._publish()


_ONE_MACHINE = rule(lambda _, node: node.sizes.update(machines=1, rows=1, classes=1))
_BY_MACHINE = array("float64", "machines")
_CLASS_WEIGHTS = field("class_weights", array("float64", "classes"), "class_weight_")

_KERNEL_MACHINE = (
    field("kernel", FITTED_KERNEL, "kernel_"),
    FEATURES,
    field("n_points", whole(1), "_n_training_rows", size="points"),
    field("sparse", flag, "_sparse"),
    field("support", array("int32", "vectors", below="points"), "support_"),
    field("coefficients", array("float64", "rows", "vectors"), "_dual_coef_"),
    field("n_support", array("int32", "classes"), "_n_support"),
    rule(_check_counts),
    field("intercepts", _BY_MACHINE, "_intercept_"),
    SUPPORT_VECTORS,
    field("fit_status", whole(most=1), "fit_status_"),
    field("fit_time", real(0.0), "fit_time_"),
    PROOF,
)
_CLASSIFIER = (
    CLASSES,
    field("pairwise", flag, "_pairwise"),
    rule(_machines_of_classes),
    *_KERNEL_MACHINE,
    field("n_iterations", array("int64", "machines"), "n_iter_"),
    _CLASS_WEIGHTS,
    field("sigmoids", array("float64", 2, "machines"), "_sigmoids", default=UNSET),
    field("preference", array("int64", "classes", below="classes"), "_preference", default=None),
    rule(_settle_classifier),
)
_SINGLE = (
    _ONE_MACHINE,
    *_KERNEL_MACHINE,
    field("n_iterations", array("int64", 1, below=2**62), "n_iter_"),
    rule(_settle_single),
)

# Linear machines --------------------------------------------------------------------------------


def _linear_machines(_: Any, node: Node) -> None:
    k = node.sizes["classes"]
    node.sizes["machines"] = 1 if k == 2 else k


def _write_weights(model: Any) -> dict[str, Any]:
    # The weights of a regressor are a vector until they are made sparse.
    weights = model.coef_
    matrix = weights if weights.ndim == 2 else weights[None, :]
    return {"is_vector": weights.ndim == 1, "weights": write_matrix(matrix)}


def _read_weights(model: Any, node: Node) -> None:
    weights = read_matrix(node["weights"], node.sizes["machines"], node.sizes["features"])
    is_vector = node.read("is_vector", flag)
    fits = not is_vector or (isinstance(weights, np.ndarray) and len(weights) == 1)
    node["is_vector"].require(fits, "is impossible")
    model.coef_ = weights[0] if is_vector else weights


_LINEAR_MACHINE = (
    FEATURES,
    Entry(_write_weights, _read_weights),
    field("intercepts", _BY_MACHINE, "intercept_", default=0.0, needed_if="fit_intercept"),
    field("n_iterations", whole(), "n_iter_"),
    field("solver", text("coordinate-descent", "interior-point", "newton"), "solver_"),
    field("fit_time", real(0.0), "fit_time_"),
    # Version 1 lacks it; the shape of the slacks gives it there.
    field("n_points", whole(), "_n_training_rows", default=0, size="points"),
    PROOF,
)

# Online machines: all that they need to go on learning ------------------------------------------

#: The numbers of a learner that cannot be negative.
_COUNTS = ("seen", "norm", "size", "bias_squares", "bias_touched")


def _write_learner(model: Any) -> dict[str, Any]:
    learner, state = model._learner, model._generator.bit_generator.state
    if state["bit_generator"] != "PCG64":
        raise ModelFileError(
            f"random_state draws from {state['bit_generator']}, which is not saved: fit with a "
            "seed."
        )
    return {
        "vectors": learner.vectors.reshape(-1, learner.vectors.shape[-1]),
        "numbers": learner.numbers.view(np.float64).reshape(len(learner.numbers), -1),
        "generator": {
            "state": str(state["state"]["state"]),
            "increment": str(state["state"]["inc"]),
            "has_half": bool(state["has_uint32"]),
            "half": int(state["uinteger"]),
        },
    }


def _read_learner(model: Any, node: Node) -> None:
    """Read the learner, whose state determines the weights."""
    # A learner for one feature costs nothing; the arrays of the file replace its own.
    learner = model._new_learner(1)
    n_machines, n_vectors, _ = learner.vectors.shape
    numbers, d = learner.numbers.dtype, node.sizes["features"]
    vectors = node.read("vectors", array("float64", n_machines * n_vectors, d))
    learner.vectors = np.ascontiguousarray(vectors).reshape(n_machines, n_vectors, d)
    rows = node.read("numbers", array("float64", n_machines, len(numbers.names)))
    learner.numbers = np.ascontiguousarray(rows).view(numbers)[:, 0]
    fits = all((learner.numbers[name] >= 0).all() for name in _COUNTS)
    node["numbers"].require(fits, "are negative")
    model._learner = learner
    model._generator = _read_generator(node["generator"])
    with np.errstate(all="ignore"), node["numbers"].refusing("are impossible"):
        model._publish()


def _read_generator(node: Node) -> np.random.Generator:
    bits = np.random.PCG64(0)
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": _read_word(node["state"]), "inc": _read_word(node["increment"])},
        "has_uint32": int(node.read("has_half", flag)),
        "uinteger": node.read("half", whole(most=2**32 - 1)),
    }
    return np.random.Generator(bits)


def _read_word(node: Node) -> int:
    digits = text().decode(node)
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= 39
    node.require(is_number and int(digits) < 2**128, "is not a whole number of 128 bits")
    return int(digits)


_ONLINE = (
    FEATURES,
    Entry(_write_learner, _read_learner),
    field("n_iterations", whole(), "n_iter_"),
    field("n_points", whole(), "_n_training_rows", default=0, size="points"),
    PROOF,
)

SCHEMAS = (
    estimator_schema(estimators.SVC, *_CLASSIFIER),
    estimator_schema(estimators.NuSVC, *_CLASSIFIER),
    estimator_schema(estimators.SVR, *_SINGLE),
    estimator_schema(estimators.NuSVR, *_SINGLE),
    estimator_schema(estimators.OneClassSVM, *_SINGLE, field("scale", real(0.0), "_scale")),
    estimator_schema(estimators.LinearSVC, CLASSES, rule(_linear_machines), *_LINEAR_MACHINE),
    estimator_schema(estimators.LinearSVR, _ONE_MACHINE, *_LINEAR_MACHINE),
    estimator_schema(
        estimators.OnlineSVC,
        CLASSES,
        field("alpha", real(0.0), "alpha_"),
        _CLASS_WEIGHTS,
        field("class_totals", array("float64", "classes"), "_class_totals"),
        *_ONLINE,
    ),
    estimator_schema(estimators.OnlineOneClassSVM, *_ONLINE),
)
