"""Probabilities of classes as nodes of a graph, as `calibration` and `machines` compute them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import logit

from maxmargin.calibration import LogisticCalibrator
from maxmargin.machines.classes import pairs_of
from maxmargin.machines.probability import SMALLEST
from maxmargin.persist.onnx.graph import Graph

__all__ = ["against_rest", "coupled", "likelihood_ratios", "of_two", "sigmoid"]


def sigmoid(graph: Graph, values: str) -> str:
    """Add 1 / (1 + exp(-v))."""
    return graph.node("Sigmoid", values)


def of_two(graph: Graph, log_odds: str) -> str:
    """Add the probabilities of two classes from the log-odds of the second."""
    return sigmoid(graph, graph.node("Concat", graph.node("Neg", log_odds), log_odds, axis=1))


def likelihood_ratios(graph: Graph, calibrators: Sequence[Any], scores: str) -> str:
    """Add the log-likelihood ratio of each column of scores."""
    if all(isinstance(one, LogisticCalibrator) for one in calibrators):
        slopes, shifts = np.array([(one.slope, one.shift) for one in calibrators]).T
        return graph.node("Add", graph.node("Mul", scores, slopes[None, :]), shifts[None, :])
    columns = [
        _isotonic(graph, one, graph.node("Gather", scores, [k], axis=1))
        for k, one in enumerate(calibrators)
    ]
    return graph.node("Concat", *columns, axis=1)


def _isotonic(graph: Graph, calibrator: Any, scores: str) -> str:
    """Add a curve of straight pieces: the sum of the parts of each rise that lie behind."""
    knots = np.asarray(calibrator.regression.X_thresholds_, graph.dtype)
    heights = np.asarray(calibrator.regression.y_thresholds_, np.float64)
    if len(knots) > 1:
        widths = np.maximum(np.diff(knots), np.finfo(graph.dtype).tiny)
        passed = graph.node("Div", graph.node("Sub", scores, knots[None, :-1]), widths[None, :])
        passed = graph.node("Clip", passed, 0.0, 1.0)
        rises = graph.node("MatMul", passed, np.diff(heights)[:, None])
        chance = graph.node("Add", rises, heights[0])
    else:
        # Every score has the same chance.
        chance = graph.node("Add", graph.node("Mul", scores, 0.0), heights[0])
    small = calibrator.smallest
    chance = graph.node("Clip", chance, small, 1 - small)
    odds = graph.node("Div", chance, graph.node("Sub", 1.0, chance))
    return graph.node("Sub", graph.node("Log", odds), float(logit(calibrator.prior)))


def against_rest(graph: Graph, chances: str) -> str:
    """Add probabilities that sum to one, from those of each class against the rest."""
    positive = graph.node("Max", chances, SMALLEST)
    return graph.node("Div", positive, graph.node("ReduceSum", positive, [1], keepdims=1))


def coupled(graph: Graph, of_first: str, n_classes: int) -> str:
    """Add the probabilities of all classes, from those of the first class of each pair.

    They are the p with sum 1 that minimise p'Qp (Wu, Lin, Weng 2004). ONNX solves no linear
    systems; p is proportional to the solution of (Q + 11') p = 1, whose matrix is positive
    definite, so that elimination needs no pivoting.
    """
    of_first = graph.node("Clip", of_first, SMALLEST, 1 - SMALLEST)
    of_second = graph.node("Sub", 1.0, of_first)
    if n_classes == 2:
        return graph.node("Concat", of_first, of_second, axis=1)
    k, pairs = n_classes, pairs_of(n_classes)
    above, below = np.zeros((2, len(pairs), k * k))
    for pair, (i, j) in enumerate(pairs):
        above[pair, i * k + j] = below[pair, j * k + i] = 1.0
    flat = graph.node(
        "Add",
        *(
            graph.node("MatMul", one, where)
            for one, where in ((of_first, above), (of_second, below))
        ),
    )
    r = graph.node("Reshape", flat, [-1, k, k])
    products = graph.node("Mul", r, graph.node("Transpose", r, perm=[0, 2, 1]))
    squares = graph.node("ReduceSum", graph.node("Mul", r, r), [1], keepdims=1)
    Q = graph.node("Sub", graph.node("Mul", squares, np.eye(k)[None]), products)
    system = graph.node("Add", Q, np.ones((1, k, k)))
    right = graph.node("Mul", graph.node("Gather", system, [0], axis=2), 0.0)
    system = graph.node("Concat", system, graph.node("Add", right, 1.0), axis=2)
    for column, unit in enumerate(np.eye(k)):
        row = graph.node("Gather", system, [column], axis=1)
        row = graph.node("Div", row, graph.node("Gather", row, [column], axis=2))
        factors = graph.node("Gather", system, [column], axis=2)
        factors = graph.node("Sub", factors, unit[None, :, None])
        system = graph.node("Sub", system, graph.node("Mul", factors, row))
    solved = graph.node("Squeeze", graph.node("Gather", system, [k], axis=2), [2])
    total = graph.node("ReduceSum", solved, [1], keepdims=1)
    return against_rest(graph, graph.node("Div", solved, total))
