r"""
Optimality in one picture
=========================

At the optimum each point has one of three places: beyond its margin with :math:`a = 0`, on it with
any :math:`a`, short of it with :math:`a = C`. Plotted as multiplier against margin these are the
three pieces of a line, and nothing lies elsewhere. A run that was stopped early looks different.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import Stop, certify, plot, solve
from maxmargin.kernels import RBF
from maxmargin.problems import SoftMargin

random = np.random.default_rng(0)
y = np.tile([-1.0, 1.0], 50)
X = random.normal(size=(100, 2)) + 0.8 * y[:, None]
problem = SoftMargin(X, y, C=2, kernel=RBF(0.5))

early = certify(problem, solve(problem, "smo", stop=Stop(iterations=60)))
done = certify(problem, solve(problem))

figure, axes = plt.subplots(1, 2, figsize=(11, 4.4), sharex=True, sharey=True, layout="constrained")
for ax, proof in zip(axes, (early, done), strict=True):
    plot.kkt(proof, ax)
    ax.set_title(f"largest violation {proof.kkt_violation:.1e}, gap {proof.relative_gap:.1e}")
    ax.label_outer()

# %%
# The table behind the picture, for the first five points:

for row in list(done.table())[:5]:
    print(f"a = {row.multiplier:.4f}, margin {row.margin:+.4f}, slack {row.slack:.4f}: {row.case}")
plt.show()
