"""The costs that decisions are judged by: a prior and the prices of both errors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from maxmargin.metrics import act_dcf, bayes_threshold, effective_prior, min_dcf
from maxmargin.typing import Bools, Floats

__all__ = ["Setting"]


@dataclass(frozen=True)
class Setting:
    """Prior of the positive class, and what a miss and a false alarm cost.

    Examples
    --------
    >>> from maxmargin.report.setting import Setting
    >>> setting = Setting(prior=0.5, cost_fn=1.0, cost_fp=9.0)
    >>> round(setting.effective_prior, 3), round(setting.threshold, 4)
    (0.1, 2.1972)
    """

    prior: float
    cost_fn: float
    cost_fp: float

    def __post_init__(self) -> None:
        # Refuses what is no prior or no cost before anything is trained.
        effective_prior(self.prior, self.cost_fn, self.cost_fp)

    @cached_property
    def effective_prior(self) -> float:
        """The prior that asks for the same decisions at unit costs."""
        return effective_prior(self.prior, self.cost_fn, self.cost_fp)

    @cached_property
    def threshold(self) -> float:
        """Where log-likelihood ratios are cut."""
        return bayes_threshold(self.prior, self.cost_fn, self.cost_fp)

    def minimum(self, positive: Bools, scores: Floats) -> float:
        """Return the normalised cost at the best threshold."""
        return min_dcf(positive, scores, self.prior, self.cost_fn, self.cost_fp)

    def actual(self, positive: Bools, scores: Floats) -> float:
        """Return the normalised cost at the theoretical threshold."""
        return act_dcf(positive, scores, self.prior, self.cost_fn, self.cost_fp)
