"""The rows of a study's table: one machine each, with its costs, its size and its proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from maxmargin.report.setting import Setting
from maxmargin.typing import Bools, Floats

__all__ = ["Costs", "Scores", "StudyRow"]


@dataclass(frozen=True)
class Costs:
    """Normalised costs of one machine on one set of rows.

    Attributes
    ----------
    min_dcf, act_dcf : float
        Of its scores, at the best and at the theoretical threshold.
    calibrated_act_dcf : float
        Of its calibrated scores at the theoretical threshold.

    Examples
    --------
    >>> from maxmargin.study import Costs
    >>> costs = Costs(min_dcf=0.25, act_dcf=0.75, calibrated_act_dcf=0.375)
    >>> costs.act_dcf - costs.min_dcf  # what miscalibration costs
    0.5
    """

    min_dcf: float
    act_dcf: float
    calibrated_act_dcf: float


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of points that the machine was not trained on, before and after calibration."""

    positive: Bools
    raw: Floats
    calibrated: Floats

    def costs(self, setting: Setting) -> Costs:
        """Return what they cost."""
        return Costs(
            setting.minimum(self.positive, self.raw),
            setting.actual(self.positive, self.raw),
            setting.actual(self.positive, self.calibrated),
        )


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
    estimator : estimator
        The machine, or the pipeline that ends in it, not fitted.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from maxmargin.study import study
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
    estimator: Any
    scores: Scores

    @property
    def group(self) -> tuple[str, str]:
        """Family and preprocessing: what curves and heat maps are drawn for."""
        return self.family, self.preprocessing

    def as_dict(self) -> dict[str, Any]:
        """Return the row as one flat mapping, its parameters among the rest.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from maxmargin.study import study
        >>> X, y = load_iris(return_X_y=True)
        >>> row = study(X[50:], y[50:], {"rbf": {"C": [1.0]}}, pos_label=2).best
        >>> list(row.as_dict())[:5]
        ['rank', 'family', 'preprocessing', 'C', 'min_dcf']
        """
        flat: dict[str, Any] = {"rank": self.rank, "family": self.family}
        flat |= {"preprocessing": self.preprocessing, **self.params}
        costs = ("min_dcf", "act_dcf", "calibrated_act_dcf")
        flat |= {name: getattr(self, name) for name in costs}
        if self.evaluation is not None:
            flat |= {f"evaluation_{name}": getattr(self.evaluation, name) for name in costs}
        rest = ("n_support", "n_free", "n_bounded", "primal", "dual", "relative_gap")
        flat |= {name: getattr(self, name) for name in (*rest, "kkt_violation", "certified")}
        return flat
