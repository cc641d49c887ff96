r"""
The width of a Gaussian
=======================

:math:`k(x, z) = e^{-\gamma \lVert x - z \rVert^2}` says how far a point's opinion carries. With a
small :math:`\gamma` it reaches across the data and the boundary is nearly straight; with a large
one every point speaks for itself, the training points are learnt by heart and new ones are not.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from maxmargin import plot, solve
from maxmargin.kernels import RBF
from maxmargin.problems import SoftMargin

X, labels = make_moons(80, noise=0.25, random_state=0)
y = 2.0 * labels - 1.0
X_new, new_labels = make_moons(2000, noise=0.25, random_state=1)
y_new = 2.0 * new_labels - 1.0

gammas = [0.05, 1.0, 20.0, 200.0]
figure, axes = plt.subplots(
    2, 2, figsize=(9.5, 7.5), sharex=True, sharey=True, layout="constrained"
)
errors, training_errors = [], []
for ax, gamma in zip(axes.flat, gammas, strict=True):
    solution = solve(SoftMargin(X, y, C=10, kernel=RBF(gamma)))
    training_errors.append(float(np.mean(np.sign(solution.decision(X)) != y)))
    errors.append(float(np.mean(np.sign(solution.decision(X_new)) != y_new)))
    plot.boundary(solution, ax, legend=False)
    ax.set_title(
        rf"$\gamma$ = {gamma:g}: error {training_errors[-1]:.0%}, of new points {errors[-1]:.0%}"
    )
    ax.label_outer()
handles, names = axes[0, 0].get_legend_handles_labels()
figure.legend(handles, names, loc="outside lower center", ncols=4, frameon=False)

# %%
# At the far end no two points resemble each other, and the Gram matrix becomes the identity. Then
# :math:`f(x_i) = a_i y_i + b`; with as many points of either label b is 0, and every multiplier is
# 1, if C allows it.

limit = solve(SoftMargin(X, y, C=10, kernel=RBF(1e6)))
print(f"multipliers from {limit.dual.min():.6f} to {limit.dual.max():.6f}, b = {abs(limit.b):.6f}")
plt.show()
