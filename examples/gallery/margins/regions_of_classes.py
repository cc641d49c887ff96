r"""
Three classes, three ways
=========================

A support vector machine separates two classes. There are three ways to handle more: one machine per
pair of classes, and the majority of their votes; one machine per class against the rest, and the
largest decision value; or one problem for all classes, that of Crammer and Singer. The regions are
similar near the points and differ elsewhere.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, LinearSVC, plot

iris = load_iris(as_frame=True)
X = iris.data[["petal length (cm)", "petal width (cm)"]]
y = iris.target_names[iris.target]

# %%
# A pipeline is drawn in the coordinates of its input, centimetres, although its machines use
# standardised features. The last picture shows a single machine of a pair, with its margin and
# slacks.

machines = {
    "each pair": SVC(C=10, gamma=0.5),
    "each class against the rest": SVC(C=10, gamma=0.5, multi_class="ovr"),
    "all at once, linear": LinearSVC(C=10, multi_class="crammer_singer"),
}
models = {
    name: make_pipeline(StandardScaler(), machine).fit(X, y) for name, machine in machines.items()
}

figure, axes = plt.subplots(2, 2, figsize=(10.5, 8.6), layout="constrained")
for ax, (name, model) in zip(axes.flat, models.items(), strict=False):
    plot.boundary(model, ax, legend=False)
    ax.set_title(f"{name}: accuracy {model.score(X, y):.1%}")
pairs = models["each pair"]
last = pairs[-1].machines_[2]
plot.boundary(pairs, axes[1, 1], machine=2, legend=False)
axes[1, 1].set_title("the machine of " + " and ".join(last.classes))
named = {}
for ax in (axes[0, 0], axes[1, 1]):
    for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
        named.setdefault(label.removesuffix(", f = 0"), handle)
figure.legend(named.values(), named.keys(), loc="outside lower center", ncols=4, frameon=False)

for name, model in models.items():
    print(f"{name}: {model[-1].certificate_}")

# %%
# The models agree for most flowers, and less often elsewhere in the plane:

places = np.stack(np.meshgrid(np.linspace(0, 8, 80), np.linspace(-0.5, 3, 80)), axis=-1)
grid = pd.DataFrame(places.reshape(-1, 2), columns=X.columns)


def agreement(where):
    """Return the fraction of rows for which all models predict the same class."""
    predicted = np.array([model.predict(where) for model in models.values()])
    return float(np.mean((predicted == predicted[0]).all(axis=0)))


at_flowers, elsewhere = agreement(X), agreement(grid)
print(f"all three agree for {at_flowers:.1%} of the flowers, {elsewhere:.1%} of the plane")
plt.show()
