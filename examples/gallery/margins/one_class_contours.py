r"""
Where the points lie
====================

A one-class machine encloses its points. :math:`\nu` says how many of them it may leave outside: at
most a fraction :math:`\nu` is, and at least a fraction :math:`\nu` are support vectors. With many
points and a smooth kernel both fractions come close to :math:`\nu`.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import certify, plot, solve
from maxmargin.kernels import RBF
from maxmargin.problems import OneClass

random = np.random.default_rng(2)
angle = random.uniform(0, 1.4 * np.pi, size=150)
arc = 2 * np.column_stack([np.cos(angle), np.sin(angle)]) + 0.25 * random.normal(size=(150, 2))
X = np.vstack([arc, 0.3 * random.normal(size=(50, 2)) + [1.5, -1.5]])

nus = [0.05, 0.2, 0.5]
solutions = [solve(OneClass(X, nu=nu, kernel=RBF(1.0))) for nu in nus]
outside, support = [], []

figure, axes = plt.subplots(1, 3, figsize=(12, 4.6), sharey=True, layout="constrained")
for ax, nu, solution in zip(axes, nus, solutions, strict=True):
    plot.boundary(solution, ax, legend=False, padding=0.15)
    outside.append(float(np.mean(solution.slack > 1e-6 * solution.level)))
    support.append(len(solution.support) / len(X))
    ax.set_aspect("equal")
    ax.set_title(f"nu = {nu:g}: {outside[-1]:.1%} outside")
handles, labels = axes[1].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside lower center", ncols=6, frameon=False)

for nu, out, carried, solution in zip(nus, outside, support, solutions, strict=True):
    proof = certify(solution.problem, solution)
    print(f"{out:.3f} <= nu = {nu:.3f} <= {carried:.3f}, relative gap {proof.relative_gap:.0e}")
plt.show()
