"""Objective values in rational arithmetic, from a problem and the numbers of a solution."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from maxmargin.kernels import Linear, Polynomial
from maxmargin.problems import Case, KernelProblem, Sphere

Exact = list[Fraction]


def exactly(values: Any) -> Exact:
    return [Fraction(float(value)) for value in np.asarray(values).ravel()]


def gram(problem: KernelProblem) -> list[Exact]:
    """K of the dual, with the constant of a regularised bias."""
    qp, kernel = problem.dual(), problem.kernel
    rows = [exactly(row) for row in np.asarray(problem.X, dtype=np.float64)]
    products = [[sum(map(Fraction.__mul__, a, b), Fraction(0)) for b in rows] for a in rows]
    if isinstance(kernel, Polynomial):
        gamma, coef0 = Fraction(kernel.gamma), Fraction(kernel.coef0)
        products = [[(gamma * value + coef0) ** kernel.degree for value in row] for row in products]
    else:
        assert isinstance(kernel, Linear)
    factor = 2 if isinstance(problem, Sphere) else 1
    return [[factor * value + Fraction(qp.constant) for value in row] for row in products]


class ExactQP:
    """The dual and the primal of a kernel machine in rational numbers."""

    def __init__(self, problem: KernelProblem) -> None:
        qp = problem.dual()
        self.qp = qp
        self.K = gram(problem)
        self.point = [int(place) for place in qp.point]
        self.sign, self.ridge, self.total = map(exactly, (qp.sign, qp.ridge, qp.total))
        self.linear = exactly(qp.linear)
        if isinstance(problem, Sphere):
            self.linear = [-self.K[i][i] / 2 for i in range(len(self.K))]
        self.cost = [None if np.isinf(cost) else Fraction(float(cost)) for cost in qp.cost]
        self.A = [exactly(row) for row in qp.equality]

    def expansion(self, signed: Exact) -> Exact:
        """K times the coefficients, for every variable."""
        n = len(self.K)
        coefficients = [Fraction(0)] * n
        for place, value in zip(self.point, signed, strict=True):
            coefficients[place] += value
        values = [sum((k * c for k, c in zip(row, coefficients, strict=True)), Fraction(0))
                  for row in self.K]  # fmt: skip
        return [values[place] for place in self.point]

    def pull(self, offsets: Exact) -> Exact:
        return [
            sum((row[i] * mu for row, mu in zip(self.A, offsets, strict=True)), Fraction(0))
            for i in range(len(self.sign))
        ]

    def primal(self, signed: Exact, offsets: Exact) -> Fraction:
        """The primal value of w = sum b phi(x) and the offsets."""
        expansion, pulled = self.expansion(signed), self.pull(offsets)
        value = sum((b * f for b, f in zip(signed, expansion, strict=True)), Fraction(0)) / 2
        for i, f in enumerate(expansion):
            slack = max(Fraction(0), -self.sign[i] * (f + self.linear[i] - pulled[i]))
            cost = self.cost[i]
            value += slack**2 / (2 * self.ridge[i]) if cost is None else cost * slack
        return value - sum((d * mu for d, mu in zip(self.total, offsets, strict=True)), Fraction(0))

    def polished(self, dual: np.ndarray) -> tuple[Exact, Exact] | None:
        """The point with the same free and bounded variables that is exactly stationary."""
        case = self.qp.case(dual)
        free = [int(i) for i in np.flatnonzero(case == Case.FREE)]
        signed = [Fraction(0)] * len(dual)
        for i in np.flatnonzero(case == Case.BOUNDED):
            cost = self.cost[i]
            assert cost is not None
            signed[i] = self.sign[i] * cost
        fixed = self.expansion(signed)
        m, k = len(free), len(self.total)
        system = []
        for i in free:
            row = [self.K[self.point[i]][self.point[j]] for j in free]
            row[free.index(i)] += self.ridge[i]
            system.append([*row, *(-self.A[q][i] for q in range(k)), -self.linear[i] - fixed[i]])
        for q in range(k):
            own = sum((a * b for a, b in zip(self.A[q], signed, strict=True)), Fraction(0))
            row = [*(self.A[q][j] for j in free), *([Fraction(0)] * k), self.total[q] - own]
            system.append(row)
        solved = solve(system)
        if solved is None:
            return None
        for place, value in zip(free, solved[:m], strict=True):
            signed[place] = value
        return signed, solved[m:]


def solve(system: list[Exact]) -> Exact | None:
    """Solve a square linear system given with its right-hand side; None if it is singular."""
    n = len(system)
    rows = [list(row) for row in system]
    for k in range(n):
        pivot = next((i for i in range(k, n) if rows[i][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(n):
            if i != k and rows[i][k] != 0:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [rows[k][n] / rows[k][k] for k in range(n)]
