"""
Calibrated probabilities
========================

It should rain on 30% of the days with a predicted 30% chance of rain. The scores of a support
vector machine are not calibrated in this sense, even if a sigmoid maps them to (0, 1).
`CalibratedSVC` fits a calibration map to held-out scores: a sigmoid (Platt) or a nondecreasing step
function (isotonic).
"""

import matplotlib.pyplot as plt
from scipy.special import expit
from sklearn.calibration import CalibrationDisplay
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import train_test_split

from maxmargin import SVC, CalibratedSVC
from maxmargin.plot import ScoreHistogramDisplay

X, y = make_classification(
    6000, 8, n_informative=5, n_redundant=0, class_sep=0.7, flip_y=0.05, random_state=2
)
X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=2000, random_state=0)

models = {
    method: CalibratedSVC(SVC(C=1), method=method).fit(X_train, y_train)
    for method in ("platt", "isotonic")
}
scores = models["platt"].estimator_.decision_function(X_test)
probabilities = {
    "raw, through a sigmoid": expit(scores),
    **{name: model.predict_proba(X_test)[:, 1] for name, model in models.items()},
}

figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
ScoreHistogramDisplay.from_predictions(y_test, scores, threshold=0.0, ax=axes[0])
axes[0].set_title("scores of new points")
for name, values in probabilities.items():
    CalibrationDisplay.from_predictions(y_test, values, n_bins=10, name=name, ax=axes[1])
axes[1].set(xlabel="predicted probability of class 1", ylabel="fraction of class 1")
axes[1].set_title("calibration curves")
axes[1].legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), frameon=False, ncols=2)

# %%
# A sigmoid keeps the order of the scores, so the area under the ROC curve does not change.

losses = {name: log_loss(y_test, values) for name, values in probabilities.items()}
areas = {name: roc_auc_score(y_test, values) for name, values in probabilities.items()}
for name in probabilities:
    print(f"{name}: log loss {losses[name]:.3f}, area under the ROC curve {areas[name]:.4f}")
plt.show()
