"""What the report says: the best machine, the ranking, calibration, certificates, the method."""

from __future__ import annotations

from collections.abc import Sequence

from maxmargin.report.markup import (
    Cell,
    details,
    numbers,
    paragraph,
    shown_and_folded,
    table,
    tiles,
)
from maxmargin.report.words import cost, number, params_text, percent, small
from maxmargin.study.groups import group_text
from maxmargin.study.result import StudyResult
from maxmargin.study.rows import Costs, StudyRow

__all__ = ["best", "calibrated", "certificates", "method", "ranking"]


def best(result: StudyResult) -> list[str]:
    """Say which machine won, in a sentence and in large numbers."""
    row = result.best
    certified = sum(each.certified for each in result.table)
    facts = {
        "minDCF": cost(row.min_dcf),
        "actDCF as trained": cost(row.act_dcf),
        "actDCF calibrated": cost(row.calibrated_act_dcf),
    }
    lead = (
        f"Of {len(result.table)} machines, the {row.family} one on {row.preprocessing} data with "
        f"{params_text(row.params)} has the least minimum cost: {cost(row.min_dcf)} of what the "
        f"better blind decision costs. It stands on {row.n_support} support vectors, {row.n_free} "
        f"on the margin and {row.n_bounded} at their bound. {row.claim}"
    )
    parts = [paragraph(lead)]
    if row.evaluation is not None:
        costs = row.evaluation
        facts |= {
            "minDCF, evaluation": cost(costs.min_dcf),
            "calibrated, evaluation": cost(costs.calibrated_act_dcf),
        }
        parts.append(
            paragraph(
                "The least of many estimates flatters. On evaluation rows that nothing was chosen "
                f"by, its minimum cost is {cost(costs.min_dcf)}, and its calibrated decisions cost "
                f"{cost(costs.calibrated_act_dcf)}."
            )
        )
    facts[f"certified to {result.certified_at:g}"] = f"{certified} of {len(result.table)}"
    return [*parts, tiles(facts)]


def ranking(result: StudyResult) -> list[str]:
    """Return the whole table; what is beyond the first rows unfolds."""
    words = (
        "Every machine of the study, by the cost of its best threshold (minDCF). actDCF is the "
        "cost at the theoretical threshold, of the scores as trained and of calibrated ones. The "
        "certificate is the relative duality gap: no machine with these parameters can have an "
        "objective better by a larger fraction."
    )
    shown, rest = shown_and_folded(result.table)
    parts = [paragraph(words), _ranked(result, shown, "Best first")]
    if rest:
        caption = f"Ranks {rest[0].rank} to {rest[-1].rank}"
        parts.append(details(f"The other {len(rest)} machines", _ranked(result, rest, caption)))
    return parts


def _ranked(result: StudyResult, rows: Sequence[StudyRow], caption: str) -> str:
    headings = [Cell("#"), Cell("machine", "text"), *numbers("minDCF", "actDCF", "calibrated")]
    groups = [("", 2), (_judged(result), 3)]
    if result.n_evaluation:
        headings += numbers("minDCF", "actDCF", "calibrated")
        groups.append(("evaluation", 3))
    headings += numbers("all", "free", "bounded", "certificate")
    groups += [("support vectors", 3), ("", 1)]
    highest = max(row.min_dcf for row in result.table) or 1.0
    body = []
    for row in rows:
        cells = [Cell(str(row.rank)), _name(row)]
        cells += [Cell(cost(row.min_dcf), share=row.min_dcf / highest)]
        cells += numbers(cost(row.act_dcf), cost(row.calibrated_act_dcf))
        if row.evaluation is not None:
            cells += _costs(row.evaluation)
        cells += numbers(str(row.n_support), str(row.n_free), str(row.n_bounded))
        body.append([*cells, _verdict(row)])
    return table(caption, headings, body, groups=groups, best=rows[0].rank == 1)


