"""
Separable or not, with a witness
================================

Two classes are separable by a line if and only if their convex hulls do not meet. If they do not
meet, the line half-way between the nearest points of the hulls has the largest margin. If they do,
a point common to both hulls proves that no separating line exists. `separability` returns the line
or the point.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial import ConvexHull

from maxmargin import separability

random = np.random.default_rng(4)
y = np.repeat([-1.0, 1.0], 12)
noise = random.normal(size=(24, 2))
apart, overlapping = noise + 2.2 * y[:, None], noise + 0.8 * y[:, None]


def draw_hulls(ax, X):
    for sign, colour, marker in ((1, "C0", "o"), (-1, "C1", "^")):
        mine = X[y == sign]
        corners = mine[ConvexHull(mine).vertices]
        ax.fill(*corners.T, color=colour, alpha=0.18)
        ax.scatter(*mine.T, color=colour, marker=marker, s=25)
    ax.set_aspect("equal")


# %%
# The witness of separability is a plane. Its coefficients, scaled to sum to one in each class, give
# the nearest points p and q of the hulls. Half their distance is the margin.

plane = separability(apart, y)
shares = np.abs(plane.coefficients)
p, q = (shares[y == s] @ apart[y == s] / shares[y == s].sum() for s in (1, -1))
print(plane)
print(f"half the distance between the hulls: {np.linalg.norm(p - q) / 2:.6g}")

# %%
# The witness of non-separability is a common point, given as two convex combinations.

witness = separability(overlapping, y)
print(witness)

figure, axes = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
draw_hulls(axes[0], apart)
axes[0].plot(
    *np.transpose([p, q]), color="black", marker="D", linestyle=":", label="nearest points"
)
middle, along = (p + q) / 2, np.array([-plane.w[1], plane.w[0]])
axes[0].axline(middle, middle + along, color="black", label="largest margin")
axes[0].set_title(f"separable, margin {plane.margin:.3f}")
draw_hulls(axes[1], overlapping)
axes[1].plot(*witness.point, color="black", marker="*", markersize=14, label="common point")
for combination in (witness.positive, witness.negative):
    for used in overlapping[combination > 0.02]:
        axes[1].plot(*np.transpose([used, witness.point]), color="black", linestyle=":")
axes[1].plot([], [], color="black", linestyle=":", label="to the points that it is a mean of")
axes[1].set_title("not separable")
for ax in axes:
    ax.set(xlabel="$x_1$", ylabel="$x_2$")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), frameon=False, ncols=2)
plt.show()
