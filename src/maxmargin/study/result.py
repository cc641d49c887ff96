"""What a study returns: the ranked table, in the terminal, as a frame, as a page."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table as RichTable

from maxmargin.errors import MissingDependencyError
from maxmargin.report.page import save_page
from maxmargin.report.setting import Setting
from maxmargin.report.words import cost, params_text, small
from maxmargin.study.protocol import Protocol
from maxmargin.study.rows import StudyRow

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console, ConsoleOptions, RenderResult

    from maxmargin.study.own import Section

__all__ = ["StudyResult"]

_SHOWN = 20


@dataclass(frozen=True, eq=False)
class StudyResult:
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
    >>> from maxmargin.study import study
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> result = study(X, y, {"linear": {"C": [0.01, 1.0]}}, preprocessing="standardised")
    >>> result
    <StudyResult: 2 machines, best linear on standardised data, C = 0.01, minDCF 0.2021>
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
        """Return the best row with this family, preprocessing and these parameters.

        Parameters
        ----------
        family, preprocessing : str, optional
            Any by default.
        **params
            Values of its grid's parameters.

        Returns
        -------
        StudyRow
            A KeyError says that there is none.
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

    def to_html(
        self,
        path: str | PathLike[str],
        *,
        title: str = "A study of support vector machines",
        introduction: Sequence[str] = (),
        sections: Sequence[Section] = (),
    ) -> Path:
        """Write a report that needs nothing but itself: one page, pictures included.

        Parameters
        ----------
        path : path
            The file.
        title : str
            Of the page.
        introduction : sequence of str
            Paragraphs that come first.
        sections : sequence of Section
            Sections of your own, behind the ranking.

        Returns
        -------
        pathlib.Path
            The file.
        """
        # Matplotlib is an extra; where it is missing, maxmargin.plot says how to install it.
        importlib.import_module("maxmargin.plot")
        from maxmargin.study.page import study_page

        return save_page(study_page(self, title, introduction, sections), path)

    def __repr__(self) -> str:
        best = self.best
        return (
            f"<StudyResult: {len(self.table)} machines, best {best.family} on {best.preprocessing} "
            f"data, {params_text(best.params)}, minDCF {cost(best.min_dcf)}>"
        )

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        del console, options
        caption = f"{len(self.table)} machines"
        if len(self.table) > _SHOWN:
            caption = f"The first {_SHOWN} of {caption}"
        table = RichTable(title="Ranking by minDCF", caption=caption)
        table.add_column("machine")
        names = ["minDCF", "actDCF", "calibrated"]
        if self.n_evaluation:
            names += ["evaluation\nminDCF", "\ncalibrated"]
        for name in [*names, "support", "free", "gap"]:
            table.add_column(name, justify="right", no_wrap=True)
        for row in self.table[:_SHOWN]:
            words = f"{row.rank}. {row.family}, {row.preprocessing}: {params_text(row.params)}"
            cells = [cost(row.min_dcf), cost(row.act_dcf), cost(row.calibrated_act_dcf)]
            if row.evaluation is not None:
                cells += [cost(row.evaluation.min_dcf), cost(row.evaluation.calibrated_act_dcf)]
            proof = f"{small(row.relative_gap)} {'✓' if row.certified else '✗'}"
            table.add_row(words, *cells, str(row.n_support), str(row.n_free), proof)
        yield table
