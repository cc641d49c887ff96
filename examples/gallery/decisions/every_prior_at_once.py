r"""
Every prior at once
===================

Two plots evaluate scores for all priors and costs. A DET curve shows the pairs of error rates at
all thresholds. A Bayes error plot shows the cost of decisions against the prior: dashed at the best
threshold, solid at the Bayes threshold for log-likelihood ratios. The difference between the two is
the cost of miscalibration.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.metrics import DetCurveDisplay
from sklearn.model_selection import train_test_split

from maxmargin import SVC, CalibratedSVC
from maxmargin.metrics import bayes_error_curve, eer
from maxmargin.plot import BayesErrorDisplay

X, y = make_classification(3000, 6, n_informative=4, n_redundant=0, class_sep=0.9, random_state=1)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

linear = SVC(kernel="linear", C=1).fit(X_train, y_train)
calibrated = CalibratedSVC(SVC(C=1), method="logistic").fit(X_train, y_train)
scores = {
    "linear": linear.decision_function(X_test),
    "Gaussian": calibrated.estimator_.decision_function(X_test),
    "Gaussian, calibrated": calibrated.log_likelihood_ratio(X_test),
}

figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
for name, values in list(scores.items())[:2]:
    DetCurveDisplay.from_predictions(y_test, values, name=name, ax=axes[0])
axes[0].set(xlabel="false alarms", ylabel="misses")
axes[0].legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), frameon=False, ncols=2)
shown = np.linspace(-4, 4, 161)
for name, values in list(scores.items())[1:]:
    BayesErrorDisplay.from_predictions(y_test, values, log_odds=shown, name=name, ax=axes[1])
axes[1].set_ylim(0, 1.4)

# %%
# The equal error rate, where the DET curve of the convex hull crosses the diagonal, equals the
# largest Bayes error at the best threshold.

rates = {name: eer(y_test, values) for name, values in scores.items()}
odds = np.linspace(-3, 3, 2001)
worst = {
    name: float(bayes_error_curve(y_test, values, odds, normalize=False).min_dcf.max())
    for name, values in scores.items()
}
for name in scores:
    print(f"{name}: equal error rate {rates[name]:.4f}, largest Bayes error {worst[name]:.4f}")
plt.show()
