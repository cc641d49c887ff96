r"""
A tube in place of a line
=========================

Support vector regression does not mind errors up to :math:`\varepsilon`: around the curve lies a
tube, and only points outside pay. Points strictly inside have the coefficient zero. They could be
removed and the curve would stay where it is. The wider the tube, the fewer points carry it.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import plot, solve
from maxmargin.kernels import RBF
from maxmargin.problems import EpsilonTube

random = np.random.default_rng(1)
x = np.sort(random.uniform(0, 6, size=60))
y = np.sin(x) + 0.25 * random.normal(size=60)
X = x[:, None]

widths = [0.05, 0.25, 0.6]
solutions = [solve(EpsilonTube(X, y, C=10, epsilon=e, kernel=RBF(0.5))) for e in widths]

figure, axes = plt.subplots(1, 3, figsize=(12, 4.2), sharey=True, layout="constrained")
for ax, solution in zip(axes, solutions, strict=True):
    plot.boundary(solution, ax, legend=False)
    ax.set_title(f"{len(solution.support)} of {len(y)} points carry the curve")
handles, labels = axes[1].get_legend_handles_labels()
labels = ["tube" if label.startswith("tube") else label for label in labels]
figure.legend(handles, labels, loc="outside lower center", ncols=6, frameon=False)

# %%
# Remove the points inside the tube in the middle, fit again, and compare the two curves:

middle = solutions[1]
kept = middle.support
again = solve(EpsilonTube(X[kept], y[kept], C=10, epsilon=widths[1], kernel=RBF(0.5)))
line = np.linspace(0, 6, 200)[:, None]
difference = float(np.abs(middle.decision(line) - again.decision(line)).max())
print(f"{len(y)} points or {len(kept)}: the curves differ by {difference:.1e} at most")
plt.show()
