r"""
Certify another library's solution
==================================

A certificate needs a problem and a solution; it does not matter who found the solution. Here
scikit-learn's `SVC` is trained at several tolerances. Its multipliers and its intercept form a
`Solution`, whose certificate bounds the distance to the optimum. The picture compares the bound
with the true distance.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn import svm
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

from maxmargin import SVC, Solution

X, y = load_breast_cancer(return_X_y=True)
X = scale(X)
ours = SVC(C=100, gamma=0.02, tol=1e-9).fit(X, y)
problem, optimum = ours.machines_[0].problem, ours.certificate_.primal


def as_solution(machine):
    """The multipliers are the absolute values of dual_coef_; the offset is minus the bias."""
    multipliers = np.zeros(len(y))
    multipliers[machine.support_] = np.abs(machine.dual_coef_[0])
    return Solution(problem, multipliers, -machine.intercept_, solver="scikit-learn")


# The dual value is below the optimum, so gap / dual bounds the relative excess.
tolerances = [10.0**-k for k in range(7)]
certificates = []
for tol in tolerances:
    theirs = svm.SVC(C=100, gamma=0.02, tol=tol).fit(X, y)
    certificates.append(as_solution(theirs).certificate)

figure, ax = plt.subplots(figsize=(6.8, 4.6), layout="constrained")
bounds = [certificate.gap / certificate.dual for certificate in certificates]
# The bound is drawn broad, because the true value would cover it.
ax.plot(tolerances, bounds, "o-", linewidth=6, markersize=12, alpha=0.4, label="the bound")
excess = [(certificate.primal - optimum) / optimum for certificate in certificates]
ax.plot(tolerances, excess, "s--", markersize=5, label="the true value")
ax.set(
    xscale="log",
    yscale="log",
    xlabel="scikit-learn's tol",
    ylabel="excess over the optimum, relative",
)
ax.invert_xaxis()
ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), frameon=False, ncols=2)

# %%
# The bound is close to the true value, because the dual value of the multipliers is closer to the
# optimum than the primal value. At scikit-learn's default tolerance:

print(certificates[3].summary())
plt.show()
