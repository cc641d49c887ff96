r"""
A sphere is a plane, seen from the kernel
=========================================

One may describe points by the smallest sphere around them (slack allowed), or by the plane that
cuts them off from the origin. With a kernel whose :math:`k(x, x)` is the same everywhere all
images lie on one sphere around the origin; what a smaller sphere cuts out of it, a plane does too.
The two machines then have the same boundary, and the decision of one is a multiple of the other's.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import solve
from maxmargin.kernels import RBF
from maxmargin.problems import OneClass, Sphere

random = np.random.default_rng(0)
X = random.normal(size=(60, 2)) @ [[1.2, 0.5], [0.0, 0.6]]
nu, n = 0.15, len(X)
grid = np.stack(np.meshgrid(np.linspace(-4, 4, 150), np.linspace(-3.2, 3.4, 120)), axis=-1)
places = grid.reshape(-1, 2)

# %%
# The price of slack that matches a fraction nu is 1 / (nu n); at a price of 1 or more no point
# stays outside.

flat = [solve(Sphere.from_nu(X, nu)), solve(Sphere(X, C=1))]
sphere = solve(Sphere.from_nu(X, nu, kernel=RBF(0.5)))
plane = solve(OneClass(X, nu=nu, kernel=RBF(0.5)))
difference = np.abs(sphere.decision(places) - 2 / (nu * n) * plane.decision(places)).max()
print(f"sphere less 2 / (nu n) times plane, anywhere: {difference:.1e} at most")

figure, axes = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
for solution, style, label in zip(flat, ("-", "--"), ("with slack", "without"), strict=True):
    circle = plt.Circle(solution.w, solution.level**0.5, fill=False, linestyle=style, label=label)
    axes[0].add_patch(circle)
axes[0].set_title("linear kernel: circles")
for solution, colour, width, style in ((sphere, "C1", 6, "-"), (plane, "black", 1.5, "--")):
    values = solution.decision(places).reshape(grid.shape[:2])
    axes[1].contour(
        *np.moveaxis(grid, -1, 0),
        values,
        levels=[0],
        colors=[colour],
        linewidths=[width],
        linestyles=[style],
    )
    name = "sphere" if solution is sphere else "plane"
    axes[1].plot([], [], color=colour, linewidth=width, linestyle=style, label=name)
axes[1].set_title("Gaussian kernel: the same boundary twice")
for ax in axes:
    ax.scatter(*X.T, s=18, color="C0", zorder=3)
    ax.set(xlabel="$x_1$", ylabel="$x_2$", xlim=(-4, 4), ylim=(-3.2, 3.4), aspect="equal")
    ax.legend(loc="upper left", fontsize="small")
plt.show()
