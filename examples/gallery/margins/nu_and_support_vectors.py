r"""
What nu promises
================

The nu form of the margin has no price :math:`C` but a fraction :math:`\nu`. Its multipliers are at
most 1 and sum to :math:`\nu n`. Two bounds follow by counting: at most :math:`\nu n` points are at
the bound, among them every point short of its margin, and at least :math:`\nu n` points are
support vectors. The dashed diagonal therefore lies between the two curves, on any data.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from maxmargin import analyse_support, solve
from maxmargin.kernels import RBF
from maxmargin.problems import NuMargin

X, labels = make_moons(100, noise=0.3, random_state=0)
y = 2.0 * labels - 1.0

nus = np.arange(1, 20) / 20
solutions = [solve(NuMargin(X, y, nu=nu, kernel=RBF(1.0))) for nu in nus]
totals = [analyse_support(solution.problem, solution).total for solution in solutions]
bounded = np.array([total.n_bounded for total in totals]) / len(y)
support = np.array([total.n_support for total in totals]) / len(y)
margin_errors = np.array([np.mean(s.slack > 1e-6 * s.level) for s in solutions])

figure, ax = plt.subplots(figsize=(6.4, 4.8), layout="constrained")
ax.fill_between(nus, bounded, support, alpha=0.15, color="C0", label="free support vectors")
ax.plot(nus, support, marker="o", markersize=4, label="support vectors")
ax.plot(nus, nus, color="black", linestyle="--", label="nu itself")
ax.plot(nus, bounded, marker="s", markersize=4, label="bounded ones, among them all errors")
ax.set(xlabel="nu", ylabel="fraction of the points", xlim=(0, 1), ylim=(0, 1))
ax.legend()

print("bounded <= nu <= support vectors:", bool(np.all((bounded <= nus) & (nus <= support))))
plt.show()
