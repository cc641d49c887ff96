"""
A heat map of C and gamma
=========================

A grid search scores every pair of C and gamma by cross-validation. Good pairs lie on a ridge,
because a smoother kernel needs a larger C. `SVMSearchCV` has the interface of scikit-learn's
`GridSearchCV` and computes only once what the cells share, so that fine grids are affordable.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, SVMSearchCV, plot

X, y = load_breast_cancer(return_X_y=True)
machine = make_pipeline(StandardScaler(), SVC())
grid = {"svc__C": np.logspace(-1, 4, 11), "svc__gamma": np.logspace(-5, 0, 11)}
search = SVMSearchCV(machine, grid, cv=5).fit(X, y)

figure, axes = plt.subplots(1, 2, figsize=(12, 4.8), layout="constrained")
plot.heat_map(search, axes[0])
rows = np.isin(search.cv_results_["param_svc__gamma"].astype(float), grid["svc__gamma"][2::2])
some = {key: np.asarray(column)[rows] for key, column in search.cv_results_.items()}
plot.score_curves(some, axes[1], by="gamma")
axes[1].set_ylabel("mean accuracy")

best = search.best_estimator_[-1]
print(f"best of {len(search.cv_results_['params'])}: C = {best.C:.3g}, gamma = {best.gamma:.3g}")
print(f"accuracy {search.best_score_:.4f}, certified to 1e-3: {best.certificate_.holds(1e-3)}")
plt.show()
