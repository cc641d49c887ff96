"""Values of machines at points that they were not trained on, fold by fold, over one engine.

A fold is the machine's own program with the costs of the held-out points at zero. Their variables
stay, so that the engine knows the gradient, and with it the decision value, there too. A fold
starts from the solution for all points, whose kernel sums are known. Where the run that found it
has kept the held-out points' part of them apart, only rows of variables that move are needed;
otherwise those of held-out support vectors are, too.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from sklearn.exceptions import ConvergenceWarning

from maxmargin.estimators.pairs import Contest, bias_of
from maxmargin.estimators.plan import ClassPlan
from maxmargin.estimators.run import STOPPED, Former, Limits, Outcome, run
from maxmargin.solvers.engine import Engine
from maxmargin.typing import Floats, Integers

__all__ = ["HeldOut", "held_out_values"]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """A fold of one machine.

    Attributes
    ----------
    machine : int
        Its place among the contests.
    points : ndarray of shape (h,)
        Those held out, by position in the contest.
    weight : ndarray of shape (m,)
        Of the contest's points in training; zero for those held out.
    part : int, optional
        Which part of the kernel sums is that of the points held out.
    """

    machine: int
    points: Integers
    weight: Floats
    part: int | None = None

    def has_both_sides(self, contest: Contest) -> bool:
        """Say whether both classes have a training point."""
        sides = contest.sign[self.weight > 0]
        return len(sides) > 0 and bool((sides != sides[0]).any())


def held_out_values(
    engine: Engine,
    plan: ClassPlan,
    limits: Limits,
    folds: Sequence[HeldOut],
    whole: Sequence[Outcome],
) -> list[Floats] | None:
    """Return the decision values of each fold's machine at the points it was not trained on.

    Parameters
    ----------
    engine : Engine
        That solved the programs of all points.
    plan : ClassPlan
        Those programs.
    limits : Limits
        What ends a run.
    folds : sequence of HeldOut
        Each with points of both classes to train on.
    whole : sequence of Outcome
        Their solutions.

    Returns
    -------
    list of ndarray, or None
        None if the run was stopped.
    """
    contests, qps, forms, formers = plan.layout.decomposition.contests, [], [], []
    for fold in folds:
        contest = contests[fold.machine]
        form = plan.forms[fold.machine]
        form = form.without_infeasibility(contest.sign, fold.weight, plan.bias)
        forms.append(form)
        qps.append(form.dual(plan.gram, contest.point, contest.sign, fold.weight, plan.bias))
        before = whole[fold.machine]
        answer = before.answer
        left_out = None
        if answer.parts is not None and fold.part is not None:
            left_out = answer.parts[fold.part]
        formers.append(
            Former(answer.signed, before.qp.cost, answer.gradient, answer.sums, left_out)
        )
    outcomes = run(engine, qps, limits, formers=formers)
    if any(found.answer.ending in STOPPED for found in outcomes):
        return None
    short = sum(not found.answer.converged for found in outcomes)
    if short:
        warnings.warn(
            f"{short} of the {len(qps)} fits behind predict_proba did not converge.",
            ConvergenceWarning,
            stacklevel=5,
        )
    values = []
    for fold, form, found in zip(folds, forms, outcomes, strict=True):
        sign = contests[fold.machine].sign
        offsets = form.settled(found.offsets(), sign, fold.weight)
        level = form.level(offsets)
        constant = plan.gram.constant * float(found.signed.sum())
        intercept = bias_of(plan.bias, found.signed, offsets) - constant
        sums = (found.answer.gradient - found.qp.linear)[fold.points]
        values.append((sums + intercept) / (level if level > 0 else 1.0))
    return values
