r"""
Weights along C
===============

Linear machines for increasing :math:`C`, each started from the previous solution. With the penalty
:math:`\lVert w \rVert^2` all weights grow together; with :math:`\lVert w \rVert_1` most of them are
exactly zero, and features enter one after another. Below a value of :math:`C` that can be computed
in advance, all weights are zero.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale
from sklearn.svm import l1_min_c

from maxmargin import linear_path

X, y = load_breast_cancer(return_X_y=True)
X = scale(X)
first = float(l1_min_c(X, y, loss="squared_hinge"))
Cs = first * np.geomspace(0.5, 200, 40)
paths = {penalty: linear_path(X, y, Cs, penalty=penalty, tol=1e-6) for penalty in ("l2", "l1")}

figure, axes = plt.subplots(1, 2, figsize=(11, 4.4), sharey=True, layout="constrained")
for ax, (penalty, path) in zip(axes, paths.items(), strict=True):
    ax.plot(path.Cs, path.coef[:, 0], linewidth=1.2)
    ax.set(xscale="log", xlabel="C", ylabel="weights", title=f"penalty {penalty}")
    ax.label_outer()
axes[1].axvline(first, color="black", linestyle="--", label="all weights are zero to the left")
figure.legend(loc="outside lower center", frameon=False)

used = (paths["l1"].coef[:, 0] != 0).sum(axis=1)
print("features in use:", used.tolist())
gap = max(found.relative_gap for path in paths.values() for found in path.certificates)
print(f"largest relative gap: {gap:.0e}")
plt.show()
