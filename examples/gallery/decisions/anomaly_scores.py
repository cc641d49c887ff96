r"""
Anomaly scores and thresholds
=============================

A one-class machine is trained on eights and then applied to all ten digits. The threshold zero,
which follows from :math:`\nu`, is one of many; the DET curve shows the rates of false alarms and of
missed anomalies at each of them. A narrow kernel may order the points best although its zero is
useless, so choose the threshold separately.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import DetCurveDisplay

from maxmargin import OneClassSVM
from maxmargin.metrics import eer

X, digit = load_digits(return_X_y=True)
X = X / 16
training = np.flatnonzero(digit == 8)[::2]
others = np.setdiff1d(np.arange(len(digit)), training)
is_anomaly = (digit[others] != 8).astype(int)

gammas = [0.005, 0.05, 0.5]
machines = [OneClassSVM(nu=0.1, gamma=gamma).fit(X[training]) for gamma in gammas]
scores = [-machine.decision_function(X[others]) for machine in machines]
rates = [eer(is_anomaly, score) for score in scores]

figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
for sign, colour, name in ((0, "C1", "eights"), (1, "C0", "other digits")):
    mine = scores[1][is_anomaly == sign]
    axes[0].hist(mine, bins=40, density=True, color=colour, alpha=0.55, label=name)
axes[0].axvline(0.0, color="black", linestyle="--", label="threshold zero, nu = 0.1")
axes[0].set(xlabel="anomaly score", ylabel="density", title=f"gamma = {gammas[1]:g}")
for gamma, score, rate in zip(gammas, scores, rates, strict=True):
    name = f"gamma = {gamma:g}, EER {rate:.1%}"
    DetCurveDisplay.from_predictions(is_anomaly, score, name=name, ax=axes[1])
axes[1].set(xlabel="eights taken for anomalies", ylabel="anomalies taken for eights")
for ax in axes:
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), frameon=False, ncols=2)

for gamma, machine in zip(gammas, machines, strict=True):
    inside = machine.predict(X[others]) > 0
    print(
        f"gamma = {gamma:5g}: {np.mean(machine.slack_ > 1e-3):.1%} of the training eights outside, "
        f"{np.mean(~inside[is_anomaly == 0]):.1%} of new ones, "
        f"{np.mean(~inside[is_anomaly == 1]):.1%} of other digits"
    )
plt.show()
