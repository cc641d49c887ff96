"""Prior and costs of errors, and what the scores of a machine cost by them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from maxmargin.metrics import act_dcf, bayes_threshold, effective_prior, min_dcf
from maxmargin.typing import Bools, Floats

__all__ = ["Costs", "Scores", "Setting"]


class Setting(NamedTuple):
    """Prior of the positive class, and what a miss and a false alarm cost.

    Unpacked, it is what the functions of `maxmargin.metrics` take.
    """

    prior: float
    cost_fn: float
    cost_fp: float

    @property
    def effective_prior(self) -> float:
        """The prior that asks for the same decisions at unit costs."""
        return effective_prior(*self)

    @property
    def threshold(self) -> float:
        """The threshold for log-likelihood ratios."""
        return bayes_threshold(*self)


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
    >>> from maxmargin.pages import Costs
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
            min_dcf(self.positive, self.raw, *setting),
            act_dcf(self.positive, self.raw, *setting),
            act_dcf(self.positive, self.calibrated, *setting),
        )
