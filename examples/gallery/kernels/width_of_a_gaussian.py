r"""
The width of a Gaussian
=======================

In :math:`k(x, z) = e^{-\gamma \lVert x - z \rVert^2}` the parameter :math:`\gamma` determines how
far the influence of a point reaches. If it is small, the boundary is nearly straight; if it is
large, the machine memorises the training points and does not generalise.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from maxmargin import SVC, plot

X, y = make_moons(80, noise=0.25, random_state=0)
X_new, y_new = make_moons(2000, noise=0.25, random_state=1)

gammas = [0.05, 1.0, 20.0, 200.0]
figure, axes = plt.subplots(
    2, 2, figsize=(9.5, 7.5), sharex=True, sharey=True, layout="constrained"
)
errors, training_errors = [], []
for ax, gamma in zip(axes.flat, gammas, strict=True):
    machine = SVC(C=10, gamma=gamma).fit(X, y)
    training_errors.append(1 - machine.score(X, y))
    errors.append(1 - machine.score(X_new, y_new))
    plot.boundary(machine, ax, legend=False)
    ax.set_title(
        rf"$\gamma$ = {gamma:g}: training error {training_errors[-1]:.0%}, test {errors[-1]:.0%}"
    )
    ax.label_outer()
handles, names = axes[0, 0].get_legend_handles_labels()
figure.legend(handles, names, loc="outside lower center", ncols=4, frameon=False)

# %%
# As :math:`\gamma` grows, the Gram matrix tends to the identity, and :math:`f(x_i)` tends to
# :math:`a_i y_i + b`. With as many points of either label, b is 0 and every multiplier is 1, if C
# is at least 1.

limit = SVC(C=10, gamma=1e6).fit(X, y)
multipliers, b = np.abs(limit.dual_coef_[0]), float(limit.intercept_[0])
print(f"multipliers from {multipliers.min():.6f} to {multipliers.max():.6f}, b = {abs(b):.6f}")
plt.show()
