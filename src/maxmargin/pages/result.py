"""What a study returns: the ranked table, in the terminal, as a frame, as a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table as RichTable

from maxmargin.certificates import Certificate
from maxmargin.errors import MissingDependencyError
from maxmargin.pages.costs import Costs, Scores, Setting
from maxmargin.pages.page import Report, Section, render, require_extra
from maxmargin.pages.verdict import at_tolerance
from maxmargin.pages.words import cost, params_text, small

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console, ConsoleOptions, RenderResult

    from maxmargin.pages.runs import Protocol

__all__ = ["OF_THE_CERTIFICATE", "Study", "StudyRow"]

#: What a row repeats of its certificate.
OF_THE_CERTIFICATE = ("n_free", "n_bounded", "primal", "dual", "relative_gap", "kkt_violation")

_COSTS = ("min_dcf", "act_dcf", "calibrated_act_dcf")

# Rows that the terminal shows.
_SHOWN = 20

_TITLE = "A study of support vector machines"


@dataclass(frozen=True, eq=False)
class StudyRow:
    """One machine of a study, in its place in the ranking.

    Attributes
    ----------
    rank : int
        From 1, the least minimum cost; ties go to the cheaper calibrated decisions, then to fewer
        support vectors.
    family, preprocessing : str
        Which kernel, on which variant of the data.
    params : dict
        Its point of the family's grid.
    min_dcf, act_dcf, calibrated_act_dcf : float
        Normalised costs that it is ranked by; see `maxmargin.metrics`.
    evaluation : Costs or None
        The same costs on evaluation data that no choice has seen, if there is any.
    n_support, n_free, n_bounded : int
        Support vectors of the machine: all, on the margin, at their bound.
    primal, dual, relative_gap, kkt_violation : float
        Of its certificate.
    certified : bool
        Whether the certificate holds to the study's tolerance.
    claim : str
        What the certificate proves, in a sentence.
    certificate : Certificate
        All of it, without the training data.
    estimator : estimator
        The machine, or the pipeline that ends in it, not fitted.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from maxmargin.pages import study
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> row = study(X, y, {"linear": {"C": [0.01, 1.0]}}, preprocessing="standardised").best
    >>> row.family, row.params, row.n_support == row.n_free + row.n_bounded
    ('linear', {'C': 0.01}, True)
    """

    rank: int
    family: str
    preprocessing: str
    params: dict[str, Any]
    min_dcf: float
    act_dcf: float
    calibrated_act_dcf: float
    evaluation: Costs | None
    n_support: int
    n_free: int
    n_bounded: int
    primal: float
    dual: float
    relative_gap: float
    kkt_violation: float
    certified: bool
    claim: str
    certificate: Certificate
    estimator: Any
    scores: Scores

    @property
    def group(self) -> tuple[str, str]:
        """Family and preprocessing: what curves and heat maps are drawn for."""
        return self.family, self.preprocessing

    @property
    def group_text(self) -> str:
        """Family and preprocessing in one line."""
        return ", ".join(self.group)

    def as_dict(self) -> dict[str, Any]:
        """Return the row as one flat mapping, its parameters among the rest."""
        own = {name: getattr(self, name) for name in ("rank", "family", "preprocessing")}
        costs = {name: getattr(self, name) for name in _COSTS}
        if self.evaluation is not None:
            costs |= {f"evaluation_{name}": getattr(self.evaluation, name) for name in _COSTS}
        rest = ("n_support", *OF_THE_CERTIFICATE, "certified")
        return own | self.params | costs | {name: getattr(self, name) for name in rest}


@dataclass(frozen=True, eq=False)
class Study:
    """The machines of a study, ranked; made by `study`.

    Attributes
    ----------
    table : tuple of StudyRow
        All machines, best first.
    setting : Setting
        Prior and costs.
    labels : tuple
        The negative and the positive label.
    protocol : Protocol
        Which rows were trained on and judged.
    n_evaluation : int
        Rows of the evaluation data; 0 without any.
    certified_at : float
        The tolerance that `StudyRow.certified` is about.
    seconds : float
        What all of it took.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from maxmargin.pages import study
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> result = study(X, y, {"linear": {"C": [0.01, 1.0]}}, preprocessing="standardised")
    >>> result
    <Study: 2 machines, best linear on standardised data, C = 0.01, minDCF 0.2021>
    >>> result.find(C=1.0).rank
    2
    """

    table: tuple[StudyRow, ...]
    setting: Setting
    labels: tuple[Any, Any]
    protocol: Protocol
    n_evaluation: int
    certified_at: float
    seconds: float

    @property
    def best(self) -> StudyRow:
        """The first row."""
        return self.table[0]

    @property
    def leaders(self) -> list[StudyRow]:
        """The best row of each family on each variant of the data, best first."""
        first: dict[tuple[str, str], StudyRow] = {}
        for row in self.table:
            first.setdefault(row.group, row)
        return list(first.values())

    def find(
        self, family: str | None = None, preprocessing: str | None = None, **params: Any
    ) -> StudyRow:
        """Return the best row with this family, preprocessing and values of its grid's parameters.

        Any family and preprocessing by default. A KeyError says that there is none.
        """
        for row in self.table:
            wanted = (family in (None, row.family), preprocessing in (None, row.preprocessing))
            own = (k in row.params and row.params[k] == value for k, value in params.items())
            if all(wanted) and all(own):
                return row
        raise KeyError(f"No machine of the study has {family=}, {preprocessing=}, {params}.")

    def to_frame(self) -> pd.DataFrame:
        """Return the table as a pandas DataFrame, a column for each parameter among the rest."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingDependencyError(
                "to_frame needs pandas: install it with pip install pandas."
            ) from None
        return pd.DataFrame([row.as_dict() for row in self.table])

    def report(
        self,
        *,
        title: str = _TITLE,
        introduction: Sequence[str] = (),
        sections: Sequence[Section] = (),
    ) -> Report:
        """Return the study as one page that holds its pictures and loads nothing.

        Parameters
        ----------
        title : str
            Of the page.
        introduction : sequence of str
            Paragraphs that come first.
        sections : sequence of Section
            Sections of your own, after the ranking.

        Returns
        -------
        Report
            The page, and `Report.save`.
        """
        require_extra()
        from maxmargin.pages.sections import study_parts

        return render(title, introduction, study_parts(sections), self, study=self)

    def to_html(
        self,
        path: str | PathLike[str],
        *,
        title: str = _TITLE,
        introduction: Sequence[str] = (),
        sections: Sequence[Section] = (),
    ) -> Path:
        """Write the page that `report` returns to a file, and return the file's path."""
        page = self.report(title=title, introduction=introduction, sections=sections)
        return page.save(path)

    def __repr__(self) -> str:
        best = self.best
        return (
            f"<Study: {len(self.table)} machines, best {best.family} on {best.preprocessing} "
            f"data, {params_text(best.params)}, minDCF {cost(best.min_dcf)}>"
        )

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        del console, options
        first = f"The first {_SHOWN} of " if len(self.table) > _SHOWN else ""
        caption = f"{first}{len(self.table)} machines"
        table = RichTable("machine", title="Ranking by minDCF", caption=caption)
        names = ["minDCF", "actDCF", "calibrated"]
        if self.n_evaluation:
            names += ["evaluation\nminDCF", "\ncalibrated"]
        for name in [*names, "support", "free", "gap"]:
            table.add_column(name, justify="right", no_wrap=True)
        for row in self.table[:_SHOWN]:
            costs = [row.min_dcf, row.act_dcf, row.calibrated_act_dcf]
            if row.evaluation is not None:
                costs += [row.evaluation.min_dcf, row.evaluation.calibrated_act_dcf]
            found = at_tolerance(row.certificate, self.certified_at)
            table.add_row(
                f"{row.rank}. {row.group_text}: {params_text(row.params)}",
                *map(cost, costs),
                str(row.n_support),
                str(row.n_free),
                f"{small(row.relative_gap)} {found.mark}",
            )
        yield table
