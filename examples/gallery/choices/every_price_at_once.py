r"""
Every price at once
===================

The multipliers and the bias of a soft margin are piecewise linear in :math:`C`. `svm_path` follows
them from breakpoint to breakpoint, so that one run holds the machines of all :math:`C`. At a
breakpoint a point reaches its margin, or leaves it.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import plot, solve, svm_path
from maxmargin.kernels import RBF
from maxmargin.problems import SoftMargin

random = np.random.default_rng(1)
y = np.tile([-1.0, 1.0], 20)
X = random.normal(size=(40, 2)) + 0.8 * y[:, None]
problem = SoftMargin(X, y, C=10, kernel=RBF(0.5))

path = svm_path(problem)
print(path)

# %%
# Between two breakpoints the bias is a straight line. Crosses are separate fits, which know
# nothing of the path.

shown = np.append(path.breakpoints[(path.breakpoints > 0) & (path.breakpoints < 1)], 1.0)
Cs = np.linspace(0.2, 1, 8)
fits = [solve(SoftMargin(X, y, C=C, kernel=RBF(0.5))) for C in Cs]

figure, axes = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
plot.path(path, axes[0])
axes[1].plot(shown, path.bias(shown), marker=".", label="path, and its breakpoints")
axes[1].plot(Cs, [fit.b for fit in fits], "x", color="C1", markersize=9, label="separate fits")
axes[1].set(xlabel="C", ylabel="bias b")
axes[1].legend()

gap = max(path.certificate(C).relative_gap for C in np.geomspace(0.01, 10, 50))
print(f"largest relative gap at 50 values of C: {gap:.0e}")
plt.show()
