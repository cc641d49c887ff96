r"""
Learning the weights of kernels
===============================

Instead of trying kernels one by one, optimise the weights of their sum: :math:`\min_d J(d)` over
:math:`d_m \ge 0`, :math:`\sum_m d_m = 1`, where :math:`J(d)` is the optimum of the machine with
these weights. The problem is convex. `learn_weights` returns the weights, many of which are zero,
and bounds that enclose the optimum.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import SVC
from maxmargin.kernels import RBF, Linear
from maxmargin.model_selection import learn_weights

random = np.random.default_rng(0)
X = random.uniform(-2, 2, size=(200, 2))
y = np.where(np.sin(2.5 * X[:, 0]) + 0.5 * X[:, 1] + 0.3 * random.normal(size=200) > 0, 1, -1)

gammas = [0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0]
kernels = [Linear(), *(RBF(gamma) for gamma in gammas)]
names = ["linear", *(f"{gamma:g}" for gamma in gammas)]
found = learn_weights(kernels, X, y, C=1)
print(f"{found.lower:.4f} <= optimum <= {found.upper:.4f} after {found.n_rounds} machines")

# %%
# A single kernel is a sum with one nonzero weight, so none has a lower objective.

scaled = [(1 / scale) * kernel for kernel, scale in zip(kernels, found.scales, strict=True)]
alone = [SVC(C=1, kernel=kernel).fit(X, y).certificate_.primal for kernel in scaled]

figure, axes = plt.subplots(2, 1, figsize=(7.5, 6), sharex=True, layout="constrained")
axes[0].bar(names, found.weights)
axes[0].set(ylabel="weight", title="learnt weights")
axes[1].bar(names, alone, color="C7", label="one kernel alone")
axes[1].axhline(found.upper, color="C0", label="the weighted sum")
axes[1].set(ylabel="objective", xlabel="kernel: linear, and Gaussian by gamma")
figure.legend(loc="outside lower center", ncols=2, frameon=False)
plt.show()
