r"""
A second opinion on another library's answer
============================================

A certificate needs a problem and a solution; who found the solution does not matter. Here
scikit-learn's `SVC` trains at several tolerances. Its multipliers and intercept, put into a
`Solution`, are judged from the outside: how far from the optimum can the answer be, and how far is
it?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale
from sklearn.svm import SVC

from maxmargin import Solution, certify, solve
from maxmargin.kernels import RBF
from maxmargin.problems import SoftMargin

X, target = load_breast_cancer(return_X_y=True)
X, y = scale(X), 2.0 * target - 1.0
problem = SoftMargin(X, y, C=100, kernel=RBF(0.02))
optimum = certify(problem, solve(problem)).primal


def as_solution(machine):
    """The multipliers are the absolute values of dual_coef_; the offset is minus the bias."""
    multipliers = np.zeros(len(y))
    multipliers[machine.support_] = np.abs(machine.dual_coef_[0])
    return Solution(problem, multipliers, -machine.intercept_, solver="scikit-learn")


# The dual value is below the optimum, so the gap over it bounds the fraction that is lost.
tolerances = [10.0**-k for k in range(7)]
proofs = []
for tol in tolerances:
    machine = SVC(C=100, gamma=0.02, tol=tol).fit(X, y)
    proofs.append(certify(problem, as_solution(machine)))

figure, ax = plt.subplots(figsize=(6.8, 4.6), layout="constrained")
ax.plot(tolerances, [proof.gap / proof.dual for proof in proofs], "o-", label="proved")
distance = [(proof.primal - optimum) / optimum for proof in proofs]
ax.plot(tolerances, distance, "s--", label="true")
ax.set(
    xscale="log",
    yscale="log",
    xlabel="scikit-learn's tol",
    ylabel="above the optimum, as a fraction",
)
ax.invert_xaxis()
ax.legend()

# %%
# What is proved is hardly more than what is true: the multipliers, and with them the dual value,
# are closer to the optimum than the machine that they make. At scikit-learn's default tolerance:

print(proofs[3].summary())
plt.show()
