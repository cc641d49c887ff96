r"""
A circle is a plane, one space higher
=====================================

The kernel :math:`(x^\top z)^2` is the inner product of the features :math:`\varphi(x) = (x_1^2,
\sqrt2\, x_1 x_2, x_2^2)`. A circle around the origin, :math:`x_1^2 + x_2^2 = r^2`, is a plane in
the space of these features. The kernel machine on the points and the linear machine on the features
are the same.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import SVC, plot
from maxmargin.kernels import Polynomial, feature_map

random = np.random.default_rng(5)
radius = np.repeat([0.7, 1.7], 30) + 0.15 * random.normal(size=60)
angle = random.uniform(0, 2 * np.pi, size=60)
X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
y = np.repeat([-1, 1], 30)

kernel = Polynomial(gamma=1, coef0=0, degree=2)
features = feature_map(kernel)(X)
curved = SVC(C=10, kernel=kernel).fit(X, y)
flat = SVC(C=10, kernel="linear").fit(features, y)
difference = float(np.abs(curved.decision_function(X) - flat.decision_function(features)).max())
print(f"the decision values differ by at most {difference:.1e}")

figure = plt.figure(figsize=(11, 5))
left = figure.add_axes((0.06, 0.12, 0.42, 0.8))
plot.boundary(curved, left, legend=False)
left.set(aspect="equal", title="the points, and the kernel machine")

right = figure.add_axes((0.5, 0.02, 0.5, 0.9), projection="3d")
for sign, colour, marker in ((1, "C0", "o"), (-1, "C1", "^")):
    right.scatter(*features[y == sign].T, color=colour, marker=marker, depthshade=False)
first, second = np.meshgrid(np.linspace(0, 4, 60), np.linspace(-3, 3, 60))
(w,), (b,) = flat.coef_, flat.intercept_
third = -(w[0] * first + w[1] * second + b) / w[2]
third = np.where((third > 0) & (third < 4), third, np.nan)
right.plot_surface(first, second, third, color="black", alpha=0.25)
right.set(xlabel="$x_1^2$", zlabel="$x_2^2$", zlim=(0, 4), yticks=[-3, 0, 3])
right.tick_params(axis="y", pad=-2)
right.set_ylabel(r"$\sqrt{2}\, x_1 x_2$", labelpad=10)
right.set_title("their features, and the linear machine")
right.view_init(elev=14, azim=-75)
right.set_box_aspect(None, zoom=1.15)
plt.show()
