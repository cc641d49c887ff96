r"""
Every C at once
===============

The multipliers and the bias of a soft margin are piecewise linear in :math:`C`. `svm_path` follows
them from breakpoint to breakpoint, so that one run gives the machines for all :math:`C`. At a
breakpoint a point reaches or leaves its margin.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import RBF, SVC, plot, svm_path

random = np.random.default_rng(1)
y = np.tile([-1, 1], 20)
X = random.normal(size=(40, 2)) + 0.8 * y[:, None]

path = svm_path(X, y, kernel=RBF(0.5), C_max=10)
print(path)

# %%
# Between two breakpoints the bias is linear. Crosses are independent fits.

shown = np.append(path.breakpoints[(path.breakpoints > 0) & (path.breakpoints < 1)], 1.0)
Cs = np.linspace(0.2, 1, 8)
fits = [SVC(C=C, gamma=0.5).fit(X, y) for C in Cs]

figure, axes = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
plot.path(path, axes[0])
axes[1].plot(shown, path.bias(shown), marker=".", label="path, with its breakpoints")
biases = [float(fit.intercept_[0]) for fit in fits]
axes[1].plot(Cs, biases, "x", color="C1", markersize=9, label="independent fits")
axes[1].set(xlabel="C", ylabel="bias b")
axes[1].legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), frameon=False, ncols=2)

gap = max(path.certificate(C).relative_gap for C in np.geomspace(0.01, 10, 50))
print(f"largest relative gap at 50 values of C: {gap:.0e}")
plt.show()
