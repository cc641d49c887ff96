"""How good the predictions are: of classes, of two classes at costs, of targets, of novelty."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.special import expit, logit
from sklearn import metrics

from maxmargin.metrics import best_threshold, cllr, dcf, eer, min_cllr
from maxmargin.pages import pictures
from maxmargin.pages.evidence import Evidence
from maxmargin.pages.subject import Task
from maxmargin.plot.axes import NEGATIVE, POSITIVE
from maxmargin.typing import Floats, Integers

__all__ = ["classes_section", "costs_section", "novelty_section", "residuals_section"]

# Classes; larger matrices are hard to read, and the most frequent confusions say more.
_LARGEST_MATRIX, _MOST_CONFUSIONS = 30, 20

# More points than this are drawn as an image inside the picture.
_MANY_POINTS = 1500


def classes_section(evidence: Evidence) -> dict[str, Any] | None:
    """Return the confusion matrix, and precision and recall of each class."""
    y, predicted, labels = evidence.y, evidence.predicted, evidence.subject.classes
    if y is None or evidence.task is Task.REGRESSION:
        return None
    confidence = log_loss = None
    probabilities = evidence.probabilities
    if probabilities is not None:
        log_loss = metrics.log_loss(y, probabilities, labels=labels)
        right = labels[probabilities.argmax(axis=1)] == y
        confidence = pictures.calibration_curve(right, probabilities.max(axis=1), "the model")
    names = [str(label) for label in labels.tolist()]
    matrix = metrics.confusion_matrix(y, predicted, labels=labels)
    measures = metrics.precision_recall_fscore_support(y, predicted, labels=labels, zero_division=0)
    is_small = len(names) <= _LARGEST_MATRIX
    return {
        "names": names,
        "matrix": list(zip(names, matrix.tolist(), strict=True)) if is_small else [],
        "confusions": [] if is_small else _confusions(matrix, names),
        "by_class": list(zip(names, *(values.tolist() for values in measures), strict=True)),
        "log_loss": log_loss,
        "confidence": confidence,
    }


def _confusions(matrix: Integers, names: list[str]) -> list[tuple[str, str, int]]:
    """Return the most frequent confusions: class, predicted class, rows."""
    wrong = matrix - np.diag(np.diag(matrix))
    order = np.argsort(wrong, axis=None, kind="stable")[::-1][:_MOST_CONFUSIONS]
    places = [np.unravel_index(place, wrong.shape) for place in order]
    return [(names[i], names[j], int(wrong[i, j])) for i, j in places if wrong[i, j]]


def costs_section(evidence: Evidence) -> dict[str, Any] | None:
    """Return what errors of two classes cost, and how well the scores are calibrated."""
    positive, scores, setting = evidence.positive, evidence.scores, evidence.setting
    if scores is None or evidence.y is None:
        return None
    if positive is None:
        return {}
    labels, threshold = evidence.subject.classes.tolist(), setting.threshold
    decided = evidence.predicted == labels[1]
    is_calibrated = evidence.subject.calibrated is not None
    name = "the model" if is_calibrated else "scores as if they were log-likelihood ratios"
    cut = threshold if is_calibrated else 0.0
    curves = {"the model": (scores, POSITIVE)}
    chance = expit(scores + logit(positive.mean()))
    return {
        "label": labels[1],
        "misses": np.mean(~decided[positive]),
        "false_alarms": np.mean(decided[~positive]),
        "eer": eer(positive, scores),
        "best_threshold": best_threshold(positive, scores, *setting),
        "dcf": dcf(positive, decided, *setting),
        "cllr": cllr(positive, scores),
        "min_cllr": min_cllr(positive, scores),
        "det": pictures.det_curves({"the model": (positive, scores)}),
        "bayes": pictures.bayes_error_plot(positive, curves, threshold, "this report's costs"),
        "histograms": pictures.score_histograms(positive, labels, scores, cut),
        "calibration": pictures.calibration_curve(positive, chance, name),
    }


def residuals_section(evidence: Evidence) -> dict[str, Any] | None:
    """Return the residuals of a regression, in numbers and pictures."""
    y, predicted = evidence.y, evidence.predicted
    if y is None or evidence.task is not Task.REGRESSION:
        return None
    residual = y - predicted
    # The tube of nu regression is known to the certificate only.
    epsilon = evidence.optimality.margin
    if epsilon is None:
        epsilon = evidence.subject.machine.get_params(deep=False).get("epsilon")
    return {
        "epsilon": epsilon,
        "residual": residual,
        "median": np.median(np.abs(residual)),
        "targets": _against("target", predicted, y, epsilon, slope=1.0),
        "residuals": _against("residual", predicted, residual, epsilon, slope=0.0),
        "histogram": _histogram("residual", residual, 40, epsilon),
    }


def novelty_section(evidence: Evidence) -> dict[str, Any] | None:
    """Return how the scores of a one-class machine are distributed."""
    scores = evidence.scores
    if scores is None or evidence.task is not Task.NOVELTY:
        return None
    return {"median": np.median(scores), "histogram": _histogram("score", scores, 50, None)}


def _against(
    what: str, predicted: Floats, values: Floats, epsilon: float | None, *, slope: float
) -> Figure:
    """Draw values against predictions, the line where both agree, and the tube around it."""
    figure, ax = pictures.new_figure()
    ends = np.array([predicted.min(), predicted.max()])
    if slope:
        ends = np.array([min(ends[0], values.min()), max(ends[1], values.max())])
    line, label = slope * ends, f"prediction = {what}" if slope else ""
    if epsilon:
        low, high = line - epsilon, line + epsilon
        ax.fill_between(ends, low, high, color=NEGATIVE, alpha=0.25, lw=0, label="tube")
    ax.plot(ends, line, color=pictures.INK, linewidth=1.0, label=label)
    many = len(values) > _MANY_POINTS
    dots: dict[str, Any] = {"s": 6, "alpha": 0.35} if many else {"s": 14, "alpha": 0.7}
    ax.scatter(predicted, values, color=POSITIVE, linewidths=0, rasterized=many, **dots)
    # A faint dot would not be seen in the legend.
    ax.plot([], [], "o", color=POSITIVE, markersize=5, label="rows")
    ax.set(xlabel="prediction", ylabel=what)
    return pictures.legend_below(figure)


def _histogram(what: str, values: Floats, bins: int, epsilon: float | None) -> Figure:
    """Draw how often values occur, and the tube or the boundary."""
    figure, ax = pictures.new_figure()
    if epsilon:
        ax.axvspan(-epsilon, epsilon, color=NEGATIVE, alpha=0.25, lw=0, label="tube")
    ax.hist(values, bins=bins, color=POSITIVE, alpha=0.75, label="rows")
    if what == "score":
        ax.axvline(0.0, color=pictures.INK, linestyle="--", linewidth=1.2, label="boundary")
    ax.set(xlabel=what, ylabel="rows")
    return pictures.legend_below(figure)