def calibrated(result: StudyResult) -> list[str]:
    """Return what calibration does to the best machine of each group."""
    threshold = result.setting.threshold
    words = (
        "An SVM's scores are distances from a boundary, not log-likelihood ratios, so that the "
        f"threshold {threshold:.3f} which prior and costs ask for is not theirs. Prior-weighted "
        "logistic regression makes them ratios; it is fitted to scores of points that their "
        "machines were not trained on, and never to the scores judged here."
    )
    headings = [Cell("machine", "text"), *numbers("minDCF", "actDCF", "calibrated")]
    headings += numbers("lost before", "lost after")
    groups = [("", 1), (_judged(result), 5)]
    if result.n_evaluation:
        headings += numbers("minDCF", "actDCF", "calibrated", "lost after")
        groups.append(("evaluation", 4))
    body = []
    for row in result.leaders:
        cells = [_name(row)]
        cells += numbers(cost(row.min_dcf), cost(row.act_dcf), cost(row.calibrated_act_dcf))
        cells += numbers(
            cost(row.act_dcf - row.min_dcf), cost(row.calibrated_act_dcf - row.min_dcf)
        )
        if row.evaluation is not None:
            lost = row.evaluation.calibrated_act_dcf - row.evaluation.min_dcf
            cells += [*_costs(row.evaluation), Cell(cost(lost))]
        body.append(cells)
    caption = "The best machine of each group; lost is actDCF minus minDCF"
    return [paragraph(words), table(caption, headings, body, groups=groups, best=True)]


def certificates(result: StudyResult) -> list[str]:
    """Return the proofs of the best machine of each group."""
    words = (
        "Primal and dual value are recomputed from the problem and the multipliers alone, whatever "
        "the solver says. The optimum lies between both. The KKT violation is the largest one of "
        f"any point, in units of the margin. Certified means that all of it holds to "
        f"{result.certified_at:g}."
    )
    headings = [Cell("machine", "text"), *numbers("primal", "dual", "KKT violation")]
    headings += numbers("relative gap")
    body = []
    for row in result.leaders:
        cells = [_name(row), *numbers(f"{row.primal:.8g}", f"{row.dual:.8g}")]
        body.append([*cells, Cell(small(row.kkt_violation)), _verdict(row)])
    return [paragraph(words), table("The best machine of each group", headings, body)]


def method(result: StudyResult) -> list[str]:
    """Say what was done, for whoever wants to do it again."""
    setting, protocol = result.setting, result.protocol
    train, test = protocol.final
    n_folds = len(protocol.folds)
    if protocol.is_split:
        rows = (
            f"Machines were trained on {len(train)} rows and judged on {len(test)} others. For "
            f"calibration, {n_folds} folds of the training rows scored the rows that they left out."
        )
    else:
        rows = (
            f"{n_folds} folds of {len(train)} rows scored the rows that they left out; these "
            "scores were pooled and judged, each fold's calibrated by those of the others. Support "
            "vectors and certificates are those of machines trained on all rows."
        )
    if result.n_evaluation:
        rows += (
            f" The evaluation columns are about {result.n_evaluation} further rows, which nothing "
            "was chosen or fitted on."
        )
    positive = float(result.best.scores.positive.mean())
    costs = (
        f"The positive class is {result.labels[1]!r}, {percent(positive)} of the rows judged. "
        f"Where decisions are taken its prior is {number(setting.prior)}, a miss costs "
        f"{number(setting.cost_fn)} and a false alarm {number(setting.cost_fp)}: an effective "
        f"prior of {setting.effective_prior:.3g}. Costs are divided by that of the better decision "
        "that looks at no score."
    )
    took = f"Training, proving and judging took {result.seconds:.1f} s."
    return [paragraph(rows), paragraph(costs), paragraph(took)]


def _costs(costs: Costs) -> list[Cell]:
    return numbers(cost(costs.min_dcf), cost(costs.act_dcf), cost(costs.calibrated_act_dcf))


def _name(row: StudyRow) -> Cell:
    return Cell(group_text(row.group), "text", note=params_text(row.params))


def _judged(result: StudyResult) -> str:
    return "validation" if result.protocol.is_split else "held out"


def _verdict(row: StudyRow) -> Cell:
    gap = small(row.relative_gap)
    if row.certified:
        return Cell(f"{gap} ✓", "number yes", note="certified")
    return Cell(f"{gap} ✗", "number no", note="not proved")
