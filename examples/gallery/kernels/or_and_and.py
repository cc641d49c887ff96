r"""
Sums and products of kernels
============================

With the sum :math:`k_1(x_1, z_1) + k_2(x_2, z_2)` two points are similar if one coordinate *or* the
other is; the decision function is then a sum :math:`g_1(x_1) + g_2(x_2)`. With the product they are
similar only if one coordinate *and* the other are, and the decision function can be any function of
both. No sum of functions separates the colours of a chessboard.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from maxmargin import SVC
from maxmargin.kernels import RBF, On

random = np.random.default_rng(0)
X = pd.DataFrame(random.uniform(-1, 1, size=(200, 2)), columns=["x1", "x2"])
y = np.where(X["x1"] * X["x2"] > 0, 1, -1)

first, second = On("x1", RBF(4.0)), On("x2", RBF(4.0))
machines = {
    "sum": SVC(kernel=first + second, C=10),
    "product": SVC(kernel=first * second, C=10),
}

# %%
# The product of the Gaussian kernels of both coordinates is the usual Gaussian kernel:

product = (first * second).block(X, X)
print("largest difference:", np.abs(product - RBF(4.0).block(X.to_numpy(), X.to_numpy())).max())

line = np.linspace(-1, 1, 81)
grid = pd.DataFrame(np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2), columns=["x1", "x2"])
values = {
    name: machine.fit(X, y).decision_function(grid).reshape(81, 81)
    for name, machine in machines.items()
}

figure, axes = plt.subplots(1, 2, figsize=(10, 4.8), sharey=True, layout="constrained")
for ax, (name, machine) in zip(axes, machines.items(), strict=True):
    size = np.abs(values[name]).max()
    ax.pcolormesh(line, line, values[name], cmap="RdBu", vmin=-size, vmax=size, alpha=0.7)
    ax.contour(line, line, values[name], levels=[0], colors="black")
    for sign, colour, marker in ((1, "C0", "o"), (-1, "C1", "^")):
        ax.scatter(
            *X[y == sign].to_numpy().T,
            s=28,
            color=colour,
            marker=marker,
            edgecolor="black",
            linewidth=0.6,
            label=f"class {sign}",
        )
    ax.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
    ax.set_title(f"{name}: accuracy {machine.score(X, y):.0%}")
    ax.label_outer()
figure.legend(
    *axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False
)

# %%
# For a sum of functions, :math:`f(a, c) - f(a, d) - f(b, c) + f(b, d) = 0` on every rectangle:

rectangles = {
    name: float(np.abs(f[:-1, :-1] - f[:-1, 1:] - f[1:, :-1] + f[1:, 1:]).max())
    for name, f in values.items()
}
print("corners of rectangles:", {name: f"{found:.0e}" for name, found in rectangles.items()})
plt.show()
