"""The compiled learner of linear machines from rows that come one after the other.

Minimises lambda/2 |w|^2 + slope b + mean of class weight * loss over the rows. The state of the
machines is held here in arrays, so that it can be saved, copied and continued; its size does not
depend on how many rows were learnt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

import maxmargin._native as _native
from maxmargin.kernels.blocks import default_threads
from maxmargin.solvers.linear.engine import native_matrix
from maxmargin.solvers.online.rows import Rows
from maxmargin.solvers.solution import Ending
from maxmargin.typing import Floats, Integers

__all__ = ["Learnt", "OnlineLearner", "OnlineRule"]

_LOSSES = {
    "hinge": _native.OnlineLoss.hinge,
    "squared_hinge": _native.OnlineLoss.squared_hinge,
}
_STEPS = {
    "adaptive": _native.OnlineStep.adaptive,
    "proximal": _native.OnlineStep.proximal,
    "pegasos": _native.OnlineStep.pegasos,
}

# The fields of the core's OnlineNumbers, in its order.
_NUMBERS = np.dtype(
    [
        (name, np.float64)
        for name in (
            "seen",
            "bias",
            "mean_bias",
            "size",
            "loss",
            "total_loss",
            "scale",
            "share",
            "carried",
            "norm",
            "bias_squares",
            "bias_reach",
            "bias_length",
            "bias_touched",
        )
    ]
)

# The t-th iterate weighs t^3 in the mean.
_DECAY = 3


@dataclass(frozen=True)
class OnlineRule:
    """What is minimised, and by which steps.

    Attributes
    ----------
    alpha : float
        lambda, the weight of |w|^2 / 2.
    loss : {"hinge", "squared_hinge"}
        Of a margin below one.
    step : {"adaptive", "proximal", "pegasos"}
        See native/linear/online/online.h. Pegasos takes the hinge loss and a bias that is
        penalised, or none; a slope and a scaled bias are for proximal steps.
    bias : {"none", "regularised", "free", "scaled"}
        Whether there is one, and whether `alpha` penalises it; a scaled one is free, and its steps
        grow with the norms of the rows.
    bias_slope : float
        The coefficient of b in the objective.
    """

    alpha: float
    loss: Literal["hinge", "squared_hinge"] = "hinge"
    step: Literal["adaptive", "proximal", "pegasos"] = "adaptive"
    bias: Literal["none", "regularised", "free", "scaled"] = "regularised"
    bias_slope: float = 0.0

    def native(self, largest_weight: float) -> _native.OnlineRule:
        """Return the rule as the core knows it."""
        return _native.OnlineRule(
            _LOSSES[self.loss],
            _STEPS[self.step],
            self.alpha,
            0.0 if self.bias == "none" else 1.0,
            self.bias == "scaled",
            self.bias == "regularised",
            self.bias_slope,
            largest_weight,
        )


@dataclass(frozen=True)
class Learnt:
    """How a call ended: rows that every machine has learnt, and what stopped it, if anything."""

    n_rows: int
    ending: Ending | None


class OnlineLearner:
    """Machines over the same features, each for one label against the others.

    Parameters
    ----------
    n_machines, n_features : int
        A single machine is for label 1 against the others.
    rule : OnlineRule
        Of which the steps matter: what a machine keeps depends on them.
    bias : float
        Where the bias starts.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.solvers.online import OnlineLearner, OnlineRule, Rows
    >>> rows = Rows(np.array([[-1.0], [1.0]]), np.array([0, 1]), np.ones(2), np.ones(2))
    >>> rule = OnlineRule(alpha=0.01)
    >>> learner = OnlineLearner(1, 1, rule)
    >>> for _ in range(2000):
    ...     end = learner.learn(rows, rule)
    >>> weights, bias = learner.weights(rule)
    >>> weights.round(2) + 0.0, learner.seen
    (array([[1.]]), 4000.0)
    """

    def __init__(
        self, n_machines: int, n_features: int, rule: OnlineRule, bias: float = 0.0
    ) -> None:
        self.is_adaptive = rule.step == "adaptive"
        self.vectors = np.zeros((n_machines, 6 if self.is_adaptive else 2, n_features))
        self.numbers = np.zeros(n_machines, _NUMBERS)
        self.numbers["scale"] = self.numbers["share"] = 1.0
        self.numbers["bias"] = self.numbers["mean_bias"] = bias

    def learn(
        self,
        rows: Rows,
        rule: OnlineRule,
        *,
        order: Integers | None = None,
        n_jobs: int | None = None,
        seconds: float | None = None,
    ) -> Learnt:
        """Learn rows once each.

        Parameters
        ----------
        rows : Rows
            All of positive weight.
        rule : OnlineRule
            What is minimised.
        order : ndarray, optional
            The rows to learn, in this order; by default all as they come.
        n_jobs : int, optional
            Threads, at most; each machine is learnt by one.
        seconds : float, optional
            After which to stop.
        """
        of_class = np.ascontiguousarray(rows.class_weight, np.float64)
        given = _native.OnlineRows(
            np.arange(rows.n_rows) if order is None else np.ascontiguousarray(order, np.int64),
            np.ascontiguousarray(rows.labels, np.int32),
            np.ascontiguousarray(rows.weight, np.float64),
            of_class,
        )
        n_learnt, reason = _native.learn_online(
            native_matrix(rows.X),
            given,
            rule.native(float(of_class.max())),
            self._machines(),
            default_threads() if n_jobs is None else n_jobs,
            -1.0 if seconds is None else seconds,
        )
        return Learnt(n_learnt, Ending(reason) if reason else None)

    def _machines(self) -> _native.OnlineMachines:
        n_machines = len(self.numbers)
        return _native.OnlineMachines(
            self.vectors.reshape(n_machines, -1),
            self.numbers.view(np.float64).reshape(n_machines, -1),
        )

    def like(self, other: OnlineLearner) -> bool:
        """Return whether both are as many machines over as many features, with the same steps."""
        return self.vectors.shape == other.vectors.shape

    def weights(self, rule: OnlineRule, *, average: bool = True) -> tuple[Floats, Floats]:
        """Return weights and biases: the mean over all rows, recent ones weighing more, or last."""
        if self.is_adaptive:
            last, mean = self._up_to_date(rule)
            return mean if average else last
        directions, corrections = self.vectors[:, 0], self.vectors[:, 1]
        if not average:
            return self._column("scale") * directions, self.numbers["bias"].copy()
        combined = corrections + self._column("carried") * directions
        return self._column("share") * combined, self.numbers["mean_bias"].copy()

    def objectives(self, rule: OnlineRule, loss: Floats) -> Floats:
        """Return the objective of each machine's mean weights, given their mean loss."""
        weights, bias = self.weights(rule)
        norm = (weights**2).sum(axis=1) + (bias**2 if rule.bias == "regularised" else 0.0)
        values: Floats = 0.5 * rule.alpha * norm + rule.bias_slope * bias + loss
        return values

    def _up_to_date(self, rule: OnlineRule) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        """Return last and mean weights and biases; features are updated by rows that have them."""
        weight, mean, _, _, length, touched = np.moveaxis(self.vectors, 1, 0)
        now, penalty = self.numbers, rule.alpha if rule.bias == "regularised" else 0.0
        weights, means = _waited(weight, mean, rule.alpha * length, touched, self._column("seen"))
        biases, mean_biases = _waited(
            now["bias"],
            now["mean_bias"],
            penalty * now["bias_length"],
            now["bias_touched"],
            now["seen"],
        )
        return (weights, biases), (means, mean_biases)

    def _column(self, name: str) -> Floats:
        return self.numbers[name][:, None]

    @property
    def seen(self) -> float:
        """The total weight of all rows learnt."""
        return float(self.numbers["seen"][0])

    @property
    def total_loss(self) -> Floats:
        """The weighted sum of these losses over all rows."""
        return self.numbers["total_loss"].copy()

    @property
    def loss(self) -> Floats:
        """The loss of each machine's mean on rows it had not learnt then, recent ones first."""
        return self.numbers["loss"].copy()


def _waited(
    last: Floats, mean: Floats, pull: Floats, since: Floats, until: Floats
) -> tuple[Floats, Floats]:
    """Return the last iterate and the mean after a time without a row, as adaptive.h has it."""
    passed = pull * (until - since)
    kept = np.divide(since, until, out=np.ones_like(last), where=until > 0) ** (_DECAY + 1)
    halfway = last / (1.0 + 0.5 * passed)
    return last / (1.0 + passed), kept * mean + (1.0 - kept) * halfway
