r"""
The price of slack
==================

A soft margin minimises :math:`\frac12 \lVert w \rVert^2 + C \sum_i \xi_i`. Where slack is cheap
the margin is wide and many points lie inside; where it is dear the margin shrinks until hardly any
do. Whatever the data, :math:`\lVert w \rVert` never falls as :math:`C` grows and the sum of the
slacks never rises.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import certify, plot, solve
from maxmargin.problems import SoftMargin

random = np.random.default_rng(3)
y = np.repeat([-1.0, 1.0], 20)
X = random.normal(size=(40, 2)) + 1.1 * y[:, None]

# %%
# One problem, three prices. Ringed points lie on their margin, boxed ones short of it; a dotted
# line is a slack, drawn :math:`\xi_i / \lVert w \rVert` long.

prices = [0.02, 0.5, 50.0]
solutions = [solve(SoftMargin(X, y, C=C)) for C in prices]

figure, axes = plt.subplots(1, 3, figsize=(11, 4.6), sharex=True, sharey=True, layout="constrained")
for ax, C, solution in zip(axes, prices, solutions, strict=True):
    plot.boundary(solution, ax, legend=False)
    ax.set_aspect("equal")
    ax.set_title(f"C = {C:g}: margin {1 / np.linalg.norm(solution.w):.2f}")
handles, labels = axes[-1].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)

# %%
# The numbers behind the pictures, each with its proof:

certificates = [certify(solution.problem, solution) for solution in solutions]
norms = [float(np.linalg.norm(solution.w)) for solution in solutions]
slacks = [float(solution.slack.sum()) for solution in solutions]
for C, norm, slack, proof in zip(prices, norms, slacks, certificates, strict=True):
    print(
        f"C = {C:5g}: |w| = {norm:.3f}, slack {slack:6.2f}, {proof.n_free} free and "
        f"{proof.n_bounded} bounded support vectors, proved to 1e-6: {proof.holds(1e-6)}"
    )

plt.show()
