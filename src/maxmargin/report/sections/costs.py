"""Two classes: both kinds of error, what they cost at a prior, and calibration."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit
from sklearn.metrics import roc_auc_score

from maxmargin.metrics import best_threshold, cllr, dcf, eer, min_cllr
from maxmargin.plot.axes import POSITIVE
from maxmargin.report.drawing import draw
from maxmargin.report.graphs import bayes_error_curves, det_curves, score_histograms
from maxmargin.report.judged import Judged
from maxmargin.report.markup import Cell, Picture, figures, paragraph, table
from maxmargin.report.sections.classes import reliability
from maxmargin.report.setting import Setting
from maxmargin.report.subject import Subject
from maxmargin.report.words import cost, exact_percent, measured, number
from maxmargin.typing import Bools, Floats

__all__ = ["cost_facts", "costs"]

_TALL = (5.0, 4.3)


def cost_facts(subject: Subject, judged: Judged, setting: Setting) -> dict[str, str]:
    """Return the measures that matter most; none where a class is absent."""
    positive, scores = judged.positive(subject), judged.scores
    if positive is None or scores is None:
        return {}
    return {
        "area under the ROC": f"{float(roc_auc_score(positive, scores)):.4f}",
        "minDCF": cost(setting.minimum(positive, scores)),
        "actDCF": cost(setting.actual(positive, scores)),
    }


def costs(subject: Subject, judged: Judged, setting: Setting) -> list[str]:
    """Return what errors cost, and how well the scores say what they should."""
    positive, scores = judged.positive(subject), judged.scores
    label = subject.classes.tolist()[1]
    if positive is None or scores is None:
        return [paragraph("All of these rows are of one class: errors of two kinds need both.")]
    words = (
        f"The positive class is {label!r}: to overlook it is a miss, and to see it where it is not "
        f"a false alarm. Where decisions are taken its prior is {number(setting.prior)}, a miss "
        f"costs {number(setting.cost_fn)} and a false alarm {number(setting.cost_fp)}: an "
        f"effective prior of {setting.effective_prior:.3g}. Costs are fractions of what the better "
        "decision that looks at no score costs."
    )
    parts = [paragraph(words), _table(setting, positive, scores, judged.predicted == label)]
    parts.append(paragraph(_kind(subject)))
    pictures = [
        _det(positive, scores),
        _bayes(setting, positive, scores),
        _histogram(subject, setting, positive, scores),
        _calibration(subject, positive, scores),
    ]
    return [*parts, figures(pictures)]


def _kind(subject: Subject) -> str:
    if subject.calibrated is not None:
        return (
            "The scores are log-likelihood ratios by CalibratedSVC "
            f"(method={subject.calibrated.method!r})."
        )
    return (
        "The scores are the decision values of the machine, distances from a boundary and no "
        "log-likelihood ratios. Where actDCF is much above minDCF, calibrate them with "
        "CalibratedSVC or move the threshold."
    )


def _table(setting: Setting, positive: Bools, scores: Floats, decided: Bools) -> str:
    prices = (setting.prior, setting.cost_fn, setting.cost_fp)
    misses = float(np.mean(~decided[positive]))
    false_alarms = float(np.mean(decided[~positive]))
    best = measured(best_threshold(positive, scores, *prices))
    asked = measured(setting.threshold)
    entries = [
        ("misses", exact_percent(misses), "of the positive rows, by what the model predicts"),
        ("false alarms", exact_percent(false_alarms), "of the negative rows, likewise"),
        (
            "area under the ROC",
            f"{float(roc_auc_score(positive, scores)):.4f}",
            "the chance that a positive row has a higher score than a negative one",
        ),
        (
            "equal error rate",
            exact_percent(eer(positive, scores)),
            "where misses and false alarms are equally frequent",
        ),
        (
            "minDCF",
            cost(setting.minimum(positive, scores)),
            f"the cost at the best threshold of these rows, {best}",
        ),
        (
            "actDCF",
            cost(setting.actual(positive, scores)),
            f"the cost at the threshold that prior and costs ask for, {asked}",
        ),
        (
            "DCF of predictions",
            cost(dcf(positive, decided, *prices)),
            "the cost of what the model predicts",
        ),
        (
            "Cllr",
            f"{cllr(positive, scores):.4f} bit",
            "actual cost over all priors, in bits; above 1 no scores at all would be better",
        ),
        ("minimum Cllr", f"{min_cllr(positive, scores):.4f} bit", "after the best calibration"),
    ]
    headings = [Cell("measure", "text"), Cell("value"), Cell("what it is", "words")]
    body = [
        [Cell(name, "text", names_row=True), Cell(value), Cell(meaning, "words")]
        for name, value, meaning in entries
    ]
    return table("Errors and costs", headings, body)


def _det(positive: Bools, scores: Floats) -> Picture:
    caption = "DET curve: misses against false alarms, over all thresholds."
    fill = det_curves({"the model": (positive, scores)})
    return draw("det", "DET curve", caption, fill, _TALL)


def _bayes(setting: Setting, positive: Bools, scores: Floats) -> Picture:
    caption = (
        "Bayes error plot: cost over all priors. What the solid line is above the dashed one is "
        "lost to miscalibration; the dotted line is at the prior and costs of this report."
    )
    fill = bayes_error_curves(
        positive, {"the model": (scores, POSITIVE)}, -setting.threshold, "this report's costs"
    )
    return draw("bayes", "Bayes error plot", caption, fill, _TALL)


def _histogram(subject: Subject, setting: Setting, positive: Bools, scores: Floats) -> Picture:
    negative, label = subject.classes.tolist()
    if subject.calibrated is not None:
        threshold = setting.threshold
        caption = (
            "Log-likelihood ratios of both classes. The dashed line is the threshold that prior "
            f"and costs ask for: to its right, {label!r} is decided."
        )
    else:
        threshold = 0.0
        caption = (
            f"Scores of both classes. The dashed line is at zero: to its right, {label!r} is "
            "predicted."
        )
    fill = score_histograms(positive, (negative, label), scores, threshold)
    return draw("scores", "Histograms of the scores of both classes", caption, fill, _TALL)


def _calibration(subject: Subject, positive: Bools, scores: Floats) -> Picture:
    held = float(positive.mean())
    probability = expit(scores + logit(held))
    if subject.calibrated is not None:
        name = "the model"
        caption = (
            "Calibration curve: how often the positive class occurs, against its probability by "
            f"the scores, at its share of these rows, {exact_percent(held)}."
        )
    else:
        name = "scores as if they were log-likelihood ratios"
        caption = (
            "Calibration curve: how often the positive class occurs, against its probability if "
            "the scores were log-likelihood ratios, which those of an SVM are not. Far from the "
            "diagonal, scores say nothing about probabilities."
        )
    fill = reliability(positive, probability, name)
    return draw("calibration", "Calibration curve", caption, fill, _TALL)
