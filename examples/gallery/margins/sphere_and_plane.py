r"""
Smallest sphere and one-class machine
=====================================

Points can be described by the smallest sphere around them, with slack, or by the plane that
separates them from the origin. If :math:`k(x, x)` is constant, all feature vectors lie on a sphere
around the origin, and a plane cuts out the same part of it as a smaller sphere. The two machines
then have the same boundary, and their decision values are proportional.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import OneClassSVM, solve
from maxmargin.kernels import RBF
from maxmargin.problems import Sphere

random = np.random.default_rng(0)
X = random.normal(size=(60, 2)) @ [[1.2, 0.5], [0.0, 0.6]]
nu, n = 0.15, len(X)
grid = np.stack(np.meshgrid(np.linspace(-4, 4, 150), np.linspace(-3.2, 3.4, 120)), axis=-1)
places = grid.reshape(-1, 2)

# %%
# The penalty C that corresponds to nu is 1 / (nu n). With C = 1 or more no point is outside.

flat = [solve(Sphere.from_nu(X, nu)), solve(Sphere(X, C=1))]
sphere = solve(Sphere.from_nu(X, nu, kernel=RBF(0.5)))
plane = OneClassSVM(nu=nu, gamma=0.5).fit(X)
values = {"sphere": sphere.decision(places), "plane": plane.decision_function(places)}
difference = np.abs(values["sphere"] - 2 / (nu * n) * values["plane"]).max()
print(f"largest difference between sphere and 2 / (nu n) times plane: {difference:.1e}")

figure, axes = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
for solution, style, label in zip(
    flat, ("-", "--"), ("circle with slack", "circle around all"), strict=True
):
    circle = plt.Circle(solution.w, solution.level**0.5, fill=False, linestyle=style, label=label)
    axes[0].add_patch(circle)
axes[0].set_title("linear kernel: circles")
for name, colour, width, style in (("sphere", "C1", 6, "-"), ("plane", "black", 1.5, "--")):
    axes[1].contour(
        *np.moveaxis(grid, -1, 0),
        values[name].reshape(grid.shape[:2]),
        levels=[0],
        colors=[colour],
        linewidths=[width],
        linestyles=[style],
    )
    axes[1].plot([], [], color=colour, linewidth=width, linestyle=style, label=name)
axes[1].set_title("Gaussian kernel: the same boundary")
for ax in axes:
    ax.scatter(*X.T, s=18, color="C0", zorder=3)
    ax.set(xlabel="$x_1$", ylabel="$x_2$", xlim=(-4, 4), ylim=(-3.2, 3.4), aspect="equal")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), frameon=False, ncols=2)
plt.show()
