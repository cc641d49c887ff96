"""From scores to rows of costs, best first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from maxmargin.calibration.calibrators import fit_logistic
from maxmargin.report.setting import Setting
from maxmargin.study.protocol import Protocol
from maxmargin.study.rows import Costs, Scores, StudyRow
from maxmargin.study.runs import Observed
from maxmargin.typing import Bools, Floats

__all__ = ["rank"]


def rank(
    observed: Sequence[Observed],
    estimator_of: Callable[[Observed], Any],
    protocol: Protocol,
    positive: Bools,
    evaluation: Bools | None,
    setting: Setting,
    certified_at: float,
) -> list[StudyRow]:
    """Return a row for each candidate, best first.

    Parameters
    ----------
    observed : sequence of Observed
        All candidates.
    estimator_of : callable
        Makes a candidate's estimator.
    protocol : Protocol
        Which rows the scores are of.
    positive, evaluation : arrays of bool
        Which rows of the data, and of the evaluation data, are positive.
    setting : Setting
        The costs.
    certified_at : float
        The tolerance that certificates must hold to.
    """
    judged = [(each, _judged(each, protocol, positive, setting)) for each in observed]
    ranked = sorted(
        ((each, scores, scores.costs(setting)) for each, scores in judged),
        key=lambda found: (found[2].min_dcf, found[2].calibrated_act_dcf, found[0].final.n_support),
    )
    rows = []
    for place, (each, scores, costs) in enumerate(ranked, 1):
        certificate = each.final.certificate
        rows.append(
            StudyRow(
                rank=place,
                family=each.candidate.family,
                preprocessing=each.candidate.preprocessing,
                params=each.candidate.params,
                min_dcf=costs.min_dcf,
                act_dcf=costs.act_dcf,
                calibrated_act_dcf=costs.calibrated_act_dcf,
                evaluation=_on_evaluation(each, protocol, positive, evaluation, setting),
                n_support=each.final.n_support,
                n_free=certificate.n_free,
                n_bounded=certificate.n_bounded,
                primal=certificate.primal,
                dual=certificate.dual,
                relative_gap=certificate.relative_gap,
                kkt_violation=certificate.kkt_violation,
                certified=certificate.holds(certified_at),
                claim=certificate.claim,
                estimator=estimator_of(each),
                scores=scores,
            )
        )
    return rows


def _judged(each: Observed, protocol: Protocol, positive: Bools, setting: Setting) -> Scores:
    if protocol.is_split:
        raw = each.final.scores
        calibrated = _calibrated(each, protocol, positive, setting, raw)
    else:
        raw = np.concatenate(each.held_out)
        calibrated = _calibrated_by_others(each, protocol, positive, setting)
    return Scores(positive[protocol.judged], raw, calibrated)


def _calibrated(
    each: Observed, protocol: Protocol, positive: Bools, setting: Setting, scores: Floats
) -> Floats:
    """Calibrate scores of the final machine by the folds' scores of its training rows."""
    held_out = np.concatenate(each.held_out)
    known = positive[protocol.held_out]
    return _likelihood_ratios(held_out, known, setting, scores)


def _calibrated_by_others(
    each: Observed, protocol: Protocol, positive: Bools, setting: Setting
) -> Floats:
    """Calibrate each fold's scores by those of the other folds."""
    labels = [positive[test] for _, test in protocol.folds]
    parts = []
    for k, scores in enumerate(each.held_out):
        others = [j for j in range(len(labels)) if j != k]
        known = np.concatenate([each.held_out[j] for j in others])
        known_labels = np.concatenate([labels[j] for j in others])
        parts.append(_likelihood_ratios(known, known_labels, setting, scores))
    return np.concatenate(parts)


def _likelihood_ratios(known: Floats, positive: Bools, setting: Setting, scores: Floats) -> Floats:
    """Calibrate scores as known ones ask for, best where decisions at the prior are taken."""
    line = fit_logistic(known, positive, np.ones(len(known)), setting.effective_prior)
    return line.log_likelihood_ratio(scores)


def _on_evaluation(
    each: Observed,
    protocol: Protocol,
    positive: Bools,
    evaluation: Bools | None,
    setting: Setting,
) -> Costs | None:
    raw = each.final.evaluation
    if raw is None or evaluation is None:
        return None
    calibrated = _calibrated(each, protocol, positive, setting, raw)
    return Scores(evaluation, raw, calibrated).costs(setting)
