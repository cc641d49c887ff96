"""What the report says: the best machine, the ranking, calibration, certificates, the method."""

from __future__ import annotations

from collections.abc import Sequence

from maxmargin.study.markup import Cell, Section, details, paragraph, table, tiles
from maxmargin.study.result import StudyResult
from maxmargin.study.rows import Costs, StudyRow
from maxmargin.study.words import cost, number, params_text, percent, small

__all__ = ["best", "calibrated", "certificates", "method", "own", "ranking"]

# So many rows are shown at once; the rest unfolds.
_FIRST = 15


def best(result: StudyResult) -> list[str]:
    """Say which machine won, in a sentence and in large numbers."""
    row = result.best
    certified = sum(each.certified for each in result.table)
    facts = {
        "minDCF of the best": cost(row.min_dcf),
        "actDCF as trained": cost(row.act_dcf),
        "actDCF calibrated": cost(row.calibrated_act_dcf),
    }
    if row.evaluation is not None:
        facts["calibrated, on evaluation data"] = cost(row.evaluation.calibrated_act_dcf)
    facts["machines ranked"] = str(len(result.table))
    facts[f"certified to {result.certified_at:g}"] = f"{certified} of {len(result.table)}"
    lead = (
        f"The {row.family} machine on {row.preprocessing} data with {params_text(row.params)} has "
        f"the least minimum cost: {cost(row.min_dcf)} of what the better blind decision costs. It "
        f"stands on {row.n_support} support vectors, {row.n_free} on the margin and "
        f"{row.n_bounded} at their bound. {row.claim}"
    )
    return [paragraph(lead), tiles(facts)]


def ranking(result: StudyResult) -> list[str]:
    """Return the whole table; what is beyond the first rows unfolds."""
    words = (
        "Every machine of the study, by the cost of its best threshold (minDCF). actDCF is the "
        "cost at the theoretical threshold, of the scores as trained and of calibrated ones. The "
        "gap is the relative duality gap: no machine with these parameters can have an objective "
        "better by a larger fraction."
    )
    rows = result.table
    shown = rows if len(rows) <= _FIRST + 3 else rows[:_FIRST]
    parts = [paragraph(words), _ranked(result, shown, "Best first")]
    if len(shown) < len(rows):
        rest = rows[len(shown) :]
        caption = f"Ranks {rest[0].rank} to {rest[-1].rank}"
        parts.append(details(f"The other {len(rest)} machines", _ranked(result, rest, caption)))
    return parts


def _ranked(result: StudyResult, rows: Sequence[StudyRow], caption: str) -> str:
    headings = [Cell("#"), *_texts("machine", "data", "parameters")]
    headings += _numbers("minDCF", "actDCF", "calibrated")
    if result.n_evaluation:
        headings += _numbers("eval. minDCF", "eval. actDCF", "eval. calibrated")
    headings += _numbers("support vectors", "free", "bounded", "gap")
    headings.append(Cell("certificate", "text"))
    highest = max(row.min_dcf for row in result.table) or 1.0
    body = []
    for row in rows:
        cells = [Cell(str(row.rank))]
        cells += _texts(row.family, row.preprocessing, params_text(row.params))
        cells += [Cell(cost(row.min_dcf), share=row.min_dcf / highest)]
        cells += _numbers(cost(row.act_dcf), cost(row.calibrated_act_dcf))
        if row.evaluation is not None:
            cells += _costs(row.evaluation)
        cells += _numbers(str(row.n_support), str(row.n_free), str(row.n_bounded))
        cells += [Cell(small(row.relative_gap)), _verdict(row)]
        body.append(cells)
    return table(caption, headings, body, best=rows[0].rank == 1)


def calibrated(result: StudyResult) -> list[str]:
    """Return what calibration does to the best machine of each group."""
    threshold = result.setting.threshold
    words = (
        "An SVM's scores are distances from a boundary, not log-likelihood ratios, so that the "
        f"threshold {threshold:.3f} which prior and costs ask for is not theirs. Prior-weighted "
        "logistic regression makes them ratios; it is fitted to scores of points that their "
        "machines were not trained on, and never to the scores judged here."
    )
    headings = [*_texts("machine", "data", "parameters"), *_numbers("minDCF", "actDCF")]
    headings += _numbers("calibrated", "lost before", "lost after")
    if result.n_evaluation:
        headings += _numbers("eval. minDCF", "eval. actDCF", "eval. calibrated")
    body = []
    for row in result.leaders:
        cells = _texts(row.family, row.preprocessing, params_text(row.params))
        cells += _numbers(cost(row.min_dcf), cost(row.act_dcf), cost(row.calibrated_act_dcf))
        cells += _numbers(
            cost(row.act_dcf - row.min_dcf), cost(row.calibrated_act_dcf - row.min_dcf)
        )
        if row.evaluation is not None:
            cells += _costs(row.evaluation)
        body.append(cells)
    caption = "The best machine of each group; lost is actDCF minus minDCF"
    return [paragraph(words), table(caption, headings, body, best=True)]


def certificates(result: StudyResult) -> list[str]:
    """Return the proofs of the best machine of each group."""
    words = (
        "Primal and dual value are recomputed from the problem and the multipliers alone, whatever "
        "the solver says. The optimum lies between both. The KKT violation is the largest one of "
        "any point, in units of the margin."
    )
    headings = [*_texts("machine", "data", "parameters"), *_numbers("primal", "dual")]
    headings += [*_numbers("relative gap", "KKT violation"), Cell("certificate", "text")]
    body = []
    for row in result.leaders:
        cells = _texts(row.family, row.preprocessing, params_text(row.params))
        cells += _numbers(f"{row.primal:.8g}", f"{row.dual:.8g}", small(row.relative_gap))
        body.append([*cells, Cell(small(row.kkt_violation)), _verdict(row)])
    caption = f"The best machine of each group; certified means to {result.certified_at:g}"
    return [paragraph(words), table(caption, headings, body)]


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


def own(section: Section) -> list[str]:
    """Return a section that the report's author wrote."""
    parts = [paragraph(text) for text in section.paragraphs]
    if section.headings:
        first, *others = section.headings
        body = [[Cell(row[0], "text"), *_numbers(*row[1:])] for row in section.rows]
        headings = [Cell(first, "text"), *_numbers(*others)]
        parts.append(table(section.caption or section.title, headings, body))
    return parts


def _costs(costs: Costs) -> list[Cell]:
    return _numbers(cost(costs.min_dcf), cost(costs.act_dcf), cost(costs.calibrated_act_dcf))


def _verdict(row: StudyRow) -> Cell:
    return Cell("certified", "text yes") if row.certified else Cell("not proved", "text no")


def _texts(*texts: str) -> list[Cell]:
    return [Cell(text, "text") for text in texts]


def _numbers(*texts: str) -> list[Cell]:
    return [Cell(text) for text in texts]
