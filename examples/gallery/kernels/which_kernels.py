r"""
Which of many kernels?
======================

Instead of trying kernels one by one, give a machine a weighted sum of all and let it choose the
weights: :math:`\min_d J(d)` over :math:`d_m \ge 0`, :math:`\sum_m d_m = 1`, where :math:`J(d)` is
the objective of the machine at these weights. This is convex. `learn_weights` returns weights
together with bounds that enclose the optimum; many weights come out as zero.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import certify, solve
from maxmargin.kernels import RBF, Linear
from maxmargin.model_selection import learn_weights
from maxmargin.problems import SoftMargin

random = np.random.default_rng(0)
X = random.uniform(-2, 2, size=(200, 2))
y = np.where(np.sin(2.5 * X[:, 0]) + 0.5 * X[:, 1] + 0.3 * random.normal(size=200) > 0, 1, -1)

gammas = [0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0]
kernels = [Linear(), *(RBF(gamma) for gamma in gammas)]
names = ["linear", *(f"{gamma:g}" for gamma in gammas)]
found = learn_weights(kernels, X, y, C=1)
print(f"{found.lower:.4f} <= optimum <= {found.upper:.4f} after {found.n_rounds} machines")

# %%
# A single kernel is a sum in which all the weight is on one. None does better than the optimum.

alone = []
for kernel, scale in zip(kernels, found.scales, strict=True):
    problem = SoftMargin(X, y, C=1, kernel=(1 / scale) * kernel)
    alone.append(certify(problem, solve(problem)).primal)

figure, axes = plt.subplots(2, 1, figsize=(7.5, 6), sharex=True, layout="constrained")
axes[0].bar(names, found.weights)
axes[0].set(ylabel="weight", title="weights that were learnt")
axes[1].bar(names, alone, color="C7", label="one kernel alone")
axes[1].axhline(found.upper, color="C0", label="the weighted sum")
axes[1].set(ylabel="objective", xlabel="kernel: linear, and Gaussian by gamma")
axes[1].set_ylim(0.8 * found.lower, None)
axes[1].legend()
plt.show()
